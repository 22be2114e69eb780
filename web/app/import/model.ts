/** Imports as the API returns them. (docs/api/imports.md) */
import { isKey, locale, t } from '../../language.js'
import { plain } from '../../plain.js'
import { lengthInWords } from '../parts/lengths.js'

export type State =
  | 'looking'
  | 'looked'
  | 'unreadable'
  | 'writing'
  | 'written'
  | 'cancelled'
  | 'failed'
  | 'removing'

export type Counts = Readonly<Record<string, number>>

export interface Lane {
  readonly key: string
  readonly stream: string
  readonly source: string
  readonly type: string
  readonly form: 'series' | 'events'
  readonly count: number
  readonly from: number
  readonly to: number
  /** The first content; long texts are cut, other long contents are absent. */
  readonly example?: unknown
  readonly min?: Bound
  readonly max?: Bound
}

/** The least or greatest numbers of contents: one number, or one for each field. */
export type Bound = number | Readonly<Record<string, number>>

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
  /** What is left out until the mapping says how to read it. */
  readonly questions?: readonly { readonly asks: 'dates' | 'decimals'; readonly cells: readonly string[] }[]
}

/** An English sentence with its values in braces, which may be notices themselves. */
export interface Notice {
  readonly message: string
  readonly values?: Readonly<Record<string, string | number | Notice>>
}

export interface Tally {
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
  /** The same, to be told in the language of the page, or the id of an error. */
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
    /** By reason, what the file calls the records that are left out. */
    readonly leftOutKinds?: Readonly<Record<string, Counts>>
    /** The first rows that each reason leaves out: numbers, and those of sheets with their names. */
    readonly leftOutRows?: Readonly<Record<string, readonly (number | string)[]>>
    readonly warnings: readonly string[]
    /** The same, to be told in the language of the page. */
    readonly notices?: readonly Notice[]
    readonly tables: readonly Table[]
  }
  readonly tally?: Tally
}

/** Whether it changes by itself. */
export function isBusy({ state }: Import): boolean {
  return state === 'looking' || state === 'writing' || state === 'removing'
}

export function sumOf(counts: Counts = {}): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

/** Returns what a reason says in the language of the page. */
export function reasonText(reason: string): string {
  const key = `import.reason.${reason}`
  return isKey(key) ? t(key) : plain(reason)
}

/** Returns what is told of a file in the language of the page; `english` where it has no text for it. */
export function noticeText({ message, values = {} }: Notice, english = message): string {
  const key = `import.message.${message}`
  if (!isKey(key)) return plain(english)
  const told = Object.entries(values).map(([name, value]) => [name, valueText(name, value)])
  return t(key, Object.fromEntries(told) as Record<string, string | number>)
}

function valueText(name: string, value: string | number | Notice): string | number {
  if (typeof value === 'object') return noticeText(value)
  if (typeof value === 'number') return name === 'seconds' ? lengthInWords(value) : value
  const key = `import.${name}.${value}`
  return isKey(key) ? t(key) : plain(value)
}

/** Returns why an import has failed, in the language of the page. */
export function failureText({ errorId = '', message = '', notice }: Import): string {
  const key = `error.${errorId}`
  if (notice) return noticeText(notice, message)
  return isKey(key) ? t(key) : plain(message)
}

export function written(count: number): string {
  return new Intl.NumberFormat(locale()).format(count)
}
