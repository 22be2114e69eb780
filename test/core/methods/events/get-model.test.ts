/** Compares `events.get` with a simple model: thousands of random queries, the same events in the same order. */
import t from 'tap'
import type { Event } from '../../../../schemas/event.js'
import type { Stream } from '../../../../schemas/stream.js'
import {
  EventModel,
  type ModelQuery,
  type Permissions,
  type StreamsObject
} from '../../../support/event-model.js'
import { openCoffer, type Client } from '../../../support/coffer.js'
import { makeClientData, makeConditions, makeContent } from '../../../support/content-model.js'
import { Random } from '../../../support/random.js'

const now = 1_700_000_000
const types = ['note/txt', 'note/html', 'mass/kg', 'mass/g', 'rare/one', 'notes/x']
const isLong = Boolean(process.env['COFFER_TEST_LONG'])
/** Odd seeds create many events, even ones few: the short form runs one of each. */
const rounds = isLong ? 20 : 2
const firstSeed = Number(process.env['COFFER_TEST_SEED'] ?? (isLong ? 1 : 1 + 2 * (Date.now() % 10)))
const queries = isLong ? 3000 : 250

/** An access, and its permissions. */
interface Reader {
  readonly client: Client
  readonly permissions: Permissions
}

// The long form is slow.
t.setTimeout(1_800_000)

for (let seed = firstSeed; seed < firstSeed + rounds; seed++)
  t.test(`events.get matches the model, seed ${seed}`, async t => {
    const random = new Random(seed)
    const model = new EventModel()
    const { alice } = await openCoffer(t, {
      backwardCompatibility: { tags: { isActive: true, rootStreamId: 's0', streamIdPrefix: 's' } }
    })
    makeStreams(model, random)
    makeEvents(model, random, seed % 2 === 1 ? (isLong ? 6000 : 3000) : 600)
    const store = alice.service.server.services.accounts.openStore(
      alice.service.server.services.accounts.find(alice.username)!
    )
    await store.write(() => {
      for (const stream of model.streams.values()) store.streams.insert(stream)
      for (const event of model.events) store.events.insert(event)
    })
    const readers = await makeReaders(alice)
    for (let count = 0; count < queries; count++) {
      const { client, permissions } = random.pick(readers)
      const query = makeQuery(model, random, permissions)
      const expected = model.get(query, permissions, now)
      const { events, error } = await client.call('events.get', query)
      const found = error ?? events.map((event: Event) => event.id)
      if (JSON.stringify(found) === JSON.stringify(expected)) continue
      t.same(found, expected, JSON.stringify({ query, permissions }))
      break
    }
    t.pass('all alike')
  })

/** Creates a tree of 60 streams, four levels deep, some of them trashed. */
function makeStreams(model: EventModel, random: Random): void {
  for (let number = 0; number < 60; number++) {
    const id = `s${number}`
    const stream: Stream = {
      id,
      name: id,
      parentId: number < 6 ? null : `s${random.below(Math.min(number, 30))}`,
      ...(random.chance(0.1) && number > 2 && { trashed: true }),
      created: 1,
      createdBy: 'system',
      modified: 1,
      modifiedBy: 'system'
    }
    model.streams.set(id, stream)
  }
}

function makeEvents(model: EventModel, random: Random, count: number): void {
  const ids = [...model.streams.keys()]
  const rare = ids.slice(40)
  for (let number = 0; number < count; number++) {
    const streamIds = [
      ...new Set(random.some(random.chance(0.05) ? rare : ids.slice(0, 40), random.chance(0.3) ? 4 : 1))
    ]
    const modified = random.chance(0.02) ? now + random.next() : now - random.below(1000) - random.next()
    model.events.push({
      id: `c${String(number).padStart(24, '0')}`,
      streamIds,
      streamId: streamIds[0]!,
      time: makeTime(random),
      ...makeDuration(random),
      type: random.chance(0.005) ? 'rare/one' : random.pick(types),
      content: random.chance(0.3) ? number : makeContent(random),
      ...(random.chance(0.5) && { clientData: makeClientData(random) }),
      tags: [],
      ...(random.chance(0.1) && { trashed: true }),
      created: modified,
      createdBy: 'system',
      modified,
      modifiedBy: 'system'
    })
  }
}

