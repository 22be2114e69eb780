/** The columns of summaries of points. (docs/spec/series.md#reading-points) */
import { timeColumn, type ColumnPlan } from './column-plan.js'

/** A column, and the index of its cell in a row: 1 for the first column, since rows begin with their time. */
export interface IndexedColumn {
  readonly name: string
  readonly place: number
}

/** Returns the columns of a series whose values are numbers. */
export function selectNumericColumns(plan: ColumnPlan, columns: readonly string[]): IndexedColumn[] {
  return columns
    .map((name, index) => ({ name, place: index + 1 }))
    .filter(({ name }) => plan.get(name)?.isNumeric)
}

/** Returns the fields of the rows that aggregate buckets of a range. */
export function listSummaryFields(columns: readonly IndexedColumn[]): string[] {
  return [
    timeColumn,
    'count',
    ...columns.flatMap(({ name }) => [`${name}.min`, `${name}.max`, `${name}.mean`])
  ]
}
