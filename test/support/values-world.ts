/** An account with random changes, and readers of all kinds that request samples and facts. */
import type { Test } from 'tap'
import type { Event } from '../../schemas/event.js'
import { openCoffer, type Answer, type Client } from './coffer.js'
import type { Random } from './random.js'
import { differs, factsOf, rounded, samplesOf, sortedFacts, type Difference } from './values-model.js'

const now = 1_700_000_000
const everything = { fromTime: -1e12, toTime: 1e12 }

const numbers = ['count/generic', 'mass/kg']
const types = [...numbers, 'note/txt', 'thing/any']

export class World {
  readonly readers: Client[] = []
  compared = 0

  private constructor(
    readonly alice: Client,
    private readonly random: Random
  ) {}

  static async open(t: Test, random: Random): Promise<World> {
    const { alice } = await openCoffer(t, {
      backwardCompatibility: { tags: { isActive: random.chance(0.5) } }
    })
    const world = new World(alice, random)
    for (let number = 0; number < 12; number++)
      await alice.stream(`s${number}`, number < 4 ? null : `s${random.below(number)}`)
    world.readers.push(
      alice,
      await alice.grantAll([{ streamId: '*', level: 'read' }]),
      await alice.grantAll([
        { streamId: '*', level: 'read' },
        { streamId: 's1', level: 'none' },
        { streamId: 's5', level: 'read' }
      ]),
      await alice.grantAll([
        { streamId: 's0', level: 'read' },
        { streamId: 's2', level: 'contribute' },
        { streamId: 's6', level: 'create-only' }
      ]),
      await alice.grantAll([
        { streamId: 's3', level: 'manage' },
        { streamId: ':_system:account', level: 'read' }
      ])
    )
    for (let count = 0; count < 5; count++) await world.create(random.pick([5, 40, 150]))
    return world
  }

  /** Makes a random change; a refused one changes nothing. */
  async change(): Promise<void> {
    const { alice, random } = this
    const [event] = await this.#some()
    if (!event) return await this.create(40)
    const { id } = event
    const stream = `s${random.below(16)}`
    const update = this.#update()
    const place = { parentId: random.chance(0.3) ? null : `s${random.below(16)}` }
    const removal = { id: stream, mergeEventsWithParent: random.chance(0.8) }
    const calls: [chances: number, method: string, params: object][] = [
      [3, 'events.update', { id, update }],
      [2, 'events.delete', { id }],
      [1, 'events.update', { id, update: { trashed: false } }],
      [1, 'streams.delete', removal],
      [1, 'callBatch', Array.from({ length: 2 }, () => ({ method: 'streams.delete', params: removal }))],
      [1, 'streams.update', { id: stream, update: place }],
      [1, 'streams.update', { id: stream, update: { trashed: random.chance(0.5) } }],
      [1, 'streams.create', { id: stream, name: stream, parentId: null }],
      // The second call fails: the first part of it is rolled back.
      [1, 'callBatch', this.#creations(1, ['s0']).concat(this.#creations(1, ['s0', 'no-such-stream']))]
    ]
    if (random.chance(0.2)) return await this.create(random.pick([1, 3, 30]))
    const [, method, params] = random.pick(calls.flatMap(call => Array.from({ length: call[0] }, () => call)))
    await alice.call(method, params)
  }

  /** Creates events. */
  async create(count: number): Promise<void> {
    await this.alice.do('callBatch', this.#creations(count))
  }

  #creations(count: number, streamIds?: string[]): { method: string; params: object }[] {
    return Array.from({ length: count }, () => ({
      method: 'events.create',
      params: { ...this.#event(), ...(streamIds && { streamIds }) }
    }))
  }

  async sampleDiffers(reader: Client): Promise<Difference | undefined> {
    const { random } = this
    const field = random.pick([undefined, undefined, 'a', 'b.c', 'b.d', 'zz', 'k70'])
    const from = random.chance(0.3) ? now - 2000 : now - random.below(3000) + random.next()
    const query = {
      ...this.#streams(),
      ...(random.chance(0.7) && { types: random.some([...types, 'mass/*', 'no/ne'], 2) }),
      fromTime: from,
      toTime: from + random.pick([1, 1000, 1000, 2500, 0.001]),
      ...(random.chance(0.4) && { state: random.pick(['trashed', 'all']) })
    }
    const parts = random.pick([1, 2, 7, 50, 600, 4000])
    const { error, samples } = await this.#call(reader, 'events.sample', {
      ...query,
      parts,
      ...(field !== undefined && { field })
    })
    const all = await reader.call('events.get', query)
    const what = `events.sample ${JSON.stringify({ ...query, parts, field })}`
    if (error ?? all.error) return differs(what, error?.id, all.error?.id)
    const { toTime } = query
    // `events.get` also returns periods that began before the range.
    const within = all.events.filter(({ time }: Event) => time >= from && time <= toTime)
    return this.#compare(what, samples, samplesOf(within, { from, to: toTime, parts }, field?.split('.')))
  }

