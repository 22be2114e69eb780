/** An event type in which a measure is stored. */
import type { Convert } from './value-cells.js'

export interface MeasuredType {
  /** The name without `series:`. */
  readonly name: string
  /** Numbers of the type and of its series in the file, as far as they occur. */
  readonly number: number | undefined
  readonly seriesNumber: number | undefined
  /** The path of each value in contents that are objects; `undefined` for contents that are values. */
  readonly fields: readonly (string | undefined)[]
  readonly convert: Convert
}

/** Name of the column that holds the values of a series whose points are not objects. */
const valueColumn = 'value'
/** Name of the column that holds durations. */
export const durationColumn = 'duration'

/** Indexes of the cells of a row, whose first cell (0) is the deltaTime; -1 for missing ones. */
export interface PointCells {
  readonly values: readonly number[]
  /** -1 if the series has no durations. */
  readonly duration: number
}

/**
 * Finds the cells of values, one for each field, and of durations. `columns`: the columns of the series,
 * without deltaTime. The index of a cell is that of its column plus 1; -1 for columns that are missing.
 */
export function findCells({ fields }: Pick<MeasuredType, 'fields'>, columns: readonly string[]): PointCells {
  const find = (name: string): number => {
    const index = columns.indexOf(name)
    return index < 0 ? -1 : index + 1
  }
  return { values: fields.map(field => find(field ?? valueColumn)), duration: find(durationColumn) }
}
