/** Unchanged responses are not sent again, and tags reveal no changes that the caller may not see. */
import t, { type Test } from 'tap'
import { coffer, openCoffer, type Answer, type Client, type Service } from '../../../support/coffer.js'
import { Random } from '../../../support/random.js'

interface Got {
  readonly status: number
  readonly tag: string
  /** Without `meta`, which differs each time. */
  readonly body: string
  readonly headers: Headers
}

async function get(client: Client, path: string, known?: string): Promise<Got> {
  // Only scripts of pages need permission to see tags.
  const origin = 'https://app.example'
  const { body, headers, status } = await client.http(
    'GET',
    path,
    undefined,
    known ? { 'if-none-match': known, origin } : { origin }
  )
  const { meta: _, ...rest } = Object(body) as { meta?: object }
  return { status, tag: headers.get('etag') ?? '', body: body === '' ? '' : JSON.stringify(rest), headers }
}

const paths = ['/events', '/events?limit=5&streams=diary', '/streams', '/service/info']

t.test('a response', async t => {
  const service = await coffer(t)
  const { alice } = service
  await alice.stream('diary')
  await alice.event()

  for (const path of paths)
    t.test(`to ${path} has a weak tag, with which it is not sent again`, async t => {
      const first = await get(alice, path)
      t.equal(first.status, 200)
      t.match(first.tag, /^W\/"[0-9a-z.-]+"$/)
      t.equal(first.headers.get('cache-control'), 'no-store', 'nobody else is to keep it')
      t.equal(
        first.headers.get('access-control-expose-headers'),
        'API-Version, Access-Id, Retry-After, ETag, Location, WWW-Authenticate, DPoP-Nonce, Content-Disposition, Content-Range, Accept-Ranges, Digest'
      )
      for (const known of [first.tag, first.tag.slice(2), `"x", ${first.tag} , W/"y"`]) {
        const again = await get(alice, path, known)
        t.match(again, { status: 304, tag: first.tag, body: '' })
        t.match(again.headers.get('api-version'), /^\d/)
        t.equal(again.headers.get('access-id'), path === '/service/info' ? null : alice.access.id)
        t.equal(again.headers.get('content-type'), null)
      }
      for (const unknown of ['W/"other"', '"', '*', first.tag.slice(0, -2), `x${first.tag.slice(3, -1)}x`])
        t.match(await get(alice, path, unknown), { status: 200, body: first.body }, unknown)
      const head = await alice.http('HEAD', path, undefined, { 'if-none-match': first.tag })
      t.equal(head.status, 304)
      const { headers } = await alice.http('GET', path)
      t.equal(
        headers.get('access-control-expose-headers'),
        'API-Version, Access-Id, Retry-After, ETag, Location, WWW-Authenticate, DPoP-Nonce, Content-Disposition, Content-Range, Accept-Ranges, Digest'
      )
    })

  t.test('has a different tag for other params, accesses, users and methods', async t => {
    const reader = await alice.grant('read', 'diary')
    const bob = await service.user('bob')
    const all = await Promise.all([
      ...['/events', '/events?limit=5', '/events?limit=6', '/streams', '/streams?state=all'].map(path =>
        get(alice, path)
      ),
      get(reader, '/events'),
      get(reader, '/streams'),
      get(bob, '/events')
    ])
    t.equal(new Set(all.map(({ tag }) => tag)).size, all.length)
    for (const { tag } of all.slice(1)) t.equal((await get(alice, '/events', tag)).status, 200)
  })

  t.test('has no tag if the result depends on the time, or if it is an error', async t => {
    for (const path of [
      '/events?fromTime=0',
      '/events?streams=:_audit:',
      '/streams?parentId=:_audit:',
      '/events?streams=unknown',
      '/events?limit=x',
      '/access-info',
      '/accesses'
    ])
      t.equal((await get(alice, path)).tag, '', path)
  })

  t.test('is still refused without permission, even with a valid tag', async t => {
    const { tag } = await get(alice, '/events?streams=diary')
    const other = await alice.grant('read', 'work', { expireAfter: 10 })
    t.equal((await get(other, '/events?streams=diary', tag)).status, 403)
    const own = await get(other, '/events')
    t.equal((await get(other, '/events', own.tag)).status, 304)
    for (const [headers, status] of [
      [{}, 401],
      [{ authorization: 'nobody' }, 401]
    ] as const)
      t.equal(
        (
          await service.http('GET', '/alice/events?streams=diary', undefined, {
            ...headers,
            'if-none-match': tag
          })
        ).status,
        status
      )
    service.clock.advance(11)
    t.equal((await get(other, '/events', own.tag)).status, 401, 'expired')
    const gone = await alice.grant('read', 'diary')
    const before = await get(gone, '/events')
    await alice.do('accesses.delete', { id: gone.access.id })
    t.equal((await get(gone, '/events', before.tag)).status, 401, 'revoked')
  })

  t.test('that was not sent again is still recorded and counted', async t => {
    const { tag } = await get(alice, '/events')
    const calls = async (): Promise<number> => (await alice.do('getAccessInfo')).calls['events.get']
    const records = async (): Promise<number> =>
      (await alice.do('events.get', { streams: [':_audit:action-events.get'], limit: 10_000 })).events.length
    const [counted, recorded] = [await calls(), await records()]
    t.equal((await get(alice, '/events', tag)).status, 304)
    t.equal(await calls(), counted + 2)
    t.equal(await records(), recorded + 2)
  })

  t.test('is always sent in batches and by methods that write', async t => {
    const { tag } = await get(alice, '/events')
    const headers = { 'if-none-match': tag }
    const { body } = await alice.http('POST', '/', [{ method: 'events.get', params: {} }], headers)
    t.ok(body.results[0].events)
    t.equal((await alice.http('POST', '/streams', { name: 'x' }, headers)).status, 201)
  })
})