  async factsDiffer(reader: Client): Promise<Difference | undefined> {
    const query = this.random.chance(0.5) ? {} : this.#streams()
    const answer = await this.#call(reader, 'streams.facts', query)
    const what = `streams.facts ${JSON.stringify(query)}`
    const expected: object[] = []
    const asked = await reader.call('events.get', { ...query, limit: 1 })
    if (answer.error ?? asked.error) return differs(what, answer.error?.id, asked.error?.id)
    for (const id of await this.#streamsOf(reader)) {
      const all = query.streams === undefined ? undefined : await this.#idsOf(reader, query)
      if (query.streams !== undefined && !(await this.#isNamed(id, query.streams))) continue
      const { events = [] } = await reader.call('events.get', { streams: [`${id}!`], ...everything })
      expected.push(...factsOf(id, all ? events.filter((event: Event) => all.has(event.id)) : events))
    }
    return this.#compare(what, sortedFacts(answer.facts), sortedFacts(expected))
  }

  #compare(what: string, found: unknown, expected: unknown): Difference | undefined {
    if ((expected as unknown[]).length > 0) this.compared++
    return differs(what, rounded(found), rounded(expected))
  }

  async #idsOf(reader: Client, query: object): Promise<Set<string>> {
    const { events } = await reader.call('events.get', { ...query, ...everything })
    return new Set(events.map(({ id }: Event) => id))
  }

  /** Returns all streams whose events may be requested, including those of the service. */
  async #streamsOf(reader: Client): Promise<string[]> {
    const { streams } = await reader.do('streams.get')
    const ids = (list: Answer[]): string[] => list.flatMap(({ children, id }) => [id, ...ids(children)])
    return ids(streams)
  }

  async #isNamed(id: string, streams: Answer): Promise<boolean> {
    const named: string[] = Array.isArray(streams) ? streams : streams.any
    if (named.includes('*')) return true
    const { streams: roots } = await this.alice.do('streams.get', { state: 'all' })
    const paths = new Map<string, string[]>()
    const walk = (list: Answer[], above: string[]): void => {
      for (const { children, id: at } of list) {
        paths.set(at, [at, ...above])
        walk(children, [at, ...above])
      }
    }
    walk(roots, [])
    return named.some(name =>
      name.endsWith('!') ? name === `${id}!` : (paths.get(id)?.includes(name) ?? false)
    )
  }

  /** Calls a method over a random transport. */
  async #call(reader: Client, method: string, params: object): Promise<Answer> {
    if (this.random.chance(0.6)) return await reader.call(method, params)
    if (this.random.chance(0.5)) {
      const { error, results } = await reader.call('callBatch', [{ method, params }])
      return error ? { error } : results[0]
    }
    const path = method === 'events.sample' ? '/events/sample' : '/streams/facts'
    const query = new URLSearchParams(
      Object.entries(params).map(([name, value]): [string, string] => [
        name,
        typeof value === 'object' ? JSON.stringify(value) : String(value)
      ])
    )
    return (await reader.http('GET', `${path}?${query.toString()}`)).body
  }

  async #some(): Promise<Event[]> {
    const { events } = await this.alice.do('events.get', { state: 'all', ...everything })
    return events.length === 0 ? [] : [this.random.chance(0.2) ? events[0] : this.random.pick(events)]
  }

  #event(): Record<string, unknown> {
    const { random } = this
    const type = random.pick(types)
    return {
      streamIds: [
        ...new Set(random.some(['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7'], random.chance(0.3) ? 3 : 1))
      ],
      type,
      time: this.#time(),
      content: this.#content(type),
      ...(random.chance(0.1) && { duration: random.below(500) })
    }
  }

  #update(): Record<string, unknown> {
    const { random } = this
    const { content, streamIds, time, type } = this.#event()
    return random.pick([{ type, content }, { time }, { streamIds }, { streamIds, time, type, content }, {}])
  }

  #time(): number {
    const { random } = this
    if (random.chance(0.2)) return now - 1000
    const time = now - random.below(3000)
    return random.chance(0.5) ? time : time + random.next()
  }

  #content(type: string): unknown {
    const { random } = this
    const number = random.pick([0, -0, 1, -7.25, random.next() * 1e3, 0.1, 1e21, 123456.789])
    if (numbers.includes(type)) return number
    if (type === 'note/txt') return random.pick(['hello', 'x'.repeat(400)])
    return random.pick<unknown>([
      { a: number, b: { c: random.below(100), d: 'none' } },
      { a: 'text', b: { d: random.next() } },
      { 'b.c': 9, a: [1, 2], 'odd key': 3 },
      { b: [{ c: 1 }], a: null },
      Object.fromEntries(Array.from({ length: 80 }, (_, index) => [`k${index}`, random.next()])),
      { b: { c: random.next() }, long: 'x'.repeat(1000) },
      'text',
      number,
      [number],
      true
    ])
  }

  #streams(): { streams?: Answer } {
    const { random } = this
    const ids = ['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7', 's8']
    const any = random.some(ids, 3).map(id => (random.chance(0.2) ? `${id}!` : id))
    return random.pick<{ streams?: Answer }>([
      {},
      { streams: ['s0', 's2'] },
      { streams: any },
      { streams: { any, not: random.some(ids, 2) } },
      { streams: { any, all: random.some(ids, 1) } },
      { streams: { any: ['*'], not: random.some(ids, 2) } }
    ])
  }
}
