/**
 * Converts long tables to tables with a column for each measure. A row of a long table has one value, the name of its
 * measure, and its unit.
 */
import { isNumberCell, parsePressure } from '../text/cell-numbers.js'
import type { NumberFlags } from '../text/notation-detector.js'
import { detectMapping } from './detect-mapping.js'
import { maxSampleRows, type TableLayout } from './table-layout.js'
import { foldName } from './fold-name.js'
import type { TableSource } from './table-source.js'
import { matchesMostCells } from './time-columns.js'

/** Names of columns of measures. */
const metricNames =
  /^(?:(?:metric|measure|measurement|observation|parameter|variable|quantity|data|record|sample|vital(?: sign)?|reading|test|analyte|item|sensor|indicator|health)(?: ?(?:name|type|kind|code))?|type|kind|name|code|art|typ|mess(?:grosse|art|wert ?art)|grosse|bezeichnung|mesure|grandeur|indicateur|type de (?:mesure|donnee)s?|label)$/
const valueNames =
  /^(?:(?:metric|measured?|measurement|observation|numeric|reading|result) ?)?(?:value|values|val|wert|valeur)$|^(?:messwert|reading|result|ergebnis|resultat|qty|quantity|amount|menge)$/
const unitNames =
  /^(?:(?:metric|measurement|value|result) ?)?units?(?: of measure(?:ment)?)?$|^(?:uom|einheit(?:en)?|masseinheit|unites?(?: de mesure)?)$/
/** Limits of possible measure columns, and of a table's measures with their units. */
const maxCandidates = 3
const maxMeasures = 100
/** Maximum number of sample rows of each measure, from which its type is detected. */
const maxSampleRowsPerMeasure = 5
const maxNameLength = 100

interface LongColumns {
  readonly metric: number
  readonly value: number
  readonly unit: number | undefined
  /** The other columns. */
  readonly others: readonly number[]
}

/** A long table as a table with a column for each measure. */
export interface WideTableResult {
  readonly layout: TableLayout
  readonly readRows: TableSource['readRows']
}

export type ForEachRecord = (onRow: (cells: string[]) => void) => Promise<unknown>

/**
 * Finds the columns of a long table; one result for each column that may contain measures, at most
 * {@link maxCandidates}. Returns an empty
 * list for other tables.
 */
export function findLongColumns({ columns = [], records }: TableLayout): LongColumns[] {
  const names = columns.map(foldName)
  const value = names.findIndex(
    (name, at) => valueNames.test(name) && matchesMostCells(records, at, isMeasureValue)
  )
  if (value < 0) return []
  const unitAt = names.findIndex(name => unitNames.test(name))
  const unit = unitAt < 0 ? undefined : unitAt
  const metrics = [...names.keys()].filter(
    at => at !== value && metricNames.test(names[at]!) && !matchesMostCells(records, at, isMeasureValue)
  )
  return metrics.slice(0, maxCandidates).map(metric => {
    const others = [...names.keys()].filter(at => at !== metric && at !== value && at !== unit)
    return { metric, value, unit, others }
  })
}

/**
 * Converts a long table to one with a column for each measure and its unit, using the measure column of which most is known;
 * returns `undefined` if nothing is known. `width` is the maximum number of cells of its rows.
 */
export async function pivotLongTable(
  candidates: readonly LongColumns[],
  reading: TableSource,
  layout: TableLayout,
  width: number,
  forEachRecord: ForEachRecord
): Promise<WideTableResult | undefined> {
  const tables = candidates.map(columns => new WideTable(columns, layout, width))
  await forEachRecord(cells => {
    for (const table of tables) table.addSample(cells)
  })
  const [best] = tables
    .map(table => ({ table, known: table.countKnownMeasures() }))
    .toSorted((a, b) => b.known - a.known)
  return best && best.known > 0
    ? { layout: best.table.getLayout(), readRows: best.table.createRowReader(reading) }
    : undefined
}

class WideTable {
  readonly #measures = new Map<string, number>()
  readonly #names: string[] = []
  readonly #counts: number[] = []
  readonly #sample: string[][] = []
  /** Columns whose values form one record, such as those of blood pressures. */
  #joinedColumns: ReadonlySet<number> = new Set()

  constructor(
    private readonly columns: LongColumns,
    private readonly longLayout: TableLayout,
    private readonly width: number
  ) {
    this.#names = columns.others.map(at => longLayout.columns![at]!)
  }