t.test('a tag changes with', async t => {
  const service = await openCoffer(t, { deletions: { retention: 1000 } })
  const { clock, server } = service
  // With a field that counts the storage used.
  const alice = await service.user('carol', { email: 'carol@example.com' })
  await alice.stream('diary')
  await alice.stream('walks', 'diary')
  const reader = await alice.grantAll([
    { streamId: 'diary', level: 'read' },
    { streamId: ':_system:account', level: 'read' }
  ])
  const { id } = await alice.event()
  const since = '?modifiedSince=0&includeDeletions=true&limit=100'
  const asked = [`/events${since}`, '/streams?includeDeletionsSince=0', '/events?tags=red']

  const steps: readonly [what: string, step: () => Promise<unknown>][] = [
    ['a new event', () => alice.event()],
    ['a changed one', () => alice.do('events.update', { id, update: { content: 'other' } })],
    ['one in a stream below', () => alice.event({ streamIds: ['walks'] })],
    ['one in the trash', () => alice.do('events.delete', { id })],
    ['one that is deleted', () => alice.do('events.delete', { id })],
    ['a tag', () => alice.event({ tags: ['red'] })],
    ['a new stream', () => alice.stream('runs', 'diary')],
    ['a renamed one', () => alice.do('streams.update', { id: 'runs', update: { name: 'other' } })],
    ['one in the trash', () => alice.do('streams.delete', { id: 'walks' })],
    ['one that is deleted', () => alice.do('streams.delete', { id: 'walks', mergeEventsWithParent: true })],
    [
      'a batch',
      () => alice.do('callBatch', [{ method: 'streams.create', params: { name: 'b', parentId: 'diary' } }])
    ],
    ['an account value', () => alice.do('account.update', { update: { language: 'fr' } })],
    [
      'points of a series, within a second',
      async () => {
        const series = await alice.event({ type: 'series:mass/kg', content: undefined })
        const points = [[5, 1]]
        await alice.do('hfs.add', {
          id: series.id,
          format: 'flatJSON',
          fields: ['deltaTime', 'value'],
          points
        })
        await server.settle()
      }
    ],
    [
      'records of deletions that are cleaned up',
      async () => {
        clock.advance(2000)
        await cleanUp(service)
      }
    ]
  ]
  for (const [what, step] of steps)
    t.test(what, async t => {
      const before = await Promise.all(
        [alice, reader].flatMap(client => asked.map(path => get(client, path)))
      )
      await step()
      const after = await Promise.all([alice, reader].flatMap(client => asked.map(path => get(client, path))))
      const isOther = after.map(({ body }, index) => body !== before[index]!.body)
      t.ok(isOther.includes(true), 'something has changed')
      for (const [index, changed] of isOther.entries())
        if (changed) t.not(after[index]!.tag, before[index]!.tag, `${asked[index % asked.length]}`)
    })
})

