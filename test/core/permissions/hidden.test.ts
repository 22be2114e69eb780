/** Hidden obstacles: errors, responses and side effects reveal only that something hidden prevents a call. */
import t, { type Test } from 'tap'
import type { Level, Permission } from '../../../schemas/permission.js'
import type { CustomStream } from '../../../core/settings/custom-streams.js'
import { ManualClock } from '../../../core/time.js'
import { startServer } from '../../../server/server.js'
import {
  coffer,
  methodModules,
  openCoffer,
  Service,
  testSettings,
  type Answer,
  type Client
} from '../../support/coffer.js'
import { Random } from '../../support/random.js'

const forbidden = { status: 403, error: { id: 'forbidden' } }

function permissionsOf(levels: Readonly<Record<string, Level>>): Permission[] {
  return Object.entries(levels).map(([streamId, level]) => ({ streamId, level }))
}

/** Returns all data, to verify that nothing has changed. */
async function everything(alice: Client): Promise<Answer> {
  const { streams } = await alice.do('streams.get', { state: 'all' })
  const { events } = await alice.do('events.get', { state: 'all', limit: 1000, modifiedSince: 0 })
  return { streams, events }
}

t.test('a stream with events hidden by another of their streams', async t => {
  t.test('cannot be deleted by an access that does not see them', async t => {
    for (const level of ['none', 'create-only'] as const) {
      const { alice } = await coffer(t)
      for (const [id, parentId] of [
        ['a', null],
        ['mid', 'a'],
        ['low', 'mid'],
        ['secret', null]
      ] as const)
        await alice.stream(id, parentId)
      const app = await alice.grantAll(permissionsOf({ a: 'manage', secret: level }), { type: 'app' })
      const hidden = await alice.event({ streamIds: ['low', 'secret'], content: 'hidden' })
      await alice.do('events.delete', { id: hidden.id })
      await app.do('streams.delete', { id: 'mid' })
      const before = await everything(alice)
      const answers: Answer[] = []
      for (const params of [{}, { mergeEventsWithParent: true }, { mergeEventsWithParent: false }]) {
        const answer = await app.call('streams.delete', { id: 'mid', ...params })
        t.match(answer, forbidden, JSON.stringify(params))
        answers.push(answer.error)
      }
      await alice.do('events.update', { id: hidden.id, update: { streamIds: ['secret'] } })
      await alice.do('streams.create', { id: 'shut', name: 'shut', parentId: 'a' })
      const shut = await alice.grantAll(permissionsOf({ a: 'manage', shut: 'none' }))
      await alice.do('streams.update', { id: 'a', update: { trashed: true } })
      answers.push((await shut.call('streams.delete', { id: 'a' })).error)
      await alice.do('streams.update', { id: 'a', update: { trashed: false } })
      await alice.do('streams.delete', { id: 'shut' })
      await alice.do('streams.delete', { id: 'shut' })
      t.equal(new Set(answers.map(error => JSON.stringify(error))).size, 1, 'as by a level that is narrower')
      const [refusal] = answers
      t.match(refusal, { data: { code: 'hidden-contents' }, message: /cannot see and manage everything/ })
      t.notMatch(JSON.stringify(refusal), /\b(?:events?|secret|low)\b/)
      t.not(before.events.length, 0)
      t.match(await app.call('streams.delete', { id: 'mid' }), { updatedEvents: [], streamDeletion: {} })
    }
  })

  t.test('can be deleted if only other accesses do not see them, or by its owner', async t => {
    const { alice } = await coffer(t)
    for (const id of ['a', 'b', 'secret']) await alice.stream(id)
    const app = await alice.grantAll(permissionsOf({ a: 'manage', secret: 'none' }), { type: 'app' })
    const open = await alice.event({ streamIds: ['a', 'b'] })
    await alice.event({ streamIds: ['b', 'secret'] })
    await app.do('streams.delete', { id: 'a' })
    t.match(await app.call('streams.delete', { id: 'a' }), { error: { id: 'invalid-parameters-format' } })
    t.same((await app.do('streams.delete', { id: 'a', mergeEventsWithParent: false })).updatedEvents, [
      { id: open.id, action: 'updatedStreamIds' }
    ])
  })

  t.test('is recognised among thousands of events', async t => {
    const { alice, server } = await openCoffer(t)
    for (const [id, parentId] of [
      ['a', null],
      ['mid', 'a'],
      ['secret', null]
    ] as const)
      await alice.stream(id, parentId)
    const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
    const random = new Random(1)
    await store.write(() => {
      for (let n = 0; n < 6000; n++) {
        const streamIds = n === 3210 ? ['mid', 'secret'] : random.chance(0.5) ? ['mid'] : ['secret']
        const event = { id: `c${String(n).padStart(24, '0')}`, streamIds, streamId: streamIds[0]!, time: n }
        const by = { created: 1, createdBy: 'system', modified: 1 + n, modifiedBy: 'system' }
        store.events.insert({ ...event, type: 'note/txt', content: n, ...by })
      }
    })
    const app = await alice.grantAll(permissionsOf({ a: 'manage', secret: 'none' }), { type: 'app' })
    await app.do('streams.delete', { id: 'mid' })
    const params = { id: 'mid', mergeEventsWithParent: true }
    t.match(await app.call('streams.delete', params), forbidden)
    await alice.do('events.update', { id: `c${'3210'.padStart(24, '0')}`, update: { streamIds: ['mid'] } })
    t.ok((await app.do('streams.delete', params)).updatedEvents.length > 2000)
  })
})

