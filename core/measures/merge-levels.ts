/** Merges levels of several sources: in each cell, the first source that has data. (docs/api/measure-methods.md#levels) */
import type { Cell, ValueCells } from '../../storage/measures/value-cells.js'

/** The numbers of a source: for each value of a content, by cell. */
export interface SourceLevels {
  readonly streamId: string
  readonly values: readonly Pick<ValueCells, 'cells'>[]
}

export interface MergedLevel {
  readonly count: number
  /** For each value of a content, where there is one; absent if there are only contents that are not numbers. */
  readonly numbers: readonly (Level | undefined)[] | undefined
  readonly streamId: string
}

export interface Level {
  readonly min: number
  readonly max: number
  /** Absent if the sum overflows. */
  readonly mean: number | undefined
}

/** Returns the levels by cell. `sources` are in order of preference. Numbers are preferred to other contents. */
export function mergeLevels(sources: readonly SourceLevels[]): Map<number, MergedLevel> {
  const hasNumbers = sources.some(({ values }) =>
    [...values[0]!.cells.values()].some(({ count }) => count > 0)
  )
  const merged = new Map<number, MergedLevel>()
  for (const { streamId, values } of sources)
    for (const [index, { all, count }] of values[0]!.cells) {
      if (merged.has(index) || (hasNumbers ? count : all) === 0) continue
      const cells = values.map(({ cells: each }) => each.get(index))
      merged.set(index, {
        count: hasNumbers ? count : all,
        numbers: hasNumbers ? cells.map(toLevel) : undefined,
        streamId
      })
    }
  return merged
}

/** Returns how many events and points there are in each cell, and the first source that has any. */
export function addCounts(sources: readonly SourceLevels[]): Map<number, MergedLevel> {
  const merged = new Map<number, MergedLevel>()
  for (const { streamId, values } of sources)
    for (const [index, { all }] of values[0]!.cells) {
      if (all === 0) continue
      const known = merged.get(index)
      merged.set(index, {
        count: (known?.count ?? 0) + all,
        numbers: undefined,
        streamId: known?.streamId ?? streamId
      })
    }
  return merged
}

function toLevel(cell: Cell | undefined): Level | undefined {
  if (!cell || cell.count === 0) return undefined
  const mean = cell.sum / cell.count
  // Rounding may push it beyond the extremes.
  const within = Math.min(Math.max(mean, cell.min), cell.max)
  return { min: cell.min, max: cell.max, mean: Number.isFinite(mean) ? within : undefined }
}
