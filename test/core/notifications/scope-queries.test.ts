/**
 * Scopes select changes as `events.get` selects events: random events, updates, moves and deletions, and after each call
 * the notified keys, compared with what the same queries list before and after it.
 */
import t from 'tap'
import { coffer, type Client } from '../../support/coffer.js'
import { seeded } from '../../support/random.js'
import { socketOf, type TestSocket } from '../../support/socket.js'

t.setTimeout(600_000)

const random = seeded(t)

const parents: Record<string, string | null> = {
  a: null,
  a1: 'a',
  a2: 'a',
  a11: 'a1',
  b: null,
  b1: 'b',
  hidden: 'b',
  drop: null
}
const streams = Object.keys(parents)
const types = ['note/txt', 'mass/kg', 'mass/g', 'blood-pressure/mmhg-bpm', 'own/any']

type Query = Record<string, unknown>

/** Returns a random query, in any form. */
function createQuery(readable: readonly string[]): Query {
  const id = (): string => random.pick(readable) + (random.chance(0.2) ? '!' : '')
  const ids = (most: number): string[] => Array.from({ length: 1 + random.below(most) }, id)
  const anyId = (): string => random.pick(streams) + (random.chance(0.2) ? '!' : '')
  const criteria = (): object => {
    const isAll = random.chance(0.2)
    return {
      any: isAll ? ['*'] : ids(3),
      ...(!isAll && random.chance(0.4) && { all: [anyId()] }),
      ...(random.chance(0.4) && { not: [anyId()] })
    }
  }
  const forms = [
    () => ids(3),
    () => criteria(),
    () => [criteria(), criteria()],
    () => JSON.stringify(criteria())
  ]
  const condition = (): object => {
    const [path, operation, operand] = random.pick([
      ['$', 'gt', 50],
      ['$', 'lte', 50],
      ['$', 'exists', true],
      ['$', 'exists', false],
      ['$', 'eq', null],
      ['$', 'neq', 'x'],
      ['$', 'prefix', 'he'],
      ['systolic', 'gte', 120],
      ['list.0', 'exists', true],
      ['list', 'exists', true],
      ['deep.er', 'in', ['x', 1, null]]
    ] as const)
    return { path, [operation]: operand }
  }
  const tag = (): object =>
    random.pick([
      { path: 'tag', eq: 'x' },
      { path: 'tag', exists: false }
    ])
  return {
    ...(random.chance(0.7) && { streams: random.pick(forms)() }),
    ...(random.chance(0.4) && { types: random.some([...types, 'mass/*', 'own/*'], 2) }),
    ...(random.chance(0.35) && { content: Array.from({ length: 1 + random.below(2) }, condition) }),
    ...(random.chance(0.2) && { clientData: [tag()] }),
    ...(random.chance(0.4) && { state: random.pick(['default', 'trashed', 'all']) })
  }
}

/** Returns random fields of an event. */
function createFields(): Record<string, unknown> {
  const type = random.pick(types)
  const contents: Record<string, () => unknown> = {
    'note/txt': () => random.pick(['hello', 'x', 'bye']),
    'mass/kg': () => random.below(100),
    'mass/g': () => random.below(100),
    'blood-pressure/mmhg-bpm': () => ({ systolic: 100 + random.below(50), diastolic: 80 }),
    'own/any': () =>
      random.pick([
        null,
        undefined,
        { deep: { er: random.pick(['x', 1, null, [1]]) } },
        { list: [1] },
        'he',
        true
      ])
  }
  const content = contents[type]!()
  return {
    type,
    ...(content !== undefined && { content }),
    ...(random.chance(0.3) && { clientData: random.pick([{ tag: 'x' }, { tag: 'y' }, {}]) }),
    streamIds: [...new Set(random.some(streams, 2))]
  }
}

type Listing = ReadonlyMap<string, number>

interface Listed {
  readonly id: string
  readonly modified: number
}

/** Returns the events that a query lists, with the times of their modification. */
async function list(client: Client, query: Query): Promise<Listing> {
  const all = { fromTime: -1e10, toTime: 1e10, limit: 10_000 }
  const { events } = (await client.do('events.get', { ...all, ...query })) as { events: Listed[] }
  return new Map(events.map(({ id, modified }) => [id, modified]))
}

/** Returns the queries of a socket's scopes, as they are now. */
async function queriesOf(socket: TestSocket): Promise<Record<string, Query>> {
  const { scopes } = (await socket.call('getSubscriptions')) as { scopes: Record<string, { query: Query }> }
  return Object.fromEntries(Object.entries(scopes).map(([key, { query }]) => [key, query]))
}