t.test('a hidden parent', async t => {
  const { alice } = await coffer(t)
  for (const [id, parentId] of [
    ['hidden', null],
    ['mine', 'hidden'],
    ['low', 'mine']
  ] as const)
    await alice.stream(id, parentId)
  const app = await alice.grant('manage', 'mine', { type: 'app' })

  t.test('is not named in responses about the stream', async t => {
    for (const [method, params] of [
      ['streams.update', { id: 'mine', update: { name: 'Mine' } }],
      ['streams.update', { id: 'mine', update: { clientData: { a: 1 } } }],
      ['streams.delete', { id: 'mine' }],
      ['streams.update', { id: 'mine', update: { trashed: false } }]
    ] as const) {
      const answer = await app.do(method, params)
      t.equal(answer.stream.parentId, null, `${method} ${JSON.stringify(params)}`)
      t.notMatch(JSON.stringify(answer), /hidden/)
    }
    t.equal((await app.do('streams.update', { id: 'low', update: { name: 'x' } })).stream.parentId, 'mine')
    t.equal((await alice.do('streams.update', { id: 'mine', update: {} })).stream.parentId, 'hidden')
  })

  t.test('is not distinguished from a hidden substream', async t => {
    await alice.stream('shut', 'mine')
    const other = await alice.grantAll(permissionsOf({ mine: 'manage', shut: 'none' }))
    for (const parentId of ['shut', 'hidden'])
      t.match(await other.call('streams.update', { id: 'mine', update: { parentId } }), forbidden, parentId)
    await alice.do('streams.delete', { id: 'shut' })
    await alice.do('streams.delete', { id: 'shut' })
  })

  t.test('does not reveal what is in the trash', async t => {
    await alice.stream('elsewhere')
    await alice.stream('bin')
    await alice.stream('in-bin', 'bin')
    const event = await alice.event({ streamIds: ['mine'] })
    const holder = await alice.event({ streamIds: ['elsewhere'], type: 'series:mass/kg', content: null })
    const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 1]] }
    const answers = async (id: string): Promise<Answer[]> => {
      const calls: [string, object][] = [
        ['events.create', { streamIds: [id], type: 'note/txt', content: '' }],
        ['events.create', { streamIds: ['mine', id], type: 'note/txt', content: '' }],
        ['events.create', { streamIds: ['mine', id], type: 'note/txt', content: '', tags: ['x'] }],
        ['events.update', { id: event.id, update: { streamIds: ['mine', id] } }],
        ['events.update', { id: event.id, update: { streamIds: [id], tags: ['x'] } }],
        ['streams.create', { name: 'x', parentId: id }],
        ['streams.update', { id: 'low', update: { parentId: id } }],
        ['streams.update', { id, update: { trashed: true } }],
        ['streams.delete', { id }],
        ['hfs.add', { id: holder.id, ...points }]
      ]
      const made: Answer[] = []
      for (const [method, params] of calls) made.push((await app.call(method, params)).error)
      return made
    }
    const live = await answers('elsewhere')
    t.same(
      live.map(error => error?.id),
      live.map(() => 'forbidden')
    )
    await alice.do('streams.update', { id: 'elsewhere', update: { trashed: true } })
    await alice.do('events.delete', { id: holder.id })
    t.same(await answers('elsewhere'), live)
    await alice.do('streams.update', { id: 'bin', update: { trashed: true } })
    t.same((await answers('in-bin')).slice(0, -1), live.slice(0, -1))
  })
})