async function cleanUp({ server }: Service): Promise<void> {
  const { removeExpired } = await import('../../../../core/platform/retention.js')
  t.ok(
    (await removeExpired(server.services, server.services.accounts.find('carol')!, { kind: 'deletions' })) > 0
  )
}

t.test('a tag reveals nothing that its caller may not see', async t => {
  const service = await coffer(t)
  const { alice } = service
  for (const id of ['diary', 'secret']) await alice.stream(id)
  const reader = await alice.grant('read', 'diary')
  const before = await Promise.all(['/events', '/streams'].map(path => get(reader, path)))
  const { id } = await alice.event({ streamIds: ['secret'] })
  await alice.do('events.update', { id, update: { content: 'x' } })
  await alice.stream('below', 'secret')
  await alice.grant('read', 'secret')
  await alice.do('account.update', { update: { language: 'fr' } })
  await alice.do('profile.updatePrivate', { update: { a: 1 } })
  await alice.call('events.create', { streamIds: ['nowhere'] })
  for (const [index, path] of ['/events', '/streams'].entries())
    t.match(await get(reader, path, before[index]!.tag), { status: 304 }, path)
  await alice.event()
  t.equal((await get(reader, '/events', before[0]!.tag)).status, 200)
})

t.test('a tag depends on the storage used only for callers who may read that', async t => {
  const service = await coffer(t)
  const alice = await service.user('carol', { email: 'carol@example.com' })
  await alice.stream('secret')
  const [blind, some, seeing] = await Promise.all(
    [[':system:email'], [':system:email', ':_system:attachedFiles'], [':_system:storageUsed']].map(
      async ids =>
        await alice.grantAll(
          ids.map(streamId => ({ streamId, level: 'read' })),
          { type: 'app' }
        )
    )
  )
  const tags = async (): Promise<string[]> =>
    await Promise.all([blind!, some!, seeing!].map(async client => (await get(client, '/events')).tag))
  const before = await tags()
  await alice.event({ streamIds: ['secret'], content: 'x'.repeat(1000) })
  const after = await tags()
  t.same(
    after.map((tag, index) => tag === before[index]),
    [true, true, false]
  )
})

t.test('a tag changes when another stream of an event hides or reveals it', async t => {
  const { alice } = await coffer(t)
  for (const id of ['diary', 'body', 'secret']) await alice.stream(id)
  const reader = await alice.grantAll([
    { streamId: 'diary', level: 'read' },
    { streamId: 'secret', level: 'none' }
  ])
  await alice.event({ streamIds: ['diary', 'body'] })
  for (const parentId of ['secret', null]) {
    const { tag } = await get(reader, '/events')
    await alice.do('streams.update', { id: 'body', update: { parentId } })
    t.match(await get(reader, '/events', tag), { status: 200 }, `below ${parentId}`)
  }
})

t.test('a tag changes when the record of a hidden deletion expires', async t => {
  const { alice } = await coffer(t)
  for (const id of ['diary', 'secret']) await alice.stream(id)
  await alice.stream('below', 'diary')
  const [reader, former] = [await alice.grant('read', 'diary'), await alice.grant('read', 'below')]
  for (const _ of ['trash', 'delete']) await alice.do('streams.delete', { id: 'below' })
  const path = '/streams?includeDeletionsSince=0'
  const before = await Promise.all([reader, former].map(client => get(client, path)))
  await alice.stream('below', 'secret')
  for (const [index, client] of [reader, former].entries()) {
    const { body, status } = await get(client, path, before[index]!.tag)
    t.equal(status, 200)
    t.not(body, before[index]!.body)
  }
  t.equal((await get(reader, '/streams', (await get(reader, '/streams')).tag)).status, 304)
})

