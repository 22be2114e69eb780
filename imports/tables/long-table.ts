/** Tables with a row for each value, whose measure and unit stand in cells: read as tables with a column for each measure. */
import { isNumber, pressureOf } from '../text/cells.js'
import type { Numbers } from '../text/survey.js'
import { guessed } from './guess.js'
import { mostRows, type Layout } from './layout.js'
import { foldName } from './names.js'
import type { TableReading } from './table-reading.js'
import { most } from './time-columns.js'

/** Names of columns that name what is measured. */
const metricNames =
  /^(?:(?:metric|measure|measurement|observation|parameter|variable|quantity|data|record|sample|vital(?: sign)?|reading|test|analyte|item|sensor|indicator|health)(?: ?(?:name|type|kind|code))?|type|kind|name|code|art|typ|mess(?:grosse|art|wert ?art)|grosse|bezeichnung|mesure|grandeur|indicateur|type de (?:mesure|donnee)s?|label)$/
const valueNames =
  /^(?:(?:metric|measured?|measurement|observation|numeric|reading|result) ?)?(?:value|values|val|wert|valeur)$|^(?:messwert|reading|result|ergebnis|resultat|qty|quantity|amount|menge)$/
const unitNames =
  /^(?:(?:metric|measurement|value|result) ?)?units?(?: of measure(?:ment)?)?$|^(?:uom|einheit(?:en)?|masseinheit|unites?(?: de mesure)?)$/
/** Columns that may name what is measured, and measures of a table with their units. */
const mostCandidates = 3
const mostMeasures = 100
/** Rows that are kept of each measure, to tell what it is. */
const mostOfEach = 5
const longestName = 100

interface LongColumns {
  readonly metric: number
  readonly value: number
  readonly unit: number | undefined
  /** The other columns. */
  readonly others: readonly number[]
}

/** A table as one with a column for each measure. */
export interface Pivoted {
  readonly layout: Layout
  readonly eachRow: TableReading['eachRow']
}

export type EachRecord = (onRow: (cells: string[]) => void) => Promise<unknown>

/** Finds the columns of a table with a row for each value, each with another one that may name what is measured. */
export function findLongColumns({ columns = [], records }: Layout): LongColumns[] {
  const names = columns.map(foldName)
  const value = names.findIndex((name, at) => valueNames.test(name) && most(records, at, isValue))
  if (value < 0) return []
  const unitAt = names.findIndex(name => unitNames.test(name))
  const unit = unitAt < 0 ? undefined : unitAt
  const metrics = [...names.keys()].filter(
    at => at !== value && metricNames.test(names[at]!) && !most(records, at, isValue)
  )
  return metrics.slice(0, mostCandidates).map(metric => {
    const others = [...names.keys()].filter(at => at !== metric && at !== value && at !== unit)
    return { metric, value, unit, others }
  })
}

/**
 * Returns a table as one with a column for each measure and its unit, named by the metrics that most is known of; `undefined` if nothing
 * is. `width`: cells that its rows have at most.
 */
export async function pivot(
  candidates: readonly LongColumns[],
  reading: TableReading,
  layout: Layout,
  width: number,
  eachRecord: EachRecord
): Promise<Pivoted | undefined> {
  const tables = candidates.map(columns => new WideTable(columns, layout, width))
  await eachRecord(cells => {
    for (const table of tables) table.add(cells)
  })
  const [best] = tables.map(table => ({ table, known: table.known() })).toSorted((a, b) => b.known - a.known)
  return best && best.known > 0
    ? { layout: best.table.layout(), eachRow: best.table.rows(reading) }
    : undefined
}

class WideTable {
  readonly #measures = new Map<string, number>()
  readonly #names: string[] = []
  readonly #counts: number[] = []
  readonly #sample: string[][] = []
  /** Columns whose values make one record together, such as those of blood pressures. */
  #joined: ReadonlySet<number> = new Set()

  constructor(
    private readonly columns: LongColumns,
    private readonly long: Layout,
    private readonly width: number
  ) {
    this.#names = columns.others.map(at => long.columns![at]!)
  }

