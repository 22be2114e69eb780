/** Merges levels of several sources: in each cell, the first source that has data. (docs/api/measure-methods.md#levels) */
import type { Cell, ValueCells } from '../../storage/measures/value-cells.js'
import type { Steps } from '../../storage/steps.js'
import { Pauses } from './pauses.js'

/** The numbers of a source: for each value of a content, by cell. */
interface SourceLevels {
  readonly streamId: string
  readonly values: readonly Pick<ValueCells, 'cells'>[]
}

export interface MergedLevel {
  readonly count: number
  /** For each value of a content, where there is one; absent if there are only contents that are not numbers. */
  readonly numbers: readonly (Level | undefined)[] | undefined
  readonly streamId: string
}

interface Level {
  /** Absent, like the others, if it is too large for a number. */
  readonly min: number | undefined
  readonly max: number | undefined
  readonly mean: number | undefined
}

/**
 * Returns the levels by cell, of the first source that has any in it. `sources` are in order of preference.
 * If any source has numbers, other contents do not count.
 */
export function* mergeLevels(sources: readonly SourceLevels[]): Steps<Map<number, MergedLevel>> {
  const pauses = new Pauses()
  const hasNumbers = yield* findNumbers(sources)
  const merged = new Map<number, MergedLevel>()
  for (const { streamId, values } of sources)
    for (const [index, { all }] of values[0]!.cells) {
      if (pauses.isDue(1)) yield
      if (merged.has(index)) continue
      const cells = values.map(({ cells: each }) => each.get(index))
      const count = hasNumbers ? Math.max(...cells.map(cell => cell?.count ?? 0)) : all
      if (count === 0) continue
      merged.set(index, { count, numbers: hasNumbers ? cells.map(toLevel) : undefined, streamId })
    }
  return merged
}

/** The last number of a cell, and its source. */
interface LastValue {
  readonly time: number
  readonly value: number
  readonly streamId: string
}

/** Returns the last numbers of all sources by cell, for each value of a content; of the first source, if several are of one time. */
export function* mergeLasts(
  sources: readonly { readonly streamId: string; readonly values: readonly Pick<ValueCells, 'lasts'>[] }[]
): Steps<Map<number, (LastValue | undefined)[]>> {
  const pauses = new Pauses()
  const merged = new Map<number, (LastValue | undefined)[]>()
  for (const { streamId, values } of sources)
    for (const [index, { lasts }] of values.entries())
      for (const [cell, { time, value }] of lasts) {
        if (pauses.isDue(1)) yield
        const known = merged.get(cell) ?? values.map(() => undefined)
        if (time > (known[index]?.time ?? -Infinity)) known[index] = { time, value, streamId }
        merged.set(cell, known)
      }
  return merged
}

/** Returns whether any source has numbers. */
function* findNumbers(sources: readonly SourceLevels[]): Steps<boolean> {
  const pauses = new Pauses()
  for (const { values } of sources)
    for (const { cells } of values)
      for (const { count } of cells.values()) {
        if (count > 0) return true
        if (pauses.isDue(1)) yield
      }
  return false
}

/** Returns how many events and points there are in each cell, and the first source that has any. */
export function* addCounts(sources: readonly SourceLevels[]): Steps<Map<number, MergedLevel>> {
  const pauses = new Pauses()
  const merged = new Map<number, MergedLevel>()
  for (const { streamId, values } of sources)
    for (const [index, { all }] of values[0]!.cells) {
      if (pauses.isDue(1)) yield
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
  const within = Number.isFinite(mean) ? Math.min(Math.max(mean, cell.min), cell.max) : mean
  return { min: toFinite(cell.min), max: toFinite(cell.max), mean: toFinite(within) }
}

/** Returns the figures of a level in the form of results; for pairs lists, with `null` for a missing number. */
export function listFigures(
  numbers: readonly (Level | undefined)[],
  isPair: boolean
): Record<'min' | 'max' | 'mean', unknown> {
  if (!isPair) return { min: numbers[0]?.min, max: numbers[0]?.max, mean: numbers[0]?.mean }
  const pick = (key: keyof Level): unknown => numbers.map(each => each?.[key] ?? null)
  return { min: pick('min'), max: pick('max'), mean: pick('mean') }
}

/** Returns a number that JSON can hold; `undefined` for others. */
export function toFinite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined
}
