/** Imports as the API returns them. (docs/api/imports.md) */
import { isKey, getLocale, t } from '../../language.js'
import { toPlainText } from '../../plain-text.js'
import { formatDuration } from '../parts/format-duration.js'

type State = 'looking' | 'looked' | 'unreadable' | 'writing' | 'written' | 'cancelled' | 'failed' | 'removing'

export type Counts = Readonly<Record<string, number>>

/** What the user has chosen for a lane: exactly one of these. */
export interface LaneChoice {
  /** `null` for none. */
  readonly measure?: string | null
  readonly streamId?: string
  readonly isLeftOut?: true
}

export interface Lane {
  readonly key: string
  readonly stream: string
  readonly source: string
  readonly type: string
  readonly form: 'series' | 'events'
  readonly count: number
  readonly from: number
  readonly to: number
  /** The streams to its records, which may not exist yet. Absent in reviews of earlier versions, like the measure. */
  readonly path?: readonly { readonly id: string; readonly name: string }[]
  readonly measure?: string
  readonly choice?: LaneChoice
  /** The first content. Long texts are truncated; other long contents are missing. */
  readonly example?: unknown
  readonly min?: Bound
  readonly max?: Bound
}

/** Min or max of contents: one number, or one per field. */
type Bound = number | Readonly<Record<string, number>>

export interface ColumnMapping {
  readonly column: number
  readonly type: string
  readonly stream: string
  readonly field?: string
}

export interface Mapping {
  readonly time: number
  readonly clock?: number
  readonly end?: number
  readonly source?: number
  readonly dates?: 'dmy' | 'mdy' | 'ymd'
  readonly decimals?: 'comma' | 'point'
  readonly values: readonly ColumnMapping[]
}

export interface Table {
  readonly header: string
  readonly columns: readonly string[]
  readonly sample: readonly (readonly string[])[]
  readonly mapping?: Mapping
  /** Ambiguities that the mapping must resolve; affected rows are skipped until then. */
  readonly questions?: readonly { readonly asks: 'dates' | 'decimals'; readonly cells: readonly string[] }[]
}

/** An English sentence with placeholders, whose values may be notices themselves. */
interface Notice {
  readonly message: string
  readonly values?: Readonly<Record<string, string | number | Notice>>
}

interface Tally {
  readonly broughtIn: Counts
  readonly known: Counts
  readonly leftOut: Counts
}

export interface Import {
  readonly id: string
  readonly state: State
  readonly fileName: string
  readonly size: number
  readonly created: number
  readonly message?: string
  /** The same in translatable form; or `errorId`. */
  readonly notice?: Notice
  readonly errorId?: string
  readonly seconds?: number
  readonly zone?: string
  readonly progress?: { readonly pass: number; readonly done: number; readonly total: number }
  readonly look?: {
    readonly formatName: string
    readonly records: Counts
    readonly from: number | null
    readonly to: number | null
    readonly lanes: readonly Lane[]
    /** Skipped records by reason and by their name in the file. */
    readonly leftOutKinds?: Readonly<Record<string, Counts>>
    /** The first skipped rows by reason: row numbers, with the sheet's name for spreadsheets. */
    readonly leftOutRows?: Readonly<Record<string, readonly (number | string)[]>>
    readonly warnings: readonly string[]
    /** The same in translatable form. */
    readonly notices?: readonly Notice[]
    readonly tables: readonly Table[]
  }
  readonly tally?: Tally
}

/** Returns whether an import is being processed. */
export function isBusy({ state }: Import): boolean {
  return state === 'looking' || state === 'writing' || state === 'removing'
}

/** Returns the sum of counts; 0 without any. */
export function sumCounts(counts: Counts = {}): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** Returns the text of a reason in the page's language; the reason itself if it has none. */
export function getReasonText(reason: string): string {
  const key = `import.reason.${reason}`
  return isKey(key) ? t(key) : toPlainText(reason)
}

/** Returns the text of a notice in the page's language; `english` if it has no translation. */
export function getNoticeText({ message, values = {} }: Notice, english = message): string {
  const key = `import.message.${message}`
  if (!isKey(key)) return toPlainText(english)
  const texts = Object.entries(values).map(([name, value]) => [name, getValueText(name, value)])
  return t(key, Object.fromEntries(texts) as Record<string, string | number>)
}

function getValueText(name: string, value: string | number | Notice): string | number {
  if (typeof value === 'object') return getNoticeText(value)
  if (typeof value === 'number') return name === 'seconds' ? formatDuration(value) : value
  const key = `import.${name}.${value}`
  return isKey(key) ? t(key) : toPlainText(value)
}

/** Returns the error message of a failed import in the page's language. */
export function getFailureText({ errorId = '', message = '', notice }: Import): string {
  const key = `error.${errorId}`
  if (notice) return getNoticeText(notice, message)
  return isKey(key) ? t(key) : toPlainText(message)
}

/** Formats a count in the page's language. */
export function formatCount(count: number): string {
  return new Intl.NumberFormat(getLocale()).format(count)
}