/** Returns one shared time for many events, and times spread over about three days for others, some with fractions. */
function makeTime(random: Random): number {
  if (random.chance(0.2)) return now - 100_000
  const time = now - random.below(250_000)
  return random.chance(0.5) ? time : time + random.next()
}

function makeDuration(random: Random): { duration?: number | null } {
  if (random.chance(0.6)) return {}
  if (random.chance(0.05)) return { duration: null }
  const duration = 2 ** random.below(18)
  return { duration: random.chance(0.5) ? duration : duration * (0.2 + random.next()) }
}

async function makeReaders(alice: Client): Promise<Reader[]> {
  const granted: Exclude<Permissions, undefined>[] = [
    { '*': 'read' },
    { '*': 'contribute', s1: 'none', s8: 'read' },
    { s0: 'read', s3: 'manage' },
    { s0: 'read', s7: 'none', s9: 'create-only', s12: 'contribute' },
    { s2: 'create-only', s20: 'read' },
    { s1: 'read', s2: 'read', s3: 'none', s4: 'read', s5: 'none' }
  ]
  const readers: Reader[] = [{ client: alice, permissions: undefined }]
  for (const permissions of granted) {
    const list = Object.entries(permissions).map(([streamId, level]) => ({ streamId, level }))
    readers.push({ client: await alice.grantAll(list), permissions })
  }
  return readers
}

function makeQuery(model: EventModel, random: Random, permissions: Permissions): ModelQuery {
  return {
    ...(random.chance(0.7) && { streams: makeStreamsQuery(model, random, permissions) }),
    ...(random.chance(0.3) && { types: random.some([...types, 'note/*', 'mass/*', 'no/ne'], 3) }),
    ...(random.chance(0.4) && { fromTime: makeBound(random) }),
    ...(random.chance(0.4) && { toTime: makeBound(random) }),
    ...(random.chance(0.1) && { running: random.chance(0.8) }),
    ...(random.chance(0.5) && { sortAscending: random.chance(0.7) }),
    ...(random.chance(0.3) && { skip: random.pick([0, 1, 10, 100, 1000]) }),
    ...(random.chance(0.6) && { limit: random.pick([0, 1, 5, 20, 200, 1000, 3000]) }),
    ...(random.chance(0.5) && { state: random.pick(['default', 'trashed', 'all'] as const) }),
    ...(random.chance(0.1) && {
      tags: random.some([...model.streams.keys(), 's-none'], 4).map(id => id.slice(1))
    }),
    ...(random.chance(0.25) && { content: makeConditions(random) }),
    ...(random.chance(0.15) && { clientData: makeConditions(random) }),
    ...(random.chance(0.2) && { modifiedSince: random.pick([0, now, now - 10, now - 300, now + 2]) })
  }
}

function makeBound(random: Random): number {
  if (random.chance(0.1))
    return random.pick([-1.7976931348623157e308, 1.7976931348623157e308, 0, now - 100_000])
  return now - random.below(300_000) + (random.chance(0.5) ? random.next() : 0)
}

function makeStreamsQuery(
  model: EventModel,
  random: Random,
  permissions: Permissions
): string[] | StreamsObject | StreamsObject[] {
  const ids = [...model.streams.keys()]
  const readable = ids.filter(id => ['read', 'contribute', 'manage'].includes(model.level(id, permissions)!))
  const most = random.pick([1, 1, 3, 40])
  const any = random.some(readable, most).map(id => (random.chance(0.1) ? `${id}!` : id))
  if (random.chance(0.4)) return any
  const one = (): StreamsObject => {
    const isStar = random.chance(0.2)
    return {
      any: isStar ? ['*'] : random.chance(0.5) ? any : random.some(readable, most),
      ...(!isStar && random.chance(0.4) && { all: random.some([...ids, 'unknown'], 2) }),
      ...(random.chance(0.4) && { not: random.some([...ids, 'unknown'], 4) })
    }
  }
  return random.chance(0.3) ? [one(), one()] : one()
}