t.test('a holder event hidden by another of its streams', async t => {
  const { alice } = await coffer(t)
  for (const id of ['a', 'b', 'secret']) await alice.stream(id)
  const holderOf = async (...streamIds: string[]): Promise<string> =>
    (await alice.event({ streamIds, type: 'series:mass/kg', content: null })).id
  const hidden = await holderOf('a', 'secret')
  const open = await holderOf('a', 'b')
  const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 1]] }
  for (const [levels, isOpen] of [
    [{ a: 'manage', secret: 'none' }, true],
    [{ a: 'create-only', secret: 'none' }, true],
    [{ '*': 'contribute', secret: 'none' }, true],
    [{ a: 'contribute', secret: 'none', b: 'none' }, false],
    [{ a: 'contribute', secret: 'none', b: 'create-only' }, true],
    [{ a: 'read', secret: 'none' }, false]
  ] as const) {
    const app = await alice.grantAll(permissionsOf(levels), { type: 'app' })
    const what = JSON.stringify(levels)
    const batchOf = (...ids: string[]): object => ({
      format: 'seriesBatch',
      data: ids.map(eventId => ({ eventId, data: points }))
    })
    t.match(await app.call('hfs.add', { id: hidden, ...points }), forbidden, what)
    t.match(await app.call('hfs.addBatch', batchOf(open, hidden)), forbidden, what)
    t.equal((await app.call('hfs.add', { id: open, ...points })).error?.id, isOpen ? undefined : 'forbidden')
    t.equal((await app.call('hfs.addBatch', batchOf(open))).error?.id, isOpen ? undefined : 'forbidden')
  }
  t.same((await alice.do('hfs.get', { id: hidden })).points, [])
})

t.test('an access of the same name', async t => {
  t.test('can be replaced only by accesses that could delete it', async t => {
    const { alice, clock } = await coffer(t)
    await alice.stream('diary')
    const apps = await Promise.all(
      [0, 1].map(() => alice.grant('manage', 'diary', { type: 'app', expireAfter: 1000 }))
    )
    const params = { name: 'doctor', permissions: permissionsOf({ diary: 'read' }), expireAfter: 10 }
    const { access: first } = await apps[0]!.do('accesses.create', params)
    clock.advance(20)
    t.match(await apps[1]!.call('accesses.create', params), {
      status: 409,
      error: { id: 'item-already-exists', data: { name: 'doctor' } }
    })
    const { accesses } = await alice.do('accesses.get', { includeExpired: true })
    t.ok(
      accesses.some(({ id }: Answer) => id === first.id),
      'it is left'
    )
    const { access: second } = await apps[0]!.do('accesses.create', params)
    clock.advance(20)
    t.ok((await alice.do('accesses.create', params)).access)
    clock.advance(20)
    t.match(await apps[0]!.call('accesses.create', params), { status: 409 }, 'nor the one of the owner')
    const { accessDeletions } = await alice.do('accesses.get', { includeDeletions: true })
    t.same(accessDeletions.map(({ id }: Answer) => id).toSorted(), [first.id, second.id].toSorted())
  })
})

t.test('a token', async t => {
  t.test('cannot be guessed by creating an access with the same token', async t => {
    const service = await coffer(t, { throttle: { invalidTokens: 5 } })
    const { alice } = service
    await alice.stream('diary')
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    const { token } = await alice.grant('read', 'diary', { token: 'a-rather-long-token' })
    const permissions = permissionsOf({ diary: 'read' })
    const ask = async (guess: string, n: number): Promise<Answer> =>
      await service.call(
        'alice',
        'accesses.create',
        { name: `guess ${n}`, permissions, token: guess },
        app.token,
        { ip: '203.0.113.5' }
      )
    for (let n = 0; n < 5; n++) t.match(await ask(token, n), { status: 409 })
    t.match(await ask(token, 6), { status: 429, error: { id: 'too-many-requests' } })
    t.match(
      await service.call('alice', 'events.get', {}, 'no-such-token', { ip: '203.0.113.5' }),
      { status: 429 },
      'as many wrong ones'
    )
    t.ok((await ask('another-long-token', 7)).access, 'one that is free is given all the same')
  })

  t.test('chosen by an app has a minimum length', async t => {
    const { alice } = await coffer(t)
    await alice.stream('diary')
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    const permissions = permissionsOf({ diary: 'read' })
    const create = async (client: Client, token: string): Promise<Answer> =>
      await client.call('accesses.create', { name: token, permissions, token })
    for (const token of ['x', 'doctor', 'fifteen-chars--', 'b l a n k s   ! ! ! ! ! !'])
      t.match(await create(app, token), {
        status: 400,
        error: { id: 'invalid-parameters-format', data: [{ param: 'token' }] }
      })
    for (const token of ['sixteen-chars---', 'pas encodé de bleu!'])
      t.ok((await create(app, token)).access, token)
    t.ok((await create(alice, 'x')).access, 'the owner may choose any')
  })
})

