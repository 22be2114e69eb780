/** Reads what is on the printout for the doctor: a row for each measure with numbers in a period. */
import { convertUnit } from '../../../schemas/units.js'
import { getLocale, t } from '../../language.js'
import type { Account } from '../data/account.js'
import {
  getCurrency,
  getMeasureName,
  toCurrency,
  type AnyMeasure,
  type MeasureDay,
  type MeasureFact
} from '../data/measures.js'
import { formatNumber, formatQuantity, formatRating } from '../data/units.js'
import { formatDuration } from '../parts/format-duration.js'
import { formatTime } from '../parts/format-time.js'

/** The numbers of a day: one, or two of a pair. */
interface ChartDay {
  /** Days since the first one of the period. */
  readonly at: number
  readonly values: readonly number[]
}

/** A row of the report; its figures are formatted. */
export interface ReportRow {
  readonly id: string
  readonly name: string
  readonly unit: string
  readonly count: string
  readonly mean: string
  readonly min: string
  readonly max: string
  readonly latest: string
  /** Empty if none is known. */
  readonly normal: string
  /** Where that is from. */
  readonly normalSource: string
  readonly days: readonly ChartDay[]
  /** For the chart, in the unit of its numbers: one for each of a pair. */
  readonly normalRanges: readonly (readonly [number, number])[]
  /** Formats a value without its unit. */
  readonly formatShort: (value: number) => string
}

/** A period of local days, both included: `2026-03-01`. */
interface Period {
  readonly from: string
  readonly to: string
  readonly dayCount: number
}

const kinds: ReadonlySet<string> = new Set(['level', 'sum', 'pair', 'span'])
/** Measures per batch. */
const batchSize = 20

/** Returns the last `dayCount` days until today. */
export function getPeriod(dayCount: number, now: Date): Period {
  const first = new Date(now.getFullYear(), now.getMonth(), now.getDate() - dayCount + 1)
  return { from: toDate(first), to: toDate(now), dayCount }
}

/**
 * Reads the rows of a period, in the order of the catalogue, one for each measure with numbers on these days.
 * Rejects with a `Refusal`.
 */
export async function readReport(
  { client, measureFacts, measures }: Account,
  period: Period
): Promise<readonly ReportRow[]> {
  const facts = measureFacts.value
  const findFact = (id: string): MeasureFact | undefined => facts.find(({ measure }) => measure === id)
  const numeric = (await measures.read(facts.map(({ measure }) => measure))).filter(({ kind }) =>
    kinds.has(kind)
  )
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const rows: ReportRow[] = []
  for (let at = 0; at < numeric.length; at += batchSize) {
    const part = numeric.slice(at, at + batchSize)
    const results = await client.batchStrict<{ days: readonly MeasureDay[] }[]>(
      part.map(({ id }) => ({
        method: 'measures.days',
        params: { measure: id, from: period.from, to: period.to, zone, unit: getCurrency(findFact(id)) }
      }))
    )
    for (const [index, { days }] of results.entries()) {
      const measure = part[index]!
      const fact = findFact(measure.id)
      if (days.length > 0) rows.push(createRow(toCurrency(measure, fact), days, fact, period))
    }
  }
  return rows
}

/** Summarises the days of a measure: of readings, or of the totals of days. */
function createRow(
  measure: AnyMeasure,
  days: readonly MeasureDay[],
  fact: MeasureFact | undefined,
  { from }: Period
): ReportRow {
  const isReading = measure.kind === 'level' || measure.kind === 'pair'
  const count = days.reduce((sum, day) => sum + day.count, 0)
  const size = measure.kind === 'pair' ? 2 : 1
  const parts = Array.from({ length: size }, (_, at) => summarise(days, at, isReading))
  const { format, unit } = createFormat(measure)
  const join = (pick: (part: Summary) => number): string => parts.map(part => format(pick(part))).join('/')
  const ranges = measure.normal ? (size === 1 ? [measure.normal] : measure.normal) : []
  const normalRanges = ranges as readonly (readonly [number, number])[]
  return {
    id: measure.id,
    name: getMeasureName(measure),
    unit: isReading ? unit : [unit, t('report.perDay')].filter(Boolean).join(' '),
    count: formatNumber(isReading ? count : days.length),
    mean: join(({ mean }) => mean),
    min: join(({ min }) => min),
    max: join(({ max }) => max),
    latest: fact && isReading ? formatLatest(fact, format) : formatLatestDay(days, format),
    normal: normalRanges.map(([min, max]) => `${format(min)}–${format(max)}`).join(' / '),
    normalSource: measure.normalSource ?? '',
    days: days.map(({ day, value }) => ({
      at: Math.round((Date.parse(day) - Date.parse(from)) / 86_400_000),
      values: Array.from({ length: size }, (_, at) => getNumber(value, at))
    })),
    normalRanges,
    formatShort: format
  }
}

