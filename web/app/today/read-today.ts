/** Reads what the page Today shows first, in one request. */
import type { Goal } from '../../../schemas/measures/goals.js'
import { formatDate } from '../../../schemas/zones.js'
import type { Account } from '../data/account.js'
import {
  getCurrency,
  toCurrency,
  type AnyMeasure,
  type MeasureDay,
  type MeasureFact
} from '../data/measures.js'
import type { Event } from '../data/model.js'
import type { Day } from '../lanes/calendar.js'
import { getFirstDay, type DayValue } from './goals.js'
import { findNight, type Night } from './night.js'

/** A day of a measure. `number` counts from 1 January 1970. */
export type MeasureRow = MeasureDay & { readonly number: number }

export interface TodayData {
  readonly measures: ReadonlyMap<string, AnyMeasure>
  /** The last 28 days and today, by id of the measure; also the weeks that a goal needs. */
  readonly rows: ReadonlyMap<string, readonly MeasureRow[]>
  /** Events that have not ended, the latest first. */
  readonly running: readonly Event[]
  /** Notes, photos and files of the day, the latest first. */
  readonly moments: readonly Event[]
  /** Places of the day, the latest first. */
  readonly places: readonly Event[]
  /** The night that has ended today, if sleep is shown. */
  readonly night: Night | undefined
}

/** Days before today that are compared with it. */
export const comparedDays = 28
/** Maximum numbers of events read. */
const maxRunning = 10
const maxMoments = 12
const maxPlaces = 20
const maxPeriods = 200

/** Reads the data of these cards on a day. Rejects with a `Refusal`. */
export async function readToday(
  account: Account,
  cards: readonly string[],
  day: Day,
  goals: ReadonlyMap<string, Goal>
): Promise<TodayData> {
  const { client, measures } = account
  const facts = new Map(account.measureFacts.value.map(fact => [fact.measure, fact]))
  const withData = cards.filter(id => facts.has(id))
  const readEvents = async (params: object): Promise<readonly Event[]> =>
    (await client.call<{ events: readonly Event[] }>('events.get', params)).events
  const ofDay = { fromTime: day.from, toTime: day.to - 0.001 }
  // Calls of one turn of the event loop share a request.
  const [found, rows, running, moments, places, periods] = await Promise.all([
    readMeasures(),
    Promise.all(withData.map(async id => [id, await readRows(id)] as const)),
    readEvents({ running: true, limit: maxRunning }),
    readEvents({ ...ofDay, types: ['note/*', 'picture/*', 'file/*'], limit: maxMoments }),
    readEvents({ ...ofDay, types: ['position/wgs84'], limit: maxPlaces }),
    readPeriods(facts.get('sleep'))
  ])
  const byMeasure = new Map(rows)
  const source = byMeasure.get('sleep')?.find(({ number }) => number === day.number)?.source
  return {
    measures: new Map(found.map(measure => [measure.id, toCurrency(measure, facts.get(measure.id))])),
    rows: byMeasure,
    running,
    moments,
    places,
    night: findNight(
      periods.filter(({ streamIds }) => source !== undefined && streamIds.includes(source)),
      day
    )
  }

  async function readMeasures(): Promise<readonly AnyMeasure[]> {
    const known = await measures.read(withData)
    const others = cards.filter(id => !facts.has(id))
    if (others.length === 0) return known
    // Measures without data; one of the user's own may no longer exist.
    if (others.some(id => !measures.find(id))) await measures.readAll()
    return [...known, ...others.flatMap(id => measures.find(id) ?? [])]
  }

  async function readRows(measure: string): Promise<readonly MeasureRow[]> {
    const from = goals.get(measure)?.period === 'week' ? getFirstDay(day.number) : day.number - comparedDays
    const { days } = await client.call<{ days: readonly MeasureDay[] }>('measures.days', {
      measure,
      from: formatDate(from),
      to: formatDate(day.number),
      zone: day.zone,
      unit: getCurrency(facts.get(measure))
    })
    return days.map(each => ({ ...each, number: Date.parse(each.day) / 86_400_000 }))
  }

  /** Reads the periods of sleep since yesterday, of all sources. */
  async function readPeriods(fact: MeasureFact | undefined): Promise<readonly Event[]> {
    const sources = fact && cards.includes('sleep') ? fact.sources : []
    const own = sources.filter(({ type, last }) => !type.startsWith('series:') && last >= day.from - 86_400)
    if (own.length === 0) return []
    return await readEvents({
      streams: [...new Set(own.map(({ streamId }) => streamId))],
      types: [...new Set(own.map(({ type }) => type))],
      fromTime: day.from - 86_400,
      toTime: day.to,
      limit: maxPeriods
    })
  }
}

/** Returns the numbers of days that have one; of pairs, the first. */
export function toValues(rows: readonly MeasureRow[]): readonly DayValue[] {
  return rows.flatMap(({ number, value }) => {
    const single: unknown = Array.isArray(value) ? value[0] : value
    return typeof single === 'number' ? [{ number, value: single }] : []
  })
}
