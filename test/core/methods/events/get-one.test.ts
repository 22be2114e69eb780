/** `events.getOne`. */
import t from 'tap'
import { coffer } from '../../../support/coffer.js'

t.test('events.getOne', async t => {
  const { alice } = await coffer(t)
  for (const id of ['diary', 'work', 'secret']) await alice.stream(id)
  const event = await alice.event({ streamIds: ['diary', 'work'] })
  const gone = await alice.event({ streamIds: ['diary', 'work'] })
  await alice.do('events.delete', { id: gone.id })
  await alice.do('events.delete', { id: gone.id })

  t.test('returns an event, with its history on request', async t => {
    t.same((await alice.do('events.getOne', { id: event.id })).event, event)
    t.same((await alice.do('events.getOne', { id: event.id, includeHistory: true })).history, [])
    t.notOk('history' in (await alice.do('events.getOne', { id: event.id, includeHistory: null })), 'unset')
  })

  t.test('returns the tombstone of a deleted event', async t => {
    const { event: left } = await alice.do('events.getOne', { id: gone.id })
    t.same(Object.keys(left), ['id', 'deleted', 'integrity'])
    t.equal(left.id, gone.id)
  })

  t.test('refuses unknown ids', async t => {
    t.match(await alice.call('events.getOne', { id: 'nope' }), {
      error: { id: 'unknown-resource' },
      status: 404
    })
  })

  t.test('refuses invalid params', async t => {
    for (const params of [{}, { id: 5 }, { id: event.id, includeHistory: 'x' }, { id: event.id, more: 1 }])
      t.match(await alice.call('events.getOne', params), { error: { id: 'invalid-parameters-format' } })
  })

  const cases: [permissions: Record<string, string>, isAllowed: boolean][] = [
    [{ diary: 'read' }, true],
    [{ work: 'contribute' }, true],
    [{ '*': 'read' }, true],
    [{ secret: 'manage' }, false],
    [{ diary: 'create-only' }, false],
    [{ diary: 'read', work: 'none' }, false],
    [{ diary: 'read', work: 'create-only' }, false]
  ]
  for (const [permissions, isAllowed] of cases)
    t.test(
      `is ${isAllowed ? 'open' : 'refused'} to accesses with ${JSON.stringify(permissions)}`,
      async t => {
        const client = await alice.grantAll(
          Object.entries(permissions).map(([streamId, level]) => ({ streamId, level: level as 'read' }))
        )
        const answer = await client.call('events.getOne', { id: event.id })
        if (isAllowed) t.same(answer.event, event)
        else t.match(answer, { error: { id: 'forbidden' }, status: 403 })
        // To a caller who may not see the deletion, the event does not exist.
        const deletion = await client.call('events.getOne', { id: gone.id })
        t.match(deletion, isAllowed ? { event: { id: gone.id } } : { error: { id: 'unknown-resource' } })
      }
    )
})
