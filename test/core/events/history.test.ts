/** The history of events: earlier versions, and what remains of deleted events in each mode. */
import t from 'tap'
import { type Answer, type Client, coffer, openCoffer } from '../../support/coffer.js'
import { eventSeal } from '../../support/sealed.js'

const modes = ['keep-nothing', 'keep-authors', 'keep-everything'] as const

async function withHistory(t: Parameters<typeof coffer>[0], deletionMode: (typeof modes)[number]) {
  const service = await openCoffer(t, { versioning: { forceKeepHistory: true, deletionMode } })
  await service.alice.stream('diary')
  await service.alice.stream('work')
  return service
}

async function past(client: Client, id: string): Promise<{ event: Answer; history: Answer[] }> {
  return await client.do('events.getOne', { id, includeHistory: true })
}

/** Creates an event, changes, trashes and deletes it. Returns its states. */
async function deleted(alice: Client): Promise<Answer[]> {
  const created = await alice.event({ description: 'first' })
  const { id } = created
  const { event: changed } = await alice.do('events.update', { id, update: { content: 'other' } })
  const { event: trashed } = await alice.do('events.delete', { id })
  await alice.do('events.delete', { id })
  return [created, changed, trashed]
}

/** Returns the contents of the versions of an event. */
function contents({ history }: { history: Answer[] }): unknown[] {
  return history.map(({ content }) => content)
}

/** Returns what `keep-authors` keeps of a version. */
function author({ id, modified, modifiedBy }: Answer): object {
  return { id, modified, modifiedBy }
}

/** Deletes a stream with two events, one of which is also in another stream. Returns the events as they were. */
async function emptied(alice: Client, mergeEventsWithParent: boolean): Promise<Answer[]> {
  await alice.stream('page', 'diary')
  const only = await alice.event({ streamIds: ['page'] })
  const both = await alice.event({ streamIds: ['page', 'work'] })
  await alice.do('streams.delete', { id: 'page' })
  await alice.do('streams.delete', { id: 'page', mergeEventsWithParent })
  return [only, both]
}

t.test('without versioning', async t => {
  t.test('no earlier version is kept', async t => {
    const { alice } = await coffer(t)
    await alice.stream('diary')
    const { id } = await alice.event()
    await alice.do('events.update', { id, update: { content: 'other' } })
    t.same((await past(alice, id)).history, [])
    await alice.do('events.delete', { id })
    await alice.do('events.delete', { id })
    t.same((await past(alice, id)).history, [])
  })

  t.test('the mode still determines what remains of a deleted event', async t => {
    const { alice } = await coffer(t, {
      versioning: { forceKeepHistory: false, deletionMode: 'keep-authors' }
    })
    await alice.stream('diary')
    const [, , trashed] = await deleted(alice)
    const { event, history } = await past(alice, trashed.id)
    t.same(Object.keys(event).toSorted(), ['deleted', 'id', 'integrity', 'modified', 'modifiedBy'])
    t.equal(event.modified, trashed.modified)
    t.same(history, [])
  })
})

t.test('with versioning', async t => {
  t.test('every change keeps the previous version, oldest first', async t => {
    const { alice } = await withHistory(t, 'keep-nothing')
    const states = [await alice.event({ tags: ['x'] })]
    const { id } = states[0]
    for (const update of [{ content: 'two' }, { streamIds: ['work'] }, { trashed: true }, { trashed: false }])
      states.push((await alice.do('events.update', { id, update })).event)
    states.push((await alice.do('events.delete', { id })).event)
    const { event, history } = await past(alice, id)
    t.same([...history, event], states)
    for (const version of history) t.equal(version.integrity, eventSeal(version))
    t.notOk('history' in (await alice.do('events.getOne', { id })), 'only where it is asked for')
  })

  t.test('a new event has no history', async t => {
    const { alice } = await withHistory(t, 'keep-nothing')
    t.same((await past(alice, (await alice.event()).id)).history, [])
  })

  t.test('lists never include it', async t => {
    const { alice } = await withHistory(t, 'keep-everything')
    const { id } = await alice.event({ content: 'before' })
    const { event } = await alice.do('events.update', { id, update: { content: 'after' } })
    t.same((await alice.do('events.get', { state: 'all', limit: 10 })).events, [event])
    t.same((await alice.do('events.get', { modifiedSince: 0, limit: 10 })).events, [event])
    await deleted(alice)
    t.equal((await alice.do('events.get', { state: 'all', limit: 10 })).events.length, 1)
  })

  t.test('a refused change keeps no version', async t => {
    const { alice } = await withHistory(t, 'keep-nothing')
    const { id } = await alice.event()
    t.ok((await alice.call('events.update', { id, update: { streamIds: ['nope'] } })).error)
    const reader = await alice.grant('read', 'diary')
    t.ok((await reader.call('events.update', { id, update: { content: 'x' } })).error)
    t.same((await past(alice, id)).history, [])
  })

  t.test('long histories are returned completely, over HTTP too', async t => {
    const { alice } = await withHistory(t, 'keep-nothing')
    const { id } = await alice.event({ content: '0' })
    for (let i = 1; i <= 12; i++)
      await alice.do('events.update', { id, update: { content: `${i}`.repeat(200_000) } })
    const { body } = await alice.http('GET', `/events/${id}?includeHistory=true`)
    t.same(
      body.history.map(({ content }: Answer) => content.length),
      [1, ...Array.from({ length: 11 }, (_, i) => `${i + 1}`.length * 200_000)]
    )
    const { error } = await alice.call('events.getOne', { id, includeHistory: 'perhaps' })
    t.equal(error.id, 'invalid-parameters-format')
  })

  t.test('adding and deleting files creates versions', async t => {
    const { alice } = await withHistory(t, 'keep-everything')
    const { id } = await alice.event()
    const form = new FormData()
    form.append('file', new Blob(['bytes']), 'a.txt')
    const url = `${alice.service.server.url}/alice/events/${id}`
    await fetch(url, { method: 'POST', headers: { authorization: alice.token }, body: form })
    const [file] = (await past(alice, id)).event.attachments
    await alice.do('events.update', { id, update: { content: 'x' } })
    const { history } = await past(alice, id)
    t.same(
      history.map(version => version.attachments?.[0]?.id),
      [undefined, file.id]
    )
    t.equal((await alice.http('GET', `/events/${id}/${file.id}`)).status, 200)
    await alice.do('events.delete', { id })
    await alice.do('events.delete', { id })
    const { server } = alice.service
    t.same(
      await server.services.attachments.list(server.services.accounts.find('alice')!.id),
      [],
      'in every mode'
    )
  })
})

