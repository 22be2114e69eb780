/** The expected results of the measure methods, computed naively from events and points. */
import { findMeasure, findMeasureByType } from '../../schemas/measures/catalogue.js'
import type { Measure } from '../../schemas/measures/measure.js'
import { convertUnit } from '../../schemas/units.js'
import { formatDate, getDayStart, getLocalDay } from '../../schemas/zones.js'
import type { Answer } from './coffer.js'

/** A number, a pair, a word or a period. */
export interface Reading {
  readonly source: string
  /** As stored, with `series:` for points. */
  readonly type: string
  readonly time: number
  readonly duration: number
  readonly content: Answer
  /** In the unit of the measure. */
  readonly values: readonly (number | undefined)[]
}

/** What the caller sees of an account. */
export interface Seen {
  /** Events, with the points of series. */
  readonly events: readonly Answer[]
  readonly points: ReadonlyMap<string, { fields: string[]; points: number[][] }>
  /** Parents and marks by stream. */
  readonly streams: ReadonlyMap<string, { parent: string | undefined; mark: unknown }>
  /** Streams in which events are searched. */
  readonly searched: ReadonlySet<string>
  /** Order of sources by measure. */
  readonly order: Readonly<Record<string, readonly string[]>>
}

/** Readings by measure and unit, computed once for all comparisons with an account's state. */
const readingsBySeen = new WeakMap<Seen, Map<string, readonly Reading[]>>()

export function readingsOf(seen: Seen, measure: Measure, unit = measure.types[0]!): readonly Reading[] {
  const all = readingsBySeen.get(seen) ?? new Map<string, readonly Reading[]>()
  readingsBySeen.set(seen, all)
  const key = `${measure.id} ${unit}`
  const readings = all.get(key) ?? listReadings(seen, measure, unit)
  all.set(key, readings)
  return readings
}

function listReadings(seen: Seen, measure: Measure, unit: string): Reading[] {
  return seen.events.flatMap((event): Reading[] => {
    const type: string = event.type.replace(/^series:/, '')
    if (measureOf(seen, event.streamIds, type) !== measure.id || !measure.types.includes(type)) return []
    const source = sourceOf(seen, measure.id, event.streamIds)
    if (source === undefined) return []
    const convert = (value: unknown): number | undefined =>
      typeof value === 'number' ? convertUnit(value, type, unit, measure.molarMass) : undefined
    const base = { source, type: event.type }
    if (type !== event.type) {
      const series = seen.points.get(event.id) ?? { fields: [], points: [] }
      const at = (name: string): number => series.fields.indexOf(name)
      const [duration, value, fields] = [at('duration'), at('value'), (measure.fields ?? ['value']).map(at)]
      return series.points.map(row => ({
        ...base,
        time: event.time + row[0]!,
        duration: row[duration] ?? 0,
        content: row[value],
        values: fields.map(field => convert(row[field]))
      }))
    }
    const values = measure.fields ? measure.fields.map(name => event.content?.[name]) : [event.content]
    const { content, duration = 0, time } = event
    return [{ ...base, time, duration: duration ?? Infinity, content, values: values.map(convert) }]
  })
}

function measureOf({ streams }: Seen, ids: readonly string[], type: string): string | undefined {
  const marks = ids.map(id => {
    for (let at: string | undefined = id; at !== undefined; at = streams.get(at)?.parent) {
      const mark = streams.get(at)?.mark
      if (typeof mark === 'string' && mark !== '') return mark
    }
    return undefined
  })
  const known = marks.find(mark => mark !== undefined && findMeasure(mark)?.types.includes(type))
  if (known !== undefined) return known
  return marks.some(mark => mark !== undefined && !findMeasure(mark))
    ? undefined
    : findMeasureByType(type)?.id
}

function sourceOf({ order, searched }: Seen, measure: string, ids: readonly string[]): string | undefined {
  const own = ids.filter(id => searched.has(id))
  return order[measure]?.find(id => own.includes(id)) ?? own[0]
}

/** Orders sources: as listed, then by number of readings. */
export function orderOf({ order }: Seen, measure: string, all: readonly Reading[]): string[] {
  const listed = (order[measure] ?? []).filter(id => all.some(({ source }) => source === id))
  const count = (id: string): number => all.filter(({ source }) => source === id).length
  const others = [...new Set(all.map(({ source }) => source))]
    .filter(id => !listed.includes(id))
    .toSorted((a, b) => count(b) - count(a) || (a < b ? -1 : 1))
  return [...new Set(listed), ...others]
}