  /** Adds a row of the long table to the sample, up to a number of rows for each measure. */
  addSample(cells: readonly string[]): void {
    const at = this.#getColumn(cells, true)
    const count = (this.#counts[at] = (this.#counts[at] ?? 0) + 1)
    if (count <= maxSampleRowsPerMeasure || this.#sample.length < maxSampleRowsPerMeasure) {
      if (this.#sample.length < maxSampleRows * maxSampleRowsPerMeasure)
        this.#sample.push(this.#toWideRow(cells, at))
    }
  }

  /**
   * Returns the number of measures whose type was detected. Also remembers the columns whose values form one
   * record, so that it must be called before rows are read.
   */
  countKnownMeasures(): number {
    const values = detectMapping(this.#names, this.#sample)?.values ?? []
    const first = this.columns.others.length
    this.#joinedColumns = new Set(
      values.flatMap(({ column, field }) => (field === undefined ? [] : [column]))
    )
    return values.filter(({ column }) => column >= first).length
  }

  /** Returns the layout of the wide table: one column for each measure, and the sample as its records. */
  getLayout(): TableLayout {
    return {
      ...this.longLayout,
      columns: this.#names,
      width: this.#names.length,
      firstMeasure: this.columns.others.length,
      records: this.#sample
    }
  }

  /** Creates a function that reads the long table as rows of the wide one. */
  createRowReader({ readRows }: TableSource): TableSource['readRows'] {
    const { metric, others, unit } = this.columns
    return async ({ sharedColumns, ...wanted }, sink, onRow) => {
      const columns = new Set([
        ...[...sharedColumns].map(at => (at === undefined ? at : others[at])),
        metric,
        unit
      ])
      let row = 0
      let openRow: { readonly cells: string[]; readonly at: number; readonly numbers: boolean[] } | undefined
      const flush = (): void => {
        if (openRow) onRow(openRow.cells, openRow.at, openRow.numbers)
        openRow = undefined
      }
      const torn = await readRows(
        { ...wanted, sharedColumns: columns },
        sink,
        (cells, at = row + 1, numbers = []) => {
          if (row++ < this.longLayout.skippedRows) {
            onRow(cells, at)
            return
          }
          const column = this.#getColumn(cells, false)
          const wideCells = this.#toWideRow(cells, column)
          const flags = this.#toFlags(numbers, column)
          if (
            openRow &&
            this.#joinedColumns.has(column) &&
            canJoin(openRow.cells, wideCells, others.length, column)
          ) {
            while (openRow.cells.length <= column) openRow.cells.push('')
            openRow.cells[column] = wideCells[column]!
            if (flags[column]) openRow.numbers[column] = true
            return
          }
          flush()
          openRow = { cells: wideCells, at, numbers: flags }
          if (!this.#joinedColumns.has(column)) flush()
        }
      )
      flush()
      return torn
    }
  }

  /** Returns the column of a row's measure, adding it if `mayAdd`. Measures beyond the limit share the last column. */
  #getColumn(cells: readonly string[], mayAdd: boolean): number {
    const { metric, unit } = this.columns
    const name = `${(cells[metric] ?? '').trim()}\n${unit === undefined ? '' : (cells[unit] ?? '').trim()}`
    const known = this.#measures.get(name)
    if (known !== undefined) return known
    const isLast = this.#measures.size >= maxMeasures - 1
    const key = isLast ? '…\n' : name
    const last = this.#measures.get(key)
    if (last !== undefined || !mayAdd) return last ?? this.#names.length
    this.#measures.set(key, this.#names.length)
    const [measureName = '', unitName = ''] = key.split('\n')
    const words = formatWords(measureName.slice(0, maxNameLength)) || 'Values'
    return this.#names.push(unitName === '' ? words : `${words} (${unitName.slice(0, maxNameLength)})`) - 1
  }

  /** Returns the cells of a row with its value in a column. A row with too many cells also has too many here. */
  #toWideRow(cells: readonly string[], column: number): string[] {
    const { others, value } = this.columns
    const wide = others.map(at => cells[at] ?? '')
    const length = cells.length > this.width ? this.#names.length + 2 : column
    while (wide.length < length) wide.push('')
    wide[column] = cells[value] ?? ''
    return wide
  }

  #toFlags(numbers: NumberFlags, column: number): boolean[] {
    const flags = this.columns.others.map(at => numbers[at] ?? false)
    if (numbers[this.columns.value]) flags[column] = true
    return flags
  }
}

/** Returns true if rows differ only in their measures, and the earlier row has no value in the column of the later one. */
function canJoin(
  earlier: readonly string[],
  later: readonly string[],
  others: number,
  column: number
): boolean {
  if ((earlier[column] ?? '').trim() !== '') return false
  for (let at = 0; at < others; at++) if (earlier[at] !== later[at]) return false
  return true
}

/** Formats a name such as `HKQuantityTypeIdentifierHeartRate` as words. */
function formatWords(name: string): string {
  return name.replace(/^HK[A-Za-z]{1,20}TypeIdentifier/, '').replaceAll(/(?<=[a-z])(?=[A-Z][a-z])/g, ' ')
}

function isMeasureValue(cell: string): boolean {
  return isNumberCell(cell) || parsePressure(cell) !== undefined
}
