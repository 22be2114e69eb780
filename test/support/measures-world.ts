/** An account with data of several sources that changes at random, and readers of all kinds that request measures. */
import type { Test } from 'tap'
import { findMeasure } from '../../schemas/measures/catalogue.js'
import { formatDate } from '../../schemas/zones.js'
import { openCoffer, type Answer, type Client } from './coffer.js'
import { daysOf, factOf, lastsOf, readingsOf, samplesOf, type Seen } from './measures-model.js'
import type { Random } from './random.js'
import { differs, type Difference } from './values-model.js'

/** 24 March 2026: clocks in Zurich change five days later. */
const start = Date.UTC(2026, 2, 24) / 1000
const day = 86_400
const everything = { fromTime: -1e12, toTime: 1e12 }
const streamIds = Array.from({ length: 8 }, (_, number) => `s${number}`)
const measures = ['heart-rate', 'resting-heart-rate', 'weight', 'steps', 'blood-pressure', 'note', 'dog']
const zones = ['Europe/Zurich', 'UTC', 'America/New_York', 'Australia/Lord_Howe']

export class MeasuresWorld {
  readonly readers: Client[] = []
  compared = 0

  private constructor(
    readonly alice: Client,
    private readonly random: Random
  ) {}

  static async open(t: Test, random: Random): Promise<MeasuresWorld> {
    const { alice } = await openCoffer(t)
    const world = new MeasuresWorld(alice, random)
    for (const [number, id] of streamIds.entries())
      await alice.stream(id, number < 4 ? null : `s${random.below(number)}`)
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
      ])
    )
    for (let count = 0; count < 4; count++) await world.#create(random.pick([20, 60]))
    for (let count = 0; count < 6; count++) await world.#addSeries()
    return world
  }

  /** Makes a random change; a refused one changes nothing. */
  async change(): Promise<void> {
    const { alice, random } = this
    if (random.chance(0.2)) return await this.#create(random.pick([1, 10]))
    if (random.chance(0.1)) return await this.#addSeries()
    const { events } = await alice.do('events.get', { state: 'all', ...everything })
    const { content, id, streamIds: before, time, type } = random.pick(events as Answer[])
    const stream = random.pick(streamIds)
    const mark = random.pick([...measures, null])
    const { content: other, streamIds: streams, time: moved, type: kind } = this.#event()
    const holder = events.find((event: Answer) => event.type.startsWith('series:'))?.id
    const calls: [method: string, params: object][] = [
      ['events.update', { id, update: { streamIds: streams } }],
      ['events.update', { id, update: { time: moved } }],
      ['events.update', { id, update: type.startsWith('series:') ? {} : { type: kind, content: other } }],
      ['events.update', { id, update: { time, content, streamIds: before, trashed: false } }],
      ['events.delete', { id }],
      ['streams.update', { id: stream, update: { clientData: { 'coffer:measure': mark } } }],
      ['streams.update', { id: stream, update: { trashed: random.chance(0.3) } }],
      ['streams.update', { id: stream, update: { parentId: random.pick([null, ...streamIds]) } }],
      ['hfs.add', { id: holder, format: 'flatJSON', ...this.#points() }],
      ['hfs.deletePoints', { id: holder, fromDeltaTime: 0, toDeltaTime: random.below(5000) }],
      [
        'profile.updatePrivate',
        { update: { 'coffer:sources': { [random.pick(measures)]: random.some(streamIds, 2) } } }
      ],
      ['profile.updatePrivate', { update: { 'coffer:sources': random.pick([null, 'nothing', []]) } }]
    ]
    await alice.call(...random.pick(calls))
  }

  /** Compares the answers to a reader with those computed from what it reads; returns the first difference. */
  async findDifference(reader: Client): Promise<Difference | undefined> {
    const { random } = this
    const streams = random.chance(0.6) ? undefined : random.some(streamIds, 2)
    const seen = await this.#see(reader, streams)
    const id = random.pick(measures.slice(0, -1))
    const measure = findMeasure(id)!
    const asked = { measure: id, ...(streams && { streams }) }
    if (!seen) {
      const { error } = await reader.call('measures.facts', { ...(streams && { streams }) })
      return differs(`refused ${JSON.stringify(asked)}`, error !== undefined, true)
    }
    return (
      (await this.#factDiffers(reader, seen, streams)) ??
      (await this.#sampleDiffers(reader, seen, asked)) ??
      (await this.#daysDiffer(reader, seen, asked)) ??
      (readingsOf(seen, measure).length > 0 ? void this.compared++ : undefined)
    )
  }

  async #factDiffers(reader: Client, seen: Seen, streams: Answer): Promise<Difference | undefined> {
    const asked = { measures, ...(streams && { streams }) }
    const { error, facts } = await this.#callAfterOthers(reader, 'measures.facts', {
      ...asked,
      measures: measures.slice(0, -1)
    })
    if (error) return differs('measures.facts', error, undefined)
    const expected = measures.slice(0, -1).flatMap(id => factOf(seen, findMeasure(id)!) ?? [])
    for (const { latest, measure } of facts) {
      const all = readingsOf(seen, findMeasure(measure)!).filter(({ time }) => time === latest.time)
      const known = all.map(({ source, type, values }) => JSON.stringify([source, type, toValue(values)]))
      const found = JSON.stringify([latest.streamId, latest.type, latest.value])
      if (!known.includes(found)) return { what: `latest of ${measure}`, found, expected: known }
    }
    const comparable = facts.map((fact: Answer) => omit(fact, 'latest'))
    return compare(`measures.facts ${JSON.stringify(asked)}`, comparable, expected)
  }

  async #sampleDiffers(reader: Client, seen: Seen, asked: Answer): Promise<Difference | undefined> {
    const { random } = this
    const fromTime = start + random.below(5 * day)
    const query = {
      fromTime,
      toTime: fromTime + random.pick([3600, day, 3 * day, 6 * day + 1800]),
      parts: random.pick([1, 3, 24, 100, 500]),
      zone: random.pick(zones)
    }
    const measure = findMeasure(asked.measure)!
    const unit = measure.id === 'weight' ? random.pick([undefined, 'mass/lb', 'mass/g']) : undefined
    const params = { ...asked, ...query, ...(unit !== undefined && { unit }) }
    const what = `measures.sample ${JSON.stringify(params)}`
    const { error, samples } = await this.#callAfterOthers(reader, 'measures.sample', params)
    if (error) return differs(what, error, undefined)
    const difference = compare(
      what,
      samples,
      samplesOf(seen, measure, query, unit === undefined ? {} : { unit })
    )
    if (difference) return difference
    if (measure.kind !== 'text') {
      const { samples: lasts } = await this.#callAfterOthers(reader, 'measures.sample', {
        ...params,
        last: true
      })
      const known = lastsOf(seen, measure, query, unit === undefined ? {} : { unit })
      const isRight =
        lasts.length === known.length &&
        known.every(({ numbers, time }, at) =>
          numbers.every(
            (some, index) =>
              lasts[at].time === time && some.some(one => isAlike([lasts[at].last].flat()[index], one))
          )
        )
      if (!isRight) return { what: `${what}, last`, found: lasts, expected: known }
    }
    const { sources } = await reader.do('measures.sample', { ...params, merge: 'each' })
    for (const { samples: own, streamId } of sources) {
      const expected = samplesOf(seen, measure, query, {
        sources: [streamId],
        ...(unit !== undefined && { unit })
      })
      const only = expected.filter(({ source }) => source === streamId).map(sample => omit(sample, 'source'))
      if (measure.kind === 'text') continue
      const wrong = compare(`${what} of ${streamId}`, own, only)
      if (wrong) return wrong
    }
    return undefined
  }

  async #daysDiffer(reader: Client, seen: Seen, asked: Answer): Promise<Difference | undefined> {
    const { random } = this
    const from = start / day + random.below(6)
    const query = { from, to: from + random.pick([0, 2, 6]), zone: random.pick(zones) }
    const params = { ...asked, zone: query.zone, from: formatDate(query.from), to: formatDate(query.to) }
    const what = `measures.days ${JSON.stringify(params)}`
    const { days, error } = await reader.call('measures.days', params)
    if (error) return differs(what, error, undefined)
    const expected = daysOf(seen, findMeasure(asked.measure)!, query)
    return compare(what, days, expected)
  }

  /** Makes a call that others make at the same time, and the reader itself: what they share must not differ from what each may see. */
  async #callAfterOthers(reader: Client, method: string, params: Answer): Promise<Answer> {
    const callers = [...this.random.some(this.readers, 2), reader, reader]
    const answers = await Promise.all(callers.map(async caller => await caller.call(method, params)))
    return answers.at(-1)
  }

  /** Reads what a reader sees; `undefined` if it may not read the streams. */
  async #see(reader: Client, streams: readonly string[] | undefined): Promise<Seen | undefined> {
    const { error, events } = await reader.call('events.get', { ...everything, ...(streams && { streams }) })
    if (error) return undefined
    const tree = new Map<string, { parent: string | undefined; mark: unknown }>()
    const walk = (list: Answer[], parent: string | undefined): void => {
      for (const { children, clientData, id } of list) {
        tree.set(id, { parent, mark: clientData?.['coffer:measure'] })
        walk(children, id)
      }
    }
    walk((await reader.do('streams.get', { state: 'all' })).streams, undefined)
    // A named stream stands for those below it, even if one between them is hidden.
    const searched = new Set<string>()
    const search = (list: Answer[], isNamed: boolean): void => {
      for (const { children, id } of list) {
        const named = isNamed || (streams?.includes(id) ?? false)
        if (named && tree.has(id)) searched.add(id)
        search(children, named)
      }
    }
    search((await this.alice.do('streams.get')).streams, streams === undefined)
    const points = new Map<string, Answer>()
    for (const { id, type } of events)
      if (type.startsWith('series:')) points.set(id, await reader.do('hfs.get', { id, toDeltaTime: 1e9 }))
    const { profile } = await this.alice.do('profile.getPrivate')
    const order = profile['coffer:sources']
    const isOrder = typeof order === 'object' && order !== null && !Array.isArray(order)
    return { events, points, streams: tree, searched, order: isOrder ? order : {} }
  }

  async #create(count: number): Promise<void> {
    const calls = Array.from({ length: count }, () => ({ method: 'events.create', params: this.#event() }))
    await this.alice.do('callBatch', calls)
  }

  async #addSeries(): Promise<void> {
    const { alice, random } = this
    const type = random.pick(['series:frequency/bpm', 'series:count/steps', 'series:mass/kg'])
    const { error, event } = await alice.call('events.create', {
      type,
      streamIds: this.#streams(),
      time: this.#time()
    })
    if (!error) await alice.do('hfs.add', { id: event.id, format: 'flatJSON', ...this.#points() })
  }

  #points(): { fields: string[]; points: number[][] } {
    const { random } = this
    const hasDuration = random.chance(0.5)
    const count = random.pick([1, 10, 700])
    return {
      fields: ['deltaTime', 'value', ...(hasDuration ? ['duration'] : [])],
      points: Array.from({ length: count }, (_, index) => [
        index * random.pick([60, 61, 400]) + index * 400,
        random.below(200),
        ...(hasDuration ? [random.pick([0, 60, 3000])] : [])
      ]).toSorted((a, b) => a[0]! - b[0]!)
    }
  }

  #event(): Record<string, unknown> {
    const { random } = this
    const value = random.pick([1, 55, 70.5, random.below(300)])
    const type = random.pick([
      'frequency/bpm',
      'mass/kg',
      'mass/lb',
      'count/steps',
      'count/steps',
      'pressure',
      'note/txt'
    ])
    const duration = random.pick([0, 0, 60, 1800, 7200, 40_000, 86_400])
    const base = { streamIds: this.#streams(), time: this.#time() }
    if (type === 'note/txt') return { ...base, type, content: 'hello' }
    if (type === 'pressure')
      return {
        ...base,
        type: 'blood-pressure/mmhg-bpm',
        content: { systolic: 100 + value, diastolic: value }
      }
    return {
      ...base,
      type,
      content: type === 'count/steps' ? Math.round(value) : value,
      ...(duration > 0 && { duration })
    }
  }

  #streams(): string[] {
    const { random } = this
    return [...new Set(random.some(streamIds.slice(0, 7), random.chance(0.25) ? 3 : 1))]
  }

  #time(): number {
    const { random } = this
    return start + random.below(9 * 24) * 3600 + random.pick([0, 0, 1, 1800, 3599])
  }
}

/** Returns a difference, unless numbers differ in their last digits only: they may be summed in another order. */
function compare(what: string, found: unknown, expected: unknown): Difference | undefined {
  return isAlike(found, expected) ? undefined : { what, found, expected }
}

function isAlike(a: unknown, b: unknown): boolean {
  if (typeof a === 'number' && typeof b === 'number')
    return Math.abs(a - b) <= 1e-9 * Math.max(1, Math.abs(a))
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  const [one, other] = [Object.entries(a), new Map(Object.entries(b))]
  return one.length === other.size && one.every(([key, value]) => isAlike(value, other.get(key)))
}

function omit(object: Answer, name: string): Answer {
  return Object.fromEntries(Object.entries(object as object).filter(([key]) => key !== name))
}

function toValue(values: readonly (number | undefined)[]): unknown {
  if (values.every(value => value === undefined)) return undefined
  return values.length === 1 ? values[0] : values
}