export function factOf(seen: Seen, measure: Measure): Answer {
  const all = readingsOf(seen, measure)
  if (all.length === 0) return undefined
  const sources = orderOf(seen, measure.id, all).flatMap(streamId => {
    const own = all.filter(({ source }) => source === streamId)
    return [...new Set(own.map(({ type }) => type))]
      .toSorted()
      .map(type => ({ streamId, type, ...summarize(own.filter(reading => reading.type === type)) }))
  })
  return { measure: measure.id, ...summarize(all), sources }
}

function summarize(some: readonly Reading[]): object {
  return {
    count: some.length,
    first: Math.min(...some.map(({ time }) => time)),
    last: Math.max(...some.map(({ time }) => time))
  }
}

export interface SampleQuery {
  readonly fromTime: number
  readonly toTime: number
  readonly parts: number
  readonly zone: string
}

export function samplesOf(
  seen: Seen,
  measure: Measure,
  { fromTime: from, parts, toTime: to, zone }: SampleQuery,
  { sources, unit }: { sources?: readonly string[]; unit?: string } = {}
): Answer[] {
  const all = readingsOf(seen, measure, unit)
  const order = sources ?? orderOf(seen, measure.id, all)
  const starts = Array.from({ length: parts }, (_, part) => from + part * ((to - from) / parts))
  const partOf = (time: number): number => (time > to ? -1 : starts.findLastIndex(start => start <= time))
  if (measure.kind === 'sum') {
    const sums = new Map<number, { sum: number; count: number; source: string }>()
    const days = [getLocalDay(zone, from).number, getLocalDay(zone, to).number] as const
    for (const { count, source, time, value } of countedParts(all, order, days, zone, starts.concat(to))) {
      const part = partOf(time)
      // What is spread from the end on lies outside, unless it begins there.
      if (part < 0 || (time === to && count === 0)) continue
      const known = sums.get(part) ?? { sum: 0, count: 0, source }
      sums.set(part, { ...known, sum: known.sum + value, count: known.count + count })
    }
    return [...sums].toSorted(([a], [b]) => a - b).map(([part, sum]) => ({ time: starts[part], ...sum }))
  }
  const byPart = groupBy(all, ({ time }) => partOf(time))
  return starts.flatMap((time, part) => {
    const within = byPart.get(part) ?? []
    if (measure.kind === 'level' || measure.kind === 'pair') {
      const level = levelOf(within, order)
      return level ? [{ time, ...level }] : []
    }
    const source = order.find(id => within.some(reading => reading.source === id))
    return within.length > 0 ? [{ time, count: within.length, source }] : []
  })
}

/** Returns, for each part, the numbers that may be its last ones: several if they have the same time. */
export function lastsOf(
  seen: Seen,
  measure: Measure,
  { fromTime: from, parts, toTime: to }: SampleQuery,
  { sources, unit }: { sources?: readonly string[]; unit?: string } = {}
): { time: number; numbers: (number | undefined)[][] }[] {
  const all = readingsOf(seen, measure, unit).filter(
    ({ source, time }) => time >= from && time <= to && (!sources || sources.includes(source))
  )
  const starts = Array.from({ length: parts }, (_, part) => from + part * ((to - from) / parts))
  const byPart = groupBy(all, one => starts.findLastIndex(start => start <= one.time))
  return starts.flatMap((time, part) => {
    const within = byPart.get(part) ?? []
    const numbers = (measure.fields ?? ['value'])
      .slice(0, measure.kind === 'pair' ? 2 : 1)
      .map((_, index) => {
        const own = within.filter(({ values }) => values[index] !== undefined)
        const last = Math.max(...own.map(one => one.time))
        return own.filter(one => one.time === last).map(({ values }) => values[index])
      })
    return numbers.some(some => some.length > 0) ? [{ time, numbers }] : []
  })
}

/** Groups readings by their parts: searching all of them for each of hundreds of parts takes seconds. */
function groupBy(all: readonly Reading[], partOf: (reading: Reading) => number): Map<number, Reading[]> {
  const groups = new Map<number, Reading[]>()
  for (const reading of all) {
    const part = partOf(reading)
    const group = groups.get(part)
    if (group) group.push(reading)
    else groups.set(part, [reading])
  }
  return groups
}