t.test('equal tags imply equal responses, after any changes', async t => {
  const seed = Number(
    process.env['COFFER_TEST_SEED'] ?? (process.env['COFFER_TEST_LONG'] ? Date.now() % 1e9 : 7)
  )
  t.comment(`seed ${seed}`)
  await happen(t, new Random(seed), process.env['COFFER_TEST_LONG'] ? 1500 : 150)
})

async function happen(t: Test, random: Random, steps: number): Promise<void> {
  const service = await coffer(t)
  const { clock } = service
  const alice = await service.user('carol', { email: 'carol@example.com' })
  const streams = ['diary', 'walks', 'body', 'secret']
  await alice.stream('diary')
  await alice.stream('walks', 'diary')
  for (const id of ['body', 'secret']) await alice.stream(id)
  const clients = [
    alice,
    await alice.grant('read', 'diary'),
    await alice.grantAll(
      [
        { streamId: '*', level: 'manage' },
        { streamId: 'secret', level: 'none' }
      ],
      { type: 'app' }
    ),
    await alice.grantAll([
      { streamId: 'body', level: 'contribute' },
      { streamId: ':_system:account', level: 'read' }
    ]),
    await alice.grantAll([
      { streamId: 'body', level: 'read' },
      { streamId: 'secret', level: 'none' },
      { streamId: 'walks', level: 'create-only' }
    ])
  ]
  const queries = [
    '/events',
    '/events?limit=3&sortAscending=true',
    '/events?toTime=9999999999&fromTime=0&state=all',
    '/events?modifiedSince=0&includeDeletions=true&limit=50',
    '/events?types=mass/kg&running=true',
    '/streams',
    '/streams?state=all&includeDeletionsSince=0'
  ]
  const events: string[] = []
  const acts: readonly (() => Promise<unknown>)[] = [
    async () => {
      const streamIds = [...new Set(random.some(streams, 2))]
      const { event } = await alice.call('events.create', {
        streamIds,
        type: random.pick(['note/txt', 'mass/kg']),
        content: '1',
        time: random.below(1000),
        duration: random.pick([0, 5, null]),
        tags: random.chance(0.1) ? ['red'] : []
      })
      if (event) events.push(event.id as string)
    },
    () =>
      alice.call('events.update', { id: random.pick(events), update: { streamIds: [random.pick(streams)] } }),
    () => alice.call('events.update', { id: random.pick(events), update: { trashed: random.chance(0.5) } }),
    () => alice.call('events.delete', { id: random.pick(events) }),
    () => alice.call('streams.update', { id: random.pick(streams), update: { trashed: random.chance(0.3) } }),
    () =>
      alice.call('streams.update', {
        id: random.pick(streams),
        update: { parentId: random.pick([null, ...streams]) }
      }),
    () => alice.call('streams.create', { name: `s${random.below(20)}`, parentId: random.pick(streams) }),
    () =>
      alice.call('streams.create', {
        id: random.pick(streams),
        name: `t${random.below(20)}`,
        parentId: random.pick([null, ...streams])
      }),
    () =>
      alice.call('streams.delete', {
        id: random.pick(['walks', 'body', 'secret']),
        mergeEventsWithParent: random.chance(0.5)
      }),
    () => alice.call('account.update', { update: { language: random.pick(['fr', 'de', 'en']) } }),
    async () => clock.advance(random.below(100))
  ]
  const bodies = new Map<string, string>()
  let unchanged = 0
  await acts[0]!()
  for (let step = 0; step < steps; step++) {
    if (random.chance(0.4)) await random.pick(acts)()
    const client = random.pick(clients)
    const path = random.pick(queries)
    const { body, tag } = await get(client, path)
    const key = `${client.access.id} ${path} ${tag}`
    if (bodies.has(key)) unchanged++
    if ((bodies.get(key) ?? body) !== body) {
      t.same(JSON.parse(body), JSON.parse(bodies.get(key)!), `${path} has changed, its tag has not`)
      return
    }
    bodies.set(key, body)
    const again: Answer = await get(client, path, tag)
    if (again.status !== 304) return void t.fail(`${path} is sent again`)
  }
  t.ok(unchanged > steps / 20, `${unchanged} of ${steps} had not changed`)
}
