/** Compares `events.get` with `text` for restricted accesses with a plain scan, and checks its index lookups. */
import { join } from 'node:path'
import SQLite, { type Database } from 'better-sqlite3'
import t from 'tap'
import type { Event } from '../../../../schemas/event.js'
import type { Level } from '../../../../schemas/permission.js'
import { userMigrations } from '../../../../storage/migrations/user/index.js'
import { openFile } from '../../../../storage/sqlite/open.js'
import { listStatements } from '../../../../storage/sqlite/statements.js'
import type { UserStore } from '../../../../storage/user/user-store.js'
import { openCoffer, type Answer, type Client } from '../../../support/coffer.js'
import { EventFile } from '../../../support/event-file.js'
import {
  EventModel,
  type ModelQuery,
  type Permissions,
  type StreamsObject
} from '../../../support/event-model.js'
import { Random } from '../../../support/random.js'

t.setTimeout(1_200_000)

/** Of 20 seeds, the long form runs all, the short form one, in rotation. */
const rounds = process.env['COFFER_TEST_LONG'] ? 20 : 1
const base = Number(process.env['COFFER_TEST_SEED'] ?? 1 + (Date.now() % (21 - rounds)))
const steps = process.env['COFFER_TEST_LONG'] ? 300 : 25

type Reader = { readonly client: Client; readonly permissions: Permissions }

class World {
  readonly model = new EventModel()
  readers: Reader[] = []
  /** Sets of streams that events share. */
  sets: string[][] = []
  readonly #ranks = new Map<string, number>()

  constructor(
    readonly alice: Client,
    readonly random: Random
  ) {}

  get store(): UserStore {
    const { service, username } = this.alice
    const { accounts } = service.server.services
    return accounts.openStore(accounts.find(username)!)
  }

  get streamIds(): string[] {
    return [...this.model.streams.keys()]
  }

