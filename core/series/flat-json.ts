/**
 * Parses points as clients send them: checks every rule of the format, and prepares them for storage.
 * (docs/spec/series.md#writing-points)
 */
import type { Points } from '../../storage/repositories/series.js'
import type { Row } from '../../storage/series/rows.js'
import { fail } from '../errors.js'
import { mapInSteps, sortInSteps, type Steps } from '../../storage/steps.js'
import { roundToMicroseconds } from '../time.js'
import { timeColumn, timestampColumn, toNumber, type Column, type ColumnPlan } from './column-plan.js'

/** Where in the request an error is, and the rule it violates. */
interface ErrorPlace {
  readonly row?: number
  readonly column?: string
  readonly rule: string
}

/** Number of rows that one step reads. */
const rowsPerStep = 500
/** Maximum length of the texts of a row, in characters: writing one of its cells rewrites all of them. */
export const maxRowText = 1_000_000

/** How the rows of a request are read. */
interface Layout {
  readonly fields: readonly string[]
  /** Index of the column of times. */
  readonly time: number
  /** Subtracted from a time to get the deltaTime; `undefined` if rows contain the deltaTime itself. */
  readonly origin: number | undefined
  /** Columns by their index in a row; `undefined` at the index of the time. */
  readonly columns: readonly (Column | undefined)[]
}

/**
 * Reads the points of a `flatJSON` value for a series whose holder begins at `origin` (seconds): sorted by
 * time, those of one time merged, without empty columns. Throws `invalid-request-structure` whose data name
 * the row, the column and the rule; `context` is added to these data. `isCopy`: true for points that another server has stored
 * already, whose texts may have any length.
 */
export function* readPoints(
  value: unknown,
  plan: ColumnPlan,
  origin: number,
  { context = {}, isCopy = false }: { readonly context?: object; readonly isCopy?: boolean } = {}
): Steps<Points> {
  const refuse = (message: string, place: ErrorPlace): never =>
    fail('invalid-request-structure', message, { ...context, ...place })
  return yield* new PointReader(plan, origin, refuse, isCopy ? Infinity : maxRowText).read(value)
}

class PointReader {
  constructor(
    private readonly plan: ColumnPlan,
    private readonly origin: number,
    private readonly refuse: (message: string, place: ErrorPlace) => never,
    private readonly maxText: number
  ) {}

  /**
   * Reads a flatJSON object. Throws `invalid-request-structure` if it is malformed or does not match the
   * type.
   */
  *read(value: unknown): Steps<Points> {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return this.refuse('The points must be a JSON object', { rule: 'object' })
    const { format, fields, points } = value as { format?: unknown; fields?: unknown; points?: unknown }
    if (format !== 'flatJSON') this.refuse('The "format" must be "flatJSON"', { rule: 'format' })
    const layout = this.#parseLayout(fields)
    if (!Array.isArray(points)) return this.refuse('"points" must be an array of rows', { rule: 'points' })
    const arranged = yield* arrangeColumns(layout, yield* this.#rows(points, layout))
    return { ...arranged, rows: yield* mergeByTime(arranged.rows, row => this.#assertTexts(row)) }
  }

  /** Returns how rows with these `fields` are read. Refuses unknown, repeated and missing columns. */
  #parseLayout(fields: unknown): Layout {
    if (!Array.isArray(fields) || !fields.every(field => typeof field === 'string'))
      return this.refuse('"fields" must be an array of column names', { rule: 'fields' })
    const names = new Set<string>()
    for (const column of fields) {
      if (names.has(column)) this.refuse(`The column "${column}" is repeated`, { column, rule: 'duplicate' })
      names.add(column)
      if (column !== timeColumn && column !== timestampColumn && !this.plan.has(column))
        this.refuse(`The type of the series has no field "${column}"`, { column, rule: 'unknown' })
    }
    if (names.has(timeColumn) && names.has(timestampColumn))
      this.refuse('The time is given twice', { column: timestampColumn, rule: 'duplicate' })
    if (!names.has(timeColumn) && !names.has(timestampColumn))
      this.refuse('The column "deltaTime" is missing', { column: timeColumn, rule: 'missing' })
    for (const { name, isRequired } of this.plan.values())
      if (isRequired && !names.has(name))
        this.refuse(`The column "${name}" is missing`, { column: name, rule: 'missing' })
    const time = fields.indexOf(names.has(timeColumn) ? timeColumn : timestampColumn)
    return {
      fields,
      time,
      origin: names.has(timeColumn) ? undefined : this.origin,
      columns: fields.map((name, index) => (index === time ? undefined : this.plan.get(name)))
    }
  }

  /** Returns rows with checked and converted cells, in the request's order. */
  *#rows(points: readonly unknown[], layout: Layout): Steps<unknown[][]> {
    const width = layout.fields.length
    const rows = points.slice() as unknown[][]
    for (let index = 0; index < rows.length; index++) {
      if (index % rowsPerStep === rowsPerStep - 1) yield
      const row = rows[index]
      if (!Array.isArray(row)) return this.refuse(`Row ${index} is not an array`, { row: index, rule: 'row' })
      if (row.length !== width)
        this.refuse(`Row ${index} has ${row.length} cells for ${width} columns`, {
          row: index,
          rule: 'width'
        })
      let copy: unknown[] | undefined
      let length = 0
      for (let at = 0; at < width; at++) {
        const cell: unknown = row[at]
        const column = layout.columns[at]
        // A fast path for nearly all cells.
        if (column?.isAnyNumber && typeof cell === 'number' && Number.isFinite(cell)) continue
        const value = column ? this.#convertCell(cell, column, index) : this.#convertTime(cell, layout, index)
        length += measureText(value)
        if (value !== cell) (copy ??= row.slice())[at] = value
      }
      if (length > this.maxText)
        this.refuse(`Row ${index} has more than ${this.maxText} characters of text`, {
          row: index,
          rule: 'length'
        })
      if (copy) rows[index] = copy
    }
    return rows
  }

  /** Refuses a row of merged cells with too long texts. */
  #assertTexts(row: Row): void {
    if (measureTexts(row) > this.maxText)
      this.refuse(`The rows at ${row[0]} together have more than ${this.maxText} characters of text`, {
        rule: 'length'
      })
  }