  add(cells: readonly string[]): void {
    const at = this.#columnIn(cells, true)
    const count = (this.#counts[at] = (this.#counts[at] ?? 0) + 1)
    if (count <= mostOfEach || this.#sample.length < mostOfEach) {
      if (this.#sample.length < mostRows * mostOfEach) this.#sample.push(this.#wide(cells, at))
    }
  }

  /** Returns of how many measures it is known what they are. */
  known(): number {
    const values = guessed(this.#names, this.#sample)?.values ?? []
    const first = this.columns.others.length
    this.#joined = new Set(values.flatMap(({ column, field }) => (field === undefined ? [] : [column])))
    return values.filter(({ column }) => column >= first).length
  }

  layout(): Layout {
    return {
      ...this.long,
      columns: this.#names,
      width: this.#names.length,
      firstMeasure: this.columns.others.length,
      records: this.#sample
    }
  }

  rows({ eachRow }: TableReading): TableReading['eachRow'] {
    const { metric, others, unit } = this.columns
    return async ({ shared, ...wanted }, sink, onRow) => {
      const columns = new Set([...[...shared].map(at => (at === undefined ? at : others[at])), metric, unit])
      let row = 0
      let open: { readonly cells: string[]; readonly at: number; readonly numbers: boolean[] } | undefined
      const flush = (): void => {
        if (open) onRow(open.cells, open.at, open.numbers)
        open = undefined
      }
      const torn = await eachRow(
        { ...wanted, shared: columns },
        sink,
        (cells, at = row + 1, numbers = []) => {
          if (row++ < this.long.skipped) {
            onRow(cells, at)
            return
          }
          const column = this.#columnIn(cells, false)
          const wide = this.#wide(cells, column)
          const flags = this.#flags(numbers, column)
          if (open && this.#joined.has(column) && areAlike(open.cells, wide, others.length, column)) {
            while (open.cells.length <= column) open.cells.push('')
            open.cells[column] = wide[column]!
            if (flags[column]) open.numbers[column] = true
            return
          }
          flush()
          open = { cells: wide, at, numbers: flags }
          if (!this.#joined.has(column)) flush()
        }
      )
      flush()
      return torn
    }
  }

  /** The column of the measure that a row names. */
  #columnIn(cells: readonly string[], mayAdd: boolean): number {
    const { metric, unit } = this.columns
    const name = `${(cells[metric] ?? '').trim()}\n${unit === undefined ? '' : (cells[unit] ?? '').trim()}`
    const known = this.#measures.get(name)
    if (known !== undefined) return known
    const isLast = this.#measures.size >= mostMeasures - 1
    const key = isLast ? '…\n' : name
    const last = this.#measures.get(key)
    if (last !== undefined || !mayAdd) return last ?? this.#names.length
    this.#measures.set(key, this.#names.length)
    const [own = '', ofUnit = ''] = key.split('\n')
    const words = inWords(own.slice(0, longestName)) || 'Values'
    return this.#names.push(ofUnit === '' ? words : `${words} (${ofUnit.slice(0, longestName)})`) - 1
  }

  /** The cells of a row with its value in a column. A row with too many cells has too many here as well. */
  #wide(cells: readonly string[], column: number): string[] {
    const { others, value } = this.columns
    const wide = others.map(at => cells[at] ?? '')
    const length = cells.length > this.width ? this.#names.length + 2 : column
    while (wide.length < length) wide.push('')
    wide[column] = cells[value] ?? ''
    return wide
  }

  #flags(numbers: Numbers, column: number): boolean[] {
    const flags = this.columns.others.map(at => numbers[at] ?? false)
    if (numbers[this.columns.value]) flags[column] = true
    return flags
  }
}

/** Whether rows differ in their measures alone, and the later one has another measure than the earlier. */
function areAlike(
  earlier: readonly string[],
  later: readonly string[],
  others: number,
  column: number
): boolean {
  if ((earlier[column] ?? '').trim() !== '') return false
  for (let at = 0; at < others; at++) if (earlier[at] !== later[at]) return false
  return true
}

/** A name such as `HKQuantityTypeIdentifierHeartRate` in words. */
function inWords(name: string): string {
  return name.replace(/^HK[A-Za-z]{1,20}TypeIdentifier/, '').replaceAll(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ')
}

function isValue(cell: string): boolean {
  return isNumber(cell) || pressureOf(cell) !== undefined
}