  /** Reloads events and streams, and creates accesses to them. */
  async refresh(): Promise<void> {
    const { alice, model } = this
    const { streams } = await alice.do('streams.get', { state: 'all' })
    model.replaceStreams(streams.filter(({ id }: Answer) => !id.startsWith(':')))
    const { events } = await alice.do('events.get', { state: 'all', sortAscending: true, limit: 1e6 })
    model.events.splice(0, Infinity, ...events)
    model.events.sort((a, b) => this.#ranks.get(a.id)! - this.#ranks.get(b.id)!)
    this.sets = this.sets.filter(set => set.every(id => model.streams.has(id)))
    while (this.sets.length < 8) this.sets.push([...new Set(this.random.some(this.streamIds, 3))])
    this.readers = [{ client: alice, permissions: undefined }]
    for (let count = 0; count < 5; count++) this.readers.push(await this.#granted())
  }

  /** Records that an event was created after all others. */
  created(id: string): void {
    this.#ranks.set(id, this.#ranks.size)
  }

  async #granted(): Promise<Reader> {
    const { alice, random } = this
    const levels: Level[] = ['read', 'read', 'manage', 'none', 'none', 'create-only', 'contribute']
    const permissions: Record<string, Level> = random.chance(0.6) ? { '*': 'read' } : {}
    for (const id of random.some(this.streamIds, 4)) permissions[id] = random.pick(levels)
    if (!Object.values(permissions).includes('read')) permissions[random.pick(this.streamIds)] = 'read'
    const list = Object.entries(permissions).map(([streamId, level]) => ({ streamId, level }))
    return { client: await alice.grantAll(list), permissions }
  }

  note(n: number): Partial<Event> {
    const { random } = this
    const words = [
      'common',
      `w${random.below(300)}`,
      `w${random.below(20)}`,
      random.chance(0.5) ? 'odd' : 'even'
    ]
    return {
      streamIds: random.chance(0.6) ? [random.pick(this.streamIds)] : random.pick(this.sets),
      time: 100 * random.below(2000),
      content: `${words.join(' ')} n${n}`,
      ...(random.chance(0.1) && { duration: random.pick([50_000, null]) })
    }
  }

  query(permissions: Permissions): ModelQuery & { readonly text: string } {
    const { model, random } = this
    const words = [
      'common',
      'odd',
      `w${random.below(300)}`,
      `w${random.below(20)}`,
      `n${random.below(2500)}`,
      'w',
      'none'
    ]
    const readable = this.streamIds.filter(id => ['read', 'contribute', 'manage'].includes(model.level(id, permissions)!)) // oxfmt-ignore
    const some = (): string[] => random.some(readable, 2)
    const someStreams = (): StreamsObject =>
      random.chance(0.5)
        ? { any: ['*'], not: some() }
        : { any: some(), all: random.pick([some(), []]), not: random.pick([some(), []]) }
    const streams = random.chance(0.5) ? some() : [someStreams()]
    return {
      text: [...new Set(random.some(words, 2))].join(' '),
      ...(readable.length > 0 && random.chance(0.4) && { streams }),
      ...(random.chance(0.1) && { types: ['note/*'] }),
      ...(random.chance(0.2) && { fromTime: 100 * random.below(2000) }),
      ...(random.chance(0.2) && { toTime: 100 * random.below(2000) }),
      ...(random.chance(0.1) && { running: true }),
      ...(random.chance(0.5) && { sortAscending: true }),
      ...(random.chance(0.2) && { skip: random.below(30) }),
      ...(random.chance(0.6) && { limit: random.pick([1, 5, 10_000]) }),
      ...(random.chance(0.5) && { state: random.pick(['default', 'trashed', 'all'] as const) }),
      ...(random.chance(0.1) && { modifiedSince: random.pick(model.events).modified })
    }
  }

  /** Returns what a plain scan finds. */
  expected({ text, limit, skip = 0, ...query }: ModelQuery, permissions: Permissions, now: number): string[] {
    const { model } = this
    const holding = new Set(
      model.events.filter(({ content }) => holds(String(content), text!)).map(({ id }) => id)
    )
    const all = model.get({ ...query, limit: Infinity }, permissions, now).filter(id => holding.has(id))
    const usual = query.fromTime === undefined && query.toTime === undefined ? 20 : Infinity
    return all.slice(skip, skip + (limit ?? usual))
  }
}

function holds(content: string, text: string): boolean {
  const words = content.split(' ')
  return text.split(' ').every(sought => words.some(word => word.startsWith(sought)))
}

/** Makes a random change; returns whether it affects the tree. */
async function change(world: World, note: () => Partial<Event>): Promise<boolean> {
  const { alice, model, random } = world
  const { events } = model
  const at = random.below(events.length)
  const { id } = events[at]!
  const update = async (fields: Partial<Event>): Promise<void> => {
    // Refused if a stream is in the trash.
    const { event } = await alice.call('events.update', { id, update: fields })
    if (event) events[at] = event
  }
  const streams = [...model.streams.values()]
  const child = random.pick(streams.filter(({ parentId }) => parentId !== null))
  const other = random.pick(streams).id
  const form = random.below(12)
  if (form < 3) {
    const { event } = await alice.call('events.create', { type: 'note/txt', ...note() })
    if (!event) return false
    events.push(event)
    world.created(event.id)
  } else if (form < 5) await update({ streamIds: note().streamIds! })
  else if (form < 6) await update(note())
  else if (form < 7) await update({ content: note().content })
  else if (form < 8) await update({ trashed: random.chance(0.5) })
  else if (form < 9) {
    const { event } = await alice.do('events.delete', { id })
    if (event) events[at] = event
    else events.splice(at, 1)
  } else if (form < 10) {
    // Refused below itself.
    await alice.call('streams.update', { id: child.id, update: { parentId: other } })
  } else if (form < 11 || streams.length < 8) {
    const id = `s${random.below(1e9)}`
    await alice.call('streams.create', { id, name: id, parentId: other })
  } else {
    if (!child.trashed) await alice.do('streams.delete', { id: child.id })
    if (child.trashed || random.chance(0.7))
      await alice.do('streams.delete', { id: child.id, mergeEventsWithParent: random.chance(0.8) })
  }
  return form >= 9
}

for (let seed = base; seed < base + rounds; seed++)
  t.test(`restricted accesses find what a plain scan finds, seed ${seed}`, async t => {
    const random = new Random(seed)
    const { alice, clock, server } = await openCoffer(t)
    const world = new World(alice, random)
    const roots = ['a', 'b', 'c', 'd']
    for (const id of roots) await alice.stream(id)
    for (const id of roots) for (const n of [1, 2]) await alice.stream(`${id}${n}`, id)
    await alice.stream('a11', 'a1')
    await world.refresh()
    let count = 0
    const note = (): Partial<Event> => world.note(count++)
    await world.store.write(() => {
      for (let n = 0; n < 2500; n++) {
        const event = eventOf(note())
        world.store.events.insert(event)
        world.created(event.id)
      }
    })
    await world.refresh()
    let found = 0
    for (let step = 0; step < steps; step++) {
      if (step % 3 === 0) await server.settle()
      clock.advance(random.below(100))
      if (await change(world, note)) await world.refresh()
      for (let n = 0; n < 4; n++) {
        const { client, permissions } = random.pick(world.readers)
        const query = world.query(permissions)
        const expected = world.expected(query, permissions, clock.now())
        const { error, events } = await client.call('events.get', query)
        const ids = error ?? events.map(({ id }: Event) => id)
        found += expected.length
        if (JSON.stringify(ids) === JSON.stringify(expected)) continue
        t.same(ids, expected, `step ${step}: ${JSON.stringify({ query, permissions })}`)
        throw new Error('the first difference is enough')
      }
    }
    t.ok(found > 0)
    const { db } = world.store as unknown as { db: Database }
    t.ok(
      listStatements(db).some(sql => sql.includes('event_text_unplaced')),
      'places are asked'
    )
    await server.settle()
    const misplaced = db.prepare(
      `SELECT count(*) FROM event_text JOIN event e ON e.number = event LEFT JOIN event_place p ON p.number = place
        WHERE (SELECT json_group_array(value ORDER BY value) FROM json_each(json_insert(ifnull(e.others, '[]'), '$[#]', e.stream)))
          IS NOT (SELECT json_group_array(value ORDER BY value) FROM json_each(json_insert(ifnull(p.others, '[]'), '$[#]', p.stream)))`
    )
    t.equal(misplaced.pluck().get(), 0, 'each text is in the place of its streams')
    t.same(pairsByPlace(db), [], 'with the words that it has')
  })

/** Returns differences between the index and the texts that it covers. */
function pairsByPlace(db: Database): string[] {
  const texts = db.prepare('SELECT event, words, place FROM event_text').all() as { event: number; words: string; place: number }[] // oxfmt-ignore
  const expected = new Set<string>()
  for (const { event, place, words } of texts)
    for (const word of words.slice(1).split(' ')) {
      expected.add(`${event} ${word}`)
      expected.add(`${event} ·${place}·${word}`)
    }
  const pairs = db.prepare('SELECT doc, term FROM event_vocabulary').raw().all() as [number, string][]
  const there = new Set(pairs.map(pair => pair.join(' ')))
  return [...expected].filter(pair => !there.has(pair)).concat([...there].filter(pair => !expected.has(pair)))
}

let numbers = 0
function eventOf(fields: Partial<Event>): Event {
  return {
    id: `c${String(++numbers).padStart(24, '0')}`,
    streamIds: [],
    streamId: fields.streamIds![0]!,
    time: 0,
    type: 'note/txt',
    tags: [],
    created: 1,
    createdBy: 'system',
    modified: 1,
    modifiedBy: 'system',
    ...fields
  }
}

t.test('only streams that may be read are looked up in the index', t => {
  const path = join(t.testdir(), 'user.sqlite')
  openFile(path, { migrations: userMigrations, create: true, synchronous: 'NORMAL' }).close()
  const run: string[] = []
  const db = new SQLite(path, { verbose: sql => run.push(String(sql)) })
  t.teardown(() => db.close())
  const file = new EventFile(db)
  const [open, closed, other] = ['open', 'closed', 'other'].map(id => file.stream(id))
  db.exec('BEGIN')
  for (let n = 0; n < 400; n++) {
    file.insert({ streamIds: ['open'], content: `plain${n}` })
    file.insert({ streamIds: ['closed'], content: `secret${n}` })
    file.insert({ streamIds: n % 2 ? ['open', 'closed'] : ['open', 'other'], content: `shared${n} secret` })
  }
  db.exec('COMMIT')
  while (file.events.texts.hasPending()) db.transaction(() => file.events.texts.indexPending()).immediate()
  const streams = [{ any: new Set([open!, other!]), all: [], not: new Set([closed!]) }]
  run.length = 0
  const ids = file.ids({ streams, text: { words: ['secret'], mayUseIndex: false } })
  t.equal(ids.length, 200)
  const asked = run.filter(sql => sql.includes('event_vocabulary'))
  const seen = file.db.prepare('SELECT number FROM event_place WHERE stream = ? AND others IS ?')
  const places = [null, `[${other}]`].map(others => (seen.get(open, others) as { number: number }).number)
  t.same(
    asked.map(sql => /term >= '(.*?)'/.exec(sql)?.[1]),
    places.map(number => `·${number}·secret`)
  )
  t.end()
})