function levelOf(within: readonly Reading[], order: readonly string[]): Answer {
  const source = order.find(id => within.some(one => one.source === id && one.values[0] !== undefined))
  if (source === undefined) return undefined
  const own = within.filter(one => one.source === source && one.values[0] !== undefined)
  const width = own[0]!.values.length
  const columns = Array.from({ length: width }, (_, index) => own.map(({ values }) => values[index]!))
  const each = (aggregate: (numbers: number[]) => number): number | number[] =>
    width === 1 ? aggregate(columns[0]!) : columns.map(aggregate)
  return {
    count: own.length,
    min: each(numbers => Math.min(...numbers)),
    max: each(numbers => Math.max(...numbers)),
    mean: each(numbers => numbers.reduce((sum, value) => sum + value, 0) / numbers.length),
    source
  }
}

interface Part {
  readonly day: number
  readonly time: number
  readonly value: number
  readonly count: number
  readonly source: string
}

/** Splits readings at the starts of slots (and `cuts`), and returns the parts that count, day by day. */
function countedParts(
  all: readonly Reading[],
  order: readonly string[],
  [first, last]: readonly [number, number],
  zone: string,
  cuts: readonly number[] = []
): Part[] {
  const counted: Part[] = []
  for (let day = first; day <= last; day++) {
    const [from, to] = [getDayStart(zone, day), getDayStart(zone, day + 1)]
    const taken = new Set<number>()
    for (const source of order) {
      const own = all.filter(one => one.source === source && one.values[0] !== undefined)
      const isTotal = (one: Reading): boolean => one.duration >= 43_200 && one.duration < Infinity
      const middle = (one: Reading): number => one.time + Math.min(one.duration, 86_400) / 2
      const totals = own.filter(one => isTotal(one) && middle(one) >= from && middle(one) < to)
      const parts = own.filter(one => !isTotal(one)).map(one => splitReading(one, from, to, cuts))
      const reaching = parts.filter(some => some.length > 0)
      const isDaily = totals.length > 0 || (reaching.length === 1 && reaching[0]![0]!.count === 1)
      if (isDaily && taken.size > 0) continue
      const used =
        totals.length > 0
          ? totals.map(one => ({ time: middle(one), value: one.values[0]!, count: 1 }))
          : reaching.flat().filter(({ time }) => !taken.has(Math.floor((time - from) / 3600)))
      counted.push(...used.map(part => ({ ...part, day, source })))
      for (const { time } of used) taken.add(Math.floor((time - from) / 3600))
      if (isDaily && used.length > 0) break
    }
  }
  return counted
}

function splitReading(
  { duration, time, values }: Reading,
  from: number,
  to: number,
  cuts: readonly number[]
): { time: number; value: number; count: number }[] {
  const value = values[0]!
  if (duration === 0 || duration === Infinity)
    return time >= from && time < to ? [{ time, value, count: 1 }] : []
  const edges = [from, to, ...cuts]
  for (let slot = from; slot < to; slot += 3600) edges.push(slot)
  const until = time + duration
  const [start, end] = [Math.max(time, from), Math.min(until, to)]
  if (start >= end) return []
  const times = [...new Set([start, ...edges.filter(edge => edge > start && edge < end), end])].toSorted(
    (a, b) => a - b
  )
  return times.slice(0, -1).map((at, index) => ({
    time: at,
    value: (value * (times[index + 1]! - at)) / duration,
    // It counts where it begins.
    count: at === time ? 1 : 0
  }))
}

export function daysOf(
  seen: Seen,
  measure: Measure,
  { from, to, zone }: { from: number; to: number; zone: string }
): Answer[] {
  const all = readingsOf(seen, measure)
  const order = orderOf(seen, measure.id, all)
  const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index)
  const parts = measure.kind === 'sum' ? countedParts(all, order, [from, to], zone) : []
  return numbers.flatMap((number): Answer[] => {
    const day = formatDate(number)
    const [start, end] = [getDayStart(zone, number), getDayStart(zone, number + 1)]
    const within = all.filter(({ time }) => time >= start && time < end)
    if (measure.kind === 'sum') {
      const own = parts.filter(part => part.day === number)
      if (own.length === 0) return []
      const sum = own.reduce((total, { value }) => total + value, 0)
      return [
        { day, value: sum, count: own.reduce((total, { count }) => total + count, 0), source: own[0]!.source }
      ]
    }
    if (measure.kind === 'level' || measure.kind === 'pair') {
      const level = levelOf(within, order)
      if (!level) return []
      const { count, max, mean, min, source } = level
      return [{ day, value: mean, min, max, count, source }]
    }
    if (within.length === 0) return []
    const source = order.find(id => within.some(one => one.source === id))
    return [{ day, value: within.length, count: within.length, source }]
  })
}