t.test('access to earlier versions', async t => {
  const { alice } = await withHistory(t, 'keep-everything')
  const reader = await alice.grant('read', 'work')
  const { id } = await alice.event({ content: 'secret' })
  await alice.do('events.update', { id, update: { streamIds: ['work'], content: 'open' } })
  await alice.do('events.update', { id, update: { content: 'more' } })

  t.test('requires permission to read the event where it was', async t => {
    t.same(contents(await past(alice, id)), ['secret', 'open'])
    t.same(contents(await past(reader, id)), ['open'])
  })

  t.test('is the same after the deletion as before', async t => {
    await alice.do('events.delete', { id })
    await alice.do('events.delete', { id })
    t.same(
      (await past(reader, id)).history.map(({ content }) => content),
      ['open', 'more', 'more']
    )
    const other = await alice.grant('read', 'diary')
    t.match(await other.call('events.getOne', { id, includeHistory: true }), { status: 404 })
  })
})

t.test('a deleted event', async t => {
  for (const mode of modes)
    t.test(mode, async t => {
      const { alice } = await withHistory(t, mode)
      const states = await deleted(alice)
      const trashed = states.at(-1)
      const { id, modified, modifiedBy } = trashed
      const { event, history } = await past(alice, id)
      const { integrity, deleted: at } = event
      const remains = {
        'keep-nothing': [{ id }, []],
        'keep-authors': [{ id, modified, modifiedBy }, states.map(author)],
        'keep-everything': [trashed, states]
      }[mode] as [object, Answer[]]
      t.same(event, { ...remains[0], deleted: at, integrity })
      t.ok(at > modified)
      t.equal(integrity, eventSeal(event))
      t.same(
        history.map(({ integrity: _own, ...version }) => version),
        remains[1].map(({ integrity: _own, ...version }: Answer) => version)
      )
      for (const version of history) t.equal(version.integrity, eventSeal(version))
      const { eventDeletions } = await alice.do('events.get', { modifiedSince: 0, includeDeletions: true })
      t.equal(eventDeletions.length, 1)
      const [deletion] = eventDeletions
      t.same(deletion, { id, deleted: at, integrity: eventSeal({ id, deleted: at }) })
      t.match(await alice.call('events.create', { id, streamIds: ['diary'], type: 'mass/kg', content: 1 }), {
        error: { id: 'item-already-exists' }
      })
    })
})

t.test('a deleted stream', async t => {
  t.test('keeps a version of each event that moves to the parent', async t => {
    const { alice } = await withHistory(t, 'keep-nothing')
    const reader = await alice.grant('read', 'diary')
    for (const before of await emptied(alice, true)) {
      const { event, history } = await past(alice, before.id)
      t.ok(event.streamIds.includes('diary'))
      t.same(history, [before])
    }
    const [moved] = (await alice.do('events.get', { streams: ['diary'] })).events
    t.equal((await past(reader, moved.id)).history.length, 1, 'for those above as well')
  })

  for (const mode of modes)
    t.test(`keeps of its events what ${mode} defines`, async t => {
      const { alice } = await withHistory(t, mode)
      const [only, both] = await emptied(alice, false)
      t.same((await past(alice, both.id)).history, [both], 'one that stays has changed')
      const { event, history } = await past(alice, only.id)
      t.ok(event.deleted)
      t.equal(history.length, mode === 'keep-nothing' ? 0 : 1)
      t.equal('content' in event, mode === 'keep-everything')
      t.equal('modifiedBy' in event, mode !== 'keep-nothing')
      for (const item of [event, ...history]) t.equal(item.integrity, eventSeal(item))
    })
})
