/** The last day of an access: what users choose, in place of the second at which it ends. */
import { Refusal } from '../../api.js'
import { t } from '../../language.js'

/** Returns the end of a day in seconds; undefined without a day. Throws a `Refusal` for a day in the past. */
export function toEnd(date: string): number | undefined {
  if (date === '') return undefined
  const end = new Date(`${date}T24:00`).getTime()
  if (!(end > Date.now())) throw new Refusal('people-past', t('people.dateInPast'))
  return Math.round(end / 1000)
}

function padPart(part: number): string {
  return String(part).padStart(2, '0')
}

/**
 * Returns the last day before an end (seconds), as a date input has it: `2024-01-31`; empty without an end.
 */
export function toLastDay(end: number | null | undefined): string {
  if (typeof end !== 'number') return ''
  const day = new Date((end - 1) * 1000)
  return `${String(day.getFullYear())}-${padPart(day.getMonth() + 1)}-${padPart(day.getDate())}`
}
