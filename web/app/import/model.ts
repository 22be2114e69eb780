/** Imports as the API returns them. (docs/api/imports.md) */
import { isKey, locale, t } from '../../language.js'
import { plain } from '../../plain.js'

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
  readonly seconds?: number
  readonly zone?: string
  readonly progress?: { readonly pass: number; readonly done: number; readonly total: number }
  readonly look?: {
    readonly formatName: string
    readonly records: Counts
    readonly from: number | null
    readonly to: number | null
    readonly lanes: readonly Lane[]
    /** Numbers of the first rows that each reason leaves out. */
    readonly leftOutRows?: Readonly<Record<string, readonly number[]>>
    readonly warnings: readonly string[]
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

export function written(count: number): string {
  return new Intl.NumberFormat(locale()).format(count)
}