t.test('a custom stream removed from the settings', async t => {
  const other = [
    { id: 'news', type: 'none/none' },
    { id: 'other', type: 'none/none' }
  ]
  const { directory, ...grown } = await withNews(t, other)
  const first = await serve(t, directory, other.slice(1))
  const { alice, both, holder, only } = grown
  const call = async (client: Client, method: string, params: object = {}): Promise<Answer> =>
    await first.call('alice', method, params, client.token)
  const ask = { fromTime: -1e300, toTime: 1e300, state: 'all' }
  const ids = async (client: Client, query: object = {}): Promise<string[]> =>
    (await call(client, 'events.get', { ...ask, ...query })).events.map(({ id }: Answer) => id)

  await t.test('hides its events from everyone but their owner', async t => {
    t.same((await ids(alice)).toSorted(), [both, grown.open, holder, only].toSorted())
    for (const client of [grown.everywhere, grown.diary, grown.shut]) {
      t.same(await ids(client), [grown.open])
      for (const query of ['diary', { any: ['*'] }, { any: ['diary'], not: [':system:other'] }])
        t.same(await ids(client, { streams: query }), [grown.open], JSON.stringify(query))
      for (const id of [both, holder, only]) t.match(await call(client, 'events.getOne', { id }), forbidden)
      t.match(await call(client, 'hfs.get', { id: holder }), forbidden)
      const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[1, 1]] }
      t.match(await call(client, 'hfs.add', { id: holder, ...points }), forbidden)
    }
    for (const id of [both, holder, only])
      t.notOk((await call(alice, 'events.getOne', { id, includeHistory: true })).error)
    t.notOk((await call(alice, 'hfs.get', { id: holder })).error)
  })

  await t.test('keeps them, with their files, readable for their owner', async t => {
    const path = `/alice/events/${only}/${grown.fileId}`
    const got = async ({ token }: Client): Promise<unknown> =>
      (await first.http('GET', path, undefined, { authorization: token })).body
    t.equal(await got(alice), 'x')
    for (const client of [grown.everywhere, grown.diary])
      t.match(await got(client), { error: forbidden.error })
  })
  await t.test('lets their owner delete them, and the streams that they are also in', async t => {
    await call(alice, 'events.update', { id: grown.open, update: { description: 'x' } })
    for (const id of [only, both])
      for (const answer of [{ event: { trashed: true } }, { eventDeletion: { id } }])
        t.match(await call(alice, 'events.delete', { id }), answer)
    await call(alice, 'streams.delete', { id: 'diary' })
    t.match(await call(alice, 'streams.delete', { id: 'diary', mergeEventsWithParent: false }), {
      updatedEvents: [
        { id: grown.open, action: 'deleted' },
        { id: holder, action: 'updatedStreamIds' }
      ]
    })
  })
  await first.server.close()

  await t.test('is restored when it is added to the settings again', async t => {
    const again = await serve(t, directory, other)
    const { events } = await again.call('alice', 'events.get', ask, grown.everywhere.token)
    t.match(events, [{ id: holder, streamIds: [':system:news'] }])
    await again.server.close()
  })
})

/** Starts a service with custom streams. */
async function serve(_t: Test, directory: string, other: readonly CustomStream[]): Promise<Service> {
  const clock = new ManualClock()
  const settings = testSettings(directory, { workers: 0, custom: { systemStreams: { other: [...other] } } })
  return new Service(await startServer(settings, { clock, methodModules }), clock, directory)
}

/** Creates events in a custom stream, in a user's stream, and in both. */
async function withNews(t: Test, other: readonly CustomStream[]) {
  const directory = t.testdir()
  const service = await serve(t, directory, other)
  const alice = await service.user('alice')
  await alice.stream('diary')
  const everywhere = await alice.grant('manage', '*', { type: 'app' })
  const diary = await alice.grant('contribute', 'diary', { type: 'app' })
  const shut = await alice.grantAll(permissionsOf({ diary: 'manage', ':system:news': 'none' }), {
    type: 'app'
  })
  const open = (await alice.event()).id as string
  const only = (await alice.event({ streamIds: [':system:news'] })).id as string
  const form = new FormData()
  form.append('file', new Blob(['x']), 'x.txt')
  const { body } = await alice.http('POST', `/events/${only}`, form)
  const fileId = body.event.attachments[0].id as string
  const both = (await alice.event({ streamIds: ['diary', ':system:news'] })).id as string
  const series = { streamIds: ['diary', ':system:news'], type: 'series:mass/kg', content: undefined }
  const holder = (await alice.event(series)).id as string
  await service.server.close()
  return { directory, alice, everywhere, diary, shut, open, only, fileId, both, holder }
}
