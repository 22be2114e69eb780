/** Restoring an account with the backup tools of this API: they read everything and create it in another account. */
import t, { type Test } from 'tap'
import { computeEventIntegrity } from '../../core/integrity.js'
import type { Event } from '../../schemas/event.js'
import { coffer, type Answer, type Client } from '../support/coffer.js'

const everything = { state: 'all', fromTime: -1e12, toTime: 1e12, limit: 10_000, sortAscending: true }
const tracking = ['created', 'createdBy', 'modified', 'modifiedBy']

/** Fills an account with an example of everything that backups contain. Returns its events, oldest first. */
async function fill(client: Client): Promise<Event[]> {
  for (const [id, parentId] of [
    ['diary', null],
    ['walks', 'diary'],
    ['body', null]
  ] as const)
    await client.do('streams.create', { id, name: id, parentId, clientData: { 'app:colour': id } })
  const events: object[] = [
    { content: 'plain' },
    { streamIds: ['walks', 'body'], duration: 60, description: 'in two streams' },
    { duration: null, clientData: { 'app:x': { y: [1, null, 'z'] } } },
    { tags: ['red', 'Über allem'] },
    { type: 'mass/kg', content: '70.5' },
    { type: 'activity/plain', content: undefined },
    { content: 'in the bin', trashed: true },
    { type: 'series:mass/kg', content: undefined },
    { type: 'series:position/wgs84', content: undefined }
  ]
  for (const [index, event] of events.entries()) await client.event({ time: 1000 + index, ...event })
  for (let index = 0; index < 40; index++)
    await client.event({
      time: 5000 + index,
      content: `note ${index} – größer`,
      tags: index % 7 ? [] : ['red']
    })
  return (await client.do('events.get', everything)).events as Event[]
}

/** Returns all streams, parents first. */
function flat(streams: readonly Answer[]): Answer[] {
  return streams.flatMap(stream => [stream, ...flat(stream.children as Answer[])])
}

function without(item: object, names: readonly string[]): Answer {
  return Object.fromEntries(Object.entries(item).filter(([name]) => !names.includes(name)))
}

/** Fields that tools remove from what they have read before they send it. */
const tools: readonly [what: string, ofStreams: readonly string[], ofEvents: readonly string[]][] = [
  ['the published tools', [...tracking, 'children'], [...tracking, 'streamId', 'attachments']],
  ['a tool that sends all that may stay', ['children'], ['streamId']]
]

t.test('a backup', async t => {
  for (const [what, ofStreams, ofEvents] of tools)
    for (const how of ['in batches', 'one by one'] as const)
      t.test(`is restored by ${what}, ${how}`, async t => {
        const service = await coffer(t)
        const before = await fill(service.alice)
        const { streams } = await service.alice.do('streams.get', { state: 'all' })
        service.clock.advance(1000)
        const bob = await service.user('bob')
        await createAll(t, bob, how, 'streams', flat(streams).filter(isOwn), ofStreams)
        await createAll(t, bob, how, 'events', before, ofEvents)
        const { events } = await bob.do('events.get', everything)
        assertRestored(t, before, events, bob)
        t.match(
          flat((await bob.do('streams.get')).streams).find(({ id }) => id === 'walks'),
          {
            parentId: 'diary',
            clientData: { 'app:colour': 'walks' },
            createdBy: bob.access.id
          }
        )
      })

  t.test('of series is restored with its data points', async t => {
    const service = await coffer(t)
    const { alice } = service
    await alice.stream('diary')
    const { id, content } = await alice.event({ type: 'series:mass/kg', content: undefined, time: 1000 })
    const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 70], [60, 71]] } // oxfmt-ignore
    await alice.do('hfs.add', { id, ...points })
    await service.server.settle()
    const { event } = await alice.do('events.getOne', { id })
    t.equal(event.duration, 60)
    const bob = await service.user('bob')
    await bob.stream('diary')
    const again = await bob.do('events.create', without(event, ['streamId']))
    t.same(again.event.content, content)
    await bob.do('hfs.add', { id, ...points })
    t.match(await bob.do('hfs.get', { id }), points)
  })

  t.test('of files restores their properties besides their content', async t => {
    const service = await coffer(t)
    const { alice } = service
    await alice.stream('diary')
    const first = { streamIds: ['diary'], type: 'file/attached' }
    const { body: sent } = await alice.http('POST', '/events', form(first))
    const [attachment] = sent.event.attachments
    const bob = await service.user('bob')
    await bob.stream('diary')
    const { body, status } = await bob.http('POST', '/events', form(without(sent.event, ['streamId'])))
    t.equal(status, 201)
    t.match(body.event.attachments, [{ fileName: 'a.txt', integrity: attachment.integrity }])
    t.equal(body.event.attachments.length, 1, 'one file was sent')
    t.not(body.event.attachments[0].id, attachment.id)
    const refused = await bob.http('GET', `/events/${body.event.id}/${attachment.id}`)
    t.equal(refused.status, 404, 'what was only told of is not there')

    const { event } = await bob.do('events.create', { ...first, attachments: [attachment] })
    t.notOk('attachments' in event, 'without bytes there is no file')
  })
})

/** Returns whether a stream belongs to the user rather than to the service. */
function isOwn({ id }: Answer): boolean {
  return !/^[:.]/.test(id as string)
}

function form(event: object): FormData {
  const body = new FormData()
  body.append('event', JSON.stringify(event))
  body.append('file', new Blob(['some bytes'], { type: 'text/plain' }), 'a.txt')
  return body
}

