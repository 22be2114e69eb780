/** Merges sums of several sources slot by slot: what two devices have counted is never added. (docs/api/measure-methods.md#sums) */
import type { Cell, ValueCells } from '../../storage/measures/value-cells.js'
import type { SlotGrid } from './grids.js'

/** The sums of a source, by cell of the grid. */
export interface SourceSums {
  readonly streamId: string
  /** The first one counts. */
  readonly values: readonly Pick<ValueCells, 'cells' | 'dailyTotals'>[]
}

export interface MergedSum {
  sum: number
  /** Number of events and points. */
  count: number
  /** The first source that it comes from. */
  readonly streamId: string
}

type CellEntry = readonly [cell: number, Cell]

/** The sums of a source in a day. */
interface DaySums {
  readonly cells: CellEntry[]
  readonly totals: CellEntry[]
}

/** Returns the sums by part of the grid. `sources` are in order of preference. */
export function mergeSums(sources: readonly SourceSums[], grid: SlotGrid): Map<number, MergedSum> {
  const bySource = sources.map(source => groupByDay(source, grid))
  const days = [...new Set(bySource.flatMap(byDay => [...byDay.keys()]))].toSorted((a, b) => a - b)
  const merged = new Map<number, MergedSum>()
  for (const day of days) {
    const covered = new Set<number>()
    for (const [index, byDay] of bySource.entries()) {
      const found = byDay.get(day)
      if (!found) continue
      const isDaily = found.totals.length > 0 || countAll(found.cells) === 1
      if (isDaily && covered.size > 0) continue
      const used =
        found.totals.length > 0
          ? found.totals
          : found.cells.filter(([cell]) => !covered.has(grid.slots[cell]!))
      for (const [cell, sums] of used) addSum(merged, grid.parts[cell]!, sums, sources[index]!.streamId)
      if (isDaily) break
      for (const [cell] of used) covered.add(grid.slots[cell]!)
    }
  }
  merged.delete(-1)
  return merged
}

function groupByDay({ values }: SourceSums, { days }: SlotGrid): Map<number, DaySums> {
  const { cells, dailyTotals } = values[0]!
  const byDay = new Map<number, DaySums>()
  const getDay = (cell: number): DaySums => {
    const day = days[cell]!
    let found = byDay.get(day)
    if (!found) byDay.set(day, (found = { cells: [], totals: [] }))
    return found
  }
  // Events without a number cover no slot.
  for (const entry of cells) if (entry[1].count > 0 || entry[1].all === 0) getDay(entry[0]).cells.push(entry)
  for (const entry of dailyTotals) getDay(entry[0]).totals.push(entry)
  byDay.delete(-1)
  return byDay
}

function countAll(cells: readonly CellEntry[]): number {
  return cells.reduce((sum, [, { count }]) => sum + count, 0)
}

function addSum(merged: Map<number, MergedSum>, part: number, { count, sum }: Cell, streamId: string): void {
  const known = merged.get(part)
  if (!known) merged.set(part, { sum, count, streamId })
  else {
    known.sum += sum
    known.count += count
  }
}