interface Summary {
  readonly mean: number
  readonly min: number
  readonly max: number
}

/** Returns the mean, minimum and maximum of days. `at`: which number of a pair; `isReading`: days weigh by their readings. */
function summarise(days: readonly MeasureDay[], at: number, isReading: boolean): Summary {
  let [weight, sum, min, max] = [0, 0, Infinity, -Infinity]
  for (const day of days) {
    const value = getNumber(day.value, at)
    if (Number.isNaN(value)) continue
    // Means of days count by their readings.
    const by = isReading ? day.count : 1
    weight += by
    sum += value * by
    min = Math.min(min, getNumber(day.min ?? day.value, at))
    max = Math.max(max, getNumber(day.max ?? day.value, at))
  }
  return { mean: sum / weight, min, max }
}

/** Returns one of the numbers of a value; `NaN` if it is missing. */
function getNumber(value: MeasureDay['value'], at: number): number {
  if (typeof value === 'number') return at === 0 ? value : NaN
  return typeof value === 'object' ? (value[at] ?? NaN) : NaN
}

/** Returns the unit of a measure, and a function that formats its numbers in it. */
function createFormat({ kind, molarMass, types, unit }: AnyMeasure): {
  readonly unit: string
  readonly format: (value: number) => string
} {
  const [stored] = types as readonly [string, ...string[]]
  if (kind === 'span') return { unit: '', format: formatFinite(formatDuration) }
  if (stored === 'mood/rating') return { unit: '', format: formatFinite(formatRating) }
  const shown = unit?.shown ?? stored
  // 180 g/mol: glucose.
  const options = { isGlucose: molarMass !== undefined && Math.round(molarMass) === 180 }
  const quantity = (value: number) => {
    const converted = convertUnit(value, stored, shown, molarMass) ?? value
    return formatQuantity(shown, kind === 'pair' ? Math.round(converted) : round(converted), options)
  }
  const symbol = shown === 'blood-pressure/mmhg-bpm' ? 'mmHg' : quantity(1).unit
  return { unit: symbol, format: formatFinite(value => quantity(value).value) }
}

function formatFinite(format: (value: number) => string): (value: number) => string {
  return value => (Number.isFinite(value) ? format(value) : '–')
}

/** Rounds to three significant digits, or to whole numbers. */
function round(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3))
}

function formatLatest({ latest, last }: MeasureFact, format: (value: number) => string): string {
  const { value } = latest
  if (value === undefined) return ''
  const text = typeof value === 'number' ? format(value) : value.map(each => format(each ?? NaN)).join('/')
  return `${text} (${formatTime(last, { dateStyle: 'medium' })})`
}

function formatLatestDay(days: readonly MeasureDay[], format: (value: number) => string): string {
  const { day, value } = days.at(-1)!
  const date = new Intl.DateTimeFormat(getLocale(), { dateStyle: 'medium', timeZone: 'UTC' })
  return `${format(getNumber(value, 0))} (${date.format(Date.parse(day))})`
}

/** Formats the local date of a time: `2026-03-01`. */
function toDate(time: Date): string {
  const [month, day] = [time.getMonth() + 1, time.getDate()].map(each => String(each).padStart(2, '0'))
  return `${String(time.getFullYear()).padStart(4, '0')}-${month}-${day}`
}
