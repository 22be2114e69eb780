/** The wire format of data points: rows of cells, one per field. (docs/spec/series.md#writing-points) */

/** The value of a cell; `null` means no value, in optional columns. */
export type Cell = number | string | boolean | null

/** Points with their column names. `deltaTime` is in seconds since the `time` of the event that holds the series. */
export interface FlatPoints {
  readonly format: 'flatJSON'
  readonly fields: readonly string[]
  readonly points: readonly (readonly Cell[])[]
}