async function listAll(client: Client, queries: Record<string, Query>): Promise<Map<string, Listing>> {
  const listed = new Map<string, Listing>()
  for (const [key, query] of Object.entries(queries)) listed.set(key, await list(client, query))
  return listed
}

t.test(
  'the notified keys are those of the queries that list a changed event before or after a call',
  async t => {
    const { alice } = await coffer(t)
    for (const id of streams) await alice.stream(id, parents[id] ?? undefined)
    const watchers: { name: string; client: Client; readable: string[] }[] = [
      { name: 'personal', client: alice, readable: streams },
      {
        name: 'everything but hidden',
        client: await alice.grantAll([
          { streamId: '*', level: 'read' },
          { streamId: 'hidden', level: 'none' },
          { streamId: 'drop', level: 'create-only' }
        ]),
        readable: streams.filter(id => !['hidden', 'drop'].includes(id))
      },
      {
        name: 'a1 and b',
        client: await alice.grantAll([
          { streamId: 'a1', level: 'read' },
          { streamId: 'b', level: 'contribute' },
          { streamId: 'hidden', level: 'none' }
        ]),
        readable: ['a1', 'a11', 'b', 'b1']
      }
    ]
    const subscribed = []
    for (const watcher of watchers) {
      const queries = Array.from({ length: 25 }, () => createQuery(watcher.readable))
      const socket = await socketOf(t, watcher.client)
      const scopes = Object.fromEntries(queries.map((query, at) => [`${at}`, { kind: 'events', query }]))
      t.match(await socket.call('subscribe', { scopes }), { ok: true }, JSON.stringify(scopes))
      subscribed.push({ ...watcher, socket })
    }
    let calls = 0
    let hits = 0
    const trashedStreams = new Set<string>()
    for (let round = 0; round < 40; round++) {
      const everything = await list(alice, { state: 'all' })
      const before = []
      for (const { client, socket } of subscribed) {
        const queries = await queriesOf(socket)
        before.push({ queries, listed: await listAll(client, queries) })
        await socket.news()
        socket.payloads.length = 0
      }
      const known = [...everything.keys()]
      const roll = random.below(10)
      let what: [string, object]
      const left = streams.filter(id => !trashedStreams.has(id))
      if (known.length === 0 || roll < 3) what = ['events.create', createFields()]
      else if (roll < 7) {
        const { streamIds, ...rest } = createFields()
        const update = random.chance(0.5)
          ? { ...rest, streamIds }
          : random.chance(0.5)
            ? rest
            : { description: 'x' }
        what = ['events.update', { id: random.pick(known), update }]
      } else if (roll < 8) what = ['events.update', { id: random.pick(known), update: { trashed: false } }]
      else if (roll < 9 || left.length < 6) what = ['events.delete', { id: random.pick(known) }]
      else if (trashedStreams.size > 0 && random.chance(0.5)) {
        const id = random.pick([...trashedStreams])
        what = ['streams.delete', { id, mergeEventsWithParent: random.chance(0.5) }]
      } else {
        const id = random.pick(left.filter(each => !['a', 'b', 'b1'].includes(each)))
        trashedStreams.add(id)
        what = ['streams.delete', { id }]
      }
      const result = await alice.call(what[0], what[1])
      // Into a trashed or deleted stream, or with a content that the type does not have.
      if (result.error) continue
      calls++
      const now = await list(alice, { state: 'all' })
      const changed = [...new Set([...everything.keys(), ...now.keys()])].filter(
        id => everything.get(id) !== now.get(id)
      )
      for (const [at, { client, name, socket }] of subscribed.entries()) {
        await socket.news()
        const heard = socket.payloads.flatMap(payload => (payload as { keys?: string[] }).keys ?? [])
        const { listed, queries } = before[at]!
        const after = await listAll(client, await queriesOf(socket))
        const expected = [...listed.keys()].filter(key =>
          changed.some(id => listed.get(key)!.has(id) || after.get(key)?.has(id))
        )
        hits += expected.length
        const missed = expected.filter(key => !heard.includes(key))
        const extra = heard.filter(key => !expected.includes(key))
        const about = (keys: readonly string[]): unknown => keys.map(key => queries[key])
        t.same(
          { missed: about(missed), extra: about(extra) },
          { missed: [], extra: [] },
          `${name}: ${what[0]} ${JSON.stringify(what[1])}`
        )
      }
    }
    t.ok(hits > 25, `${calls} calls, ${hits} keys`)
  }
)
