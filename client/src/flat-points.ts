/** Points of a series as they are sent: rows of cells, one for each field. (docs/spec/series.md#writing-points) */

/** What a cell may hold; `null` in optional columns: no value. */
export type Cell = number | string | boolean | null

/** Points with the names of their columns. `deltaTime` is in seconds since the `time` of the event that holds them. */
export interface FlatPoints {
  readonly format: 'flatJSON'
  readonly fields: readonly string[]
  readonly points: readonly (readonly Cell[])[]
}
