/** Reads a week, and describes its measures in words: how they compare, never why. (docs/api/measure-methods.md#a-week) */
import { t, type Key } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import type { Account } from '../data/account.js'
import { formatMeasureNumber, formatMeasurePair, getChoiceLabel, type AnyMeasure } from '../data/measures.js'
import { joinQuantity } from '../data/units.js'
import { formatDuration } from '../parts/format-duration.js'

type NumberOrPair = number | readonly number[]

interface Times {
  readonly median: string
  readonly earliest: string
  readonly latest: string
}

/** A measure in a week. */
interface MeasureWeek {
  readonly measure: string
  readonly days: number
  readonly value?: unknown
  readonly total?: number
  readonly usual?: { readonly median: NumberOrPair; readonly low: NumberOrPair; readonly high: NumberOrPair }
  readonly position: 'lower' | 'usual' | 'higher' | 'unknown'
  readonly goal?: { readonly period: 'day' | 'week'; readonly reached: number; readonly total: number }
  readonly night?: { readonly begin: Times; readonly end: Times }
  readonly places?: { readonly count: number; readonly most: { readonly seconds: number } }
}

export interface Week {
  readonly from: string
  readonly to: string
  readonly measures: readonly MeasureWeek[]
  readonly looked?: readonly { readonly accessId: string; readonly name: string; readonly days: number }[]
}

/** A measure with its week. */
export interface Row {
  readonly measure: AnyMeasure
  readonly week: MeasureWeek
}

const weekDays = 7

/** Reads the week that ends on a date, and its measures. Rejects with a `Refusal`. */
export async function readWeek(
  { client, measures }: Account,
  to: string,
  zone: string
): Promise<{ readonly week: Week; readonly rows: readonly Row[] }> {
  const week = await client.call<Week>('measures.week', { to, zone })
  const found = await measures.read(week.measures.map(({ measure }) => measure))
  const rows = found.map((measure, index) => ({ measure, week: week.measures[index]! }))
  return { week, rows }
}

/** Describes the value of a measure, how it compares, and what is missing. */
export function describeRow({ measure, week }: Row): string {
  const { days, position, total, usual, value } = week
  if (days === 0) return t('letter.noData')
  const missing = days < weekDays ? ` ${t('letter.missing', { count: weekDays - days })}` : ''
  const shown = value === undefined ? t('letter.records', { count: total ?? 0 }) : formatValue(measure, value)
  if ((position !== 'lower' && position !== 'higher') || !usual)
    return missing === '' ? shown : `${endSentence(shown)}${missing}`
  const degree = isLittle(week) ? 'little' : 'clear'
  const key: Key = `letter.${position}.${degree}`
  const range = { low: formatValue(measure, usual.low), high: formatValue(measure, usual.high) }
  return `${endSentence(t(key, { value: shown, ...range }))}${missing}`
}

/** Ends a text with one full stop: units such as `Min.` have one already. */
function endSentence(text: string): string {
  return `${text.replace(/(?<!\.)\.+$/, '')}.`
}

/** Returns whether a value is within two spreads of the usual one. */
function isLittle({ usual, value }: MeasureWeek): boolean {
  const [median, high, at] = [usual?.median, usual?.high, value].map(each =>
    Array.isArray(each) ? (each as readonly unknown[])[0] : each
  ) as readonly number[]
  return Math.abs(at! - median!) < 2 * (high! - median!)
}

/** Describes how often a goal was reached; empty without a goal. */
export function describeGoal({ goal }: MeasureWeek): string {
  if (!goal) return ''
  const { period, reached, total } = goal
  if (period === 'day') return t('letter.goalDays', { count: total, reached })
  return t(reached > 0 ? 'letter.goalReached' : 'letter.goalMissed')
}

function formatValue(measure: AnyMeasure, value: unknown): string {
  if (Array.isArray(value)) return joinQuantity(formatMeasurePair(measure, value as readonly number[]))
  if (typeof value !== 'number' || measure.kind === 'category')
    return getChoiceLabel(measure, value) ?? toPlainText(String(value))
  return measure.kind === 'span'
    ? formatDuration(value)
    : joinQuantity(formatMeasureNumber(measure, value, { isRounded: true }))
}