async function createAll(
  t: Test,
  client: Client,
  how: 'in batches' | 'one by one',
  resource: 'streams' | 'events',
  items: readonly object[],
  names: readonly string[]
): Promise<void> {
  const calls = items.map(item => ({ method: `${resource}.create`, params: without(item, names) as object }))
  const results: Answer[] = []
  if (how === 'in batches') results.push(...(await client.do('callBatch', calls)).results)
  else
    for (const { params } of calls) {
      const { body } = await client.http('POST', `/${resource}`, params)
      results.push(body)
    }
  t.same(
    results.flatMap(({ error }, index) => (error ? [{ error, params: calls[index]!.params }] : [])),
    [],
    `all ${resource} are taken`
  )
}

/** Asserts that all is as it was, except for what the service sets, and that integrity values match. */
function assertRestored(
  t: Test,
  before: readonly Event[],
  after: readonly Event[],
  { access }: Client
): void {
  const own = [...tracking, 'integrity']
  t.same(
    after.map(event => without(event, own)),
    before.map(event => without(event, own))
  )
  const old = new Map(before.map(event => [event.id, event]))
  for (const { integrity, ...event } of after) {
    const { created, createdBy, modified, modifiedBy } = event
    const same = { ...old.get(event.id)!, created, createdBy, modified, modifiedBy }
    if (
      integrity !== computeEventIntegrity(event, 'sha256') ||
      integrity !== computeEventIntegrity(same, 'sha256')
    )
      t.fail('the integrity is another', event)
    if (createdBy !== access.id || modifiedBy !== access.id || created < old.get(event.id)!.created)
      t.fail('somebody else is said to have made it', event)
  }
}

t.test('fields that only the server sets', async t => {
  const { alice, clock } = await coffer(t)
  await alice.stream('diary')
  const claimed = { created: 1, createdBy: 'somebody', modified: 2, modifiedBy: 'somebody' }
  const mine = { createdBy: alice.access.id, modifiedBy: alice.access.id }

  t.test('are ignored in new events, whatever their values', async t => {
    const event = await alice.event({
      ...claimed,
      integrity: 'EVENT:0:sha256-of-something-else',
      attachments: [{ id: 'x', fileName: 'x', type: 'x/y', size: 1 }]
    })
    t.match(event, { ...mine, content: 'hello' })
    t.ok(event.created >= clock.now())
    t.equal(event.integrity, computeEventIntegrity(without(event, ['integrity']), 'sha256'))
    t.notOk('attachments' in event)
    await alice.event({ created: 'never', modifiedBy: { a: [] }, integrity: null, attachments: 'none' })
  })

  t.test('are ignored in new streams and accesses', async t => {
    const { stream } = await alice.do('streams.create', { id: 'x', name: 'x', ...claimed })
    t.match(stream, mine)
    t.ok(stream.created >= clock.now())
    const { access } = await alice.do('accesses.create', {
      name: 'x',
      permissions: [{ streamId: 'diary', level: 'read' }],
      ...claimed,
      integrity: 'ACCESS:0:sha256-x',
      lastUsed: 3,
      apiEndpoint: 'https://x@elsewhere.example/'
    })
    t.match(access, { ...mine, created: clock.now() })
    t.match(access.apiEndpoint, new RegExp(`//${access.token}@127`))
    t.not(access.integrity, 'ACCESS:0:sha256-x')
    t.notOk('lastUsed' in access)
  })

  t.test('are refused where they have a meaning', async t => {
    const access = { name: 'y', permissions: [{ streamId: 'diary', level: 'read' }] }
    const stream = { name: 'y' }
    const event = { streamIds: ['diary'], type: 'note/txt', content: '' }
    for (const [method, params] of [
      ['accesses.create', { ...access, deleted: null }],
      ['accesses.create', { ...access, expires: clock.now() + 1 }],
      ['streams.create', { ...stream, children: [] }],
      ['streams.create', { ...stream, singleActivity: true }],
      ['events.create', { ...event, deleted: 1 }],
      ['events.create', { ...event, headId: 'x' }]
    ] as const)
      t.match(await alice.call(method, params), { error: { id: 'invalid-parameters-format' } }, method)
    t.match(await alice.call('events.create', { ...event, streamId: 'diary' }), {
      error: { id: 'invalid-operation' }
    })
  })
})

t.test('tags sent together with their streams', async t => {
  const service = await coffer(t)
  const { alice } = service
  await alice.stream('diary')
  const event = await alice.event({ tags: ['red', 'no slug'] })
  const bob = await service.user('bob')
  await bob.stream('diary')

  t.test('need no existing streams', async t => {
    const { event: again } = await bob.do('events.create', without(event, ['streamId']))
    t.same([again.streamIds, again.tags], [event.streamIds, event.tags])
    t.equal((await bob.do('events.get', { tags: ['no slug'] })).events.length, 1)
  })

  t.test('do not grant access to streams that do not exist', async t => {
    for (const streamIds of [['diary', 'tag-migrated-blue'], ['tag-migrated-red-too']])
      t.match(await bob.call('events.create', { streamIds, tags: ['red'], type: 'note/txt', content: '' }), {
        error: { id: 'unknown-referenced-resource' }
      })
  })

  t.test('do not bypass permissions', async t => {
    const reader = await alice.grant('read', 'diary')
    for (const streamIds of [['tag-migrated-new'], ['diary', 'tag-migrated-new']])
      t.ok(
        (await reader.call('events.create', { streamIds, tags: ['new'], type: 'note/txt', content: '' }))
          .error
      )
    t.equal((await alice.do('events.get', { tags: ['new'] })).events.length, 0)
  })
})