  /** Returns the stored value of a cell; `null` for an empty one. Refuses what does not conform to the column. */
  #convertCell(cell: unknown, column: Column, row: number): unknown {
    if (cell === null) {
      if (column.isRequired)
        this.refuse(`Row ${row} has no "${column.name}"`, { row, column: column.name, rule: 'required' })
      return null
    }
    return (
      column.value(cell) ??
      this.refuse(`In row ${row}, "${column.name}" does not conform to its type`, {
        row,
        column: column.name,
        rule: 'type'
      })
    )
  }

  /**
   * Converts a time to a deltaTime, rounded to nanoseconds. Refuses times before the beginning of the series.
   */
  #convertTime(cell: unknown, { fields, time, origin }: Layout, row: number): number {
    const column = fields[time]!
    const given =
      toNumber(cell) ??
      this.refuse(`In row ${row}, "${column}" is not a number`, { row, column, rule: 'type' })
    const deltaTime = origin === undefined ? given : roundToMicroseconds(given - origin)
    if (deltaTime < 0)
      this.refuse(`In row ${row}, "${column}" is before the beginning of the series`, {
        row,
        column,
        rule: 'negative'
      })
    return roundToNanoseconds(deltaTime)
  }
}

/** Returns the length of a text, or of the JSON of a list or an object, in characters; 0 for other values. */
function measureText(value: unknown): number {
  if (typeof value === 'string') return value.length
  return typeof value === 'object' && value !== null ? JSON.stringify(value).length : 0
}

/** Returns the length of all texts in a row, in characters. */
export function measureTexts(row: Row): number {
  return row.reduce<number>((length, cell) => length + measureText(cell), 0)
}

/** Rounds to nanoseconds (docs/spec/series.md#writing-points), as far as a double is that precise. Zero has no sign. */
function roundToNanoseconds(time: number): number {
  return time < 9e6 ? Math.round(time * 1e9) / 1e9 + 0 : time
}

/** Arranges the cells of points for storage: time first, columns in the order of the type, without empty columns. */
function* arrangeColumns({ time, columns }: Layout, rows: readonly unknown[][]): Steps<Points> {
  const used: { column: Column; index: number }[] = []
  for (const [index, column] of columns.entries())
    if (column && (yield* hasValue(rows, index))) used.push({ column, index })
  used.sort((a, b) => a.column.place - b.column.place)
  const order = [time, ...used.map(({ index }) => index)]
  const isArranged = order.length === columns.length && order.every((index, place) => index === place)
  const result = isArranged ? rows : yield* mapInSteps(rows, row => order.map(index => row[index]))
  return {
    columns: used.map(({ column }) => column.name),
    rows: result as unknown as readonly Row[]
  }
}

/** Returns whether any row has a value in a column. */
function* hasValue(rows: readonly unknown[][], index: number): Steps<boolean> {
  for (let at = 0; at < rows.length; at++) {
    if (rows[at]![index] !== null) return true
    if (at % rowsPerStep === rowsPerStep - 1) yield
  }
  return false
}

/** Sorts rows by time and merges rows of the same time: later values replace earlier values. `check` gets each merged row. */
function* mergeByTime(rows: readonly Row[], check: (row: Row) => void): Steps<readonly Row[]> {
  let index = 1
  while (index < rows.length && rows[index - 1]![0] < rows[index]![0]) if (index++ % rowsPerStep === 0) yield
  if (index >= rows.length) return rows
  const result: Row[] = []
  const ordered = yield* sortInSteps(rows, ([a], [b]) => a - b)
  let isMerged = false
  for (let at = 0; at < ordered.length; at++) {
    if (at % rowsPerStep === rowsPerStep - 1) yield
    const row = ordered[at]!
    const last = result.at(-1)
    if (last?.[0] === row[0]) {
      result[result.length - 1] = row.map((cell, place) => cell ?? last[place]) as unknown as Row
      isMerged = true
      continue
    }
    if (last && isMerged) check(last)
    isMerged = false
    result.push(row)
  }
  if (isMerged) check(result.at(-1)!)
  return result
}
