/** Merges sums of several sources slot by slot: what two devices have counted is never added. (docs/api/measure-methods.md#sums) */
import type { ValueCells } from '../../storage/measures/value-cells.js'
import type { Steps } from '../../storage/steps.js'
import type { SlotGrid } from './grids.js'
import { Pauses } from './pauses.js'

/** The sums of a source, by cell of the grid. */
interface SourceSums {
  readonly streamId: string
  /** The first one counts. */
  readonly values: readonly Pick<ValueCells, 'cells' | 'dailyTotals' | 'listSpread' | 'spills'>[]
}

interface MergedSum {
  sum: number
  /** Number of events and points that begin in it. */
  count: number
  /** The first source that it comes from, and its day. */
  streamId: string
  day: number
}

/** What a source has in a cell; `count` is 0 for what began earlier. */
interface CellSum {
  readonly cell: number
  readonly count: number
  readonly sum: number
}

/** The sums of a source in a day. */
interface DaySums {
  readonly cells: CellSum[]
  readonly totals: CellSum[]
}

/**
 * Returns the sums by part of the grid. `sources` are in order of preference: in each slot the first that has
 * data counts, and a daily total only on days that no other source has begun.
 */
export function* mergeSums(sources: readonly SourceSums[], grid: SlotGrid): Steps<Map<number, MergedSum>> {
  const pauses = new Pauses()
  const merged = new Map<number, MergedSum>()
  const covered = new Uint8Array((grid.slots.at(-1) ?? 0) + 1)
  const begun = new Set<number>()
  const complete = new Set<number>()
  for (const source of sources) {
    const byDay = yield* groupByDay(source, grid, pauses, complete)
    for (const [day, { cells, totals }] of byDay) {
      const isDaily = totals.length > 0 || isOneEvent(source, day, cells)
      if (isDaily && begun.has(day)) continue
      const used = totals.length > 0 ? totals : cells.filter(({ cell }) => covered[grid.slots[cell]!] === 0)
      for (const sum of used) {
        // Nothing is spread over a moment.
        if (sum.count === 0 && grid.starts[sum.cell] === grid.last?.time) continue
        addSum(merged, grid.parts[sum.cell]!, day, sum, source.streamId)
      }
      for (const { cell } of used) covered[grid.slots[cell]!] = 1
      if (used.length > 0) begun.add(day)
      if (isDaily) complete.add(day)
      if (pauses.isDue(1 + cells.length + totals.length)) yield
    }
    if (pauses.isDue(1)) yield
  }
  merged.delete(-1)
  return merged
}

/** Returns whether the data of a day is one event that begins in it. */
function isOneEvent({ values }: SourceSums, day: number, cells: readonly CellSum[]): boolean {
  if (values[0]!.spills.has(day)) return false
  let all = 0
  for (const { count } of cells) if ((all += count) > 1) return false
  return all === 1
}

/** Groups what a source has, except on days that are complete. */
function* groupByDay(
  { values }: SourceSums,
  grid: SlotGrid,
  pauses: Pauses,
  complete: ReadonlySet<number>
): Steps<Map<number, DaySums>> {
  const [own] = values
  const { cells, dailyTotals } = own!
  const byDay = new Map<number, DaySums>()
  const getDay = (cell: number): DaySums | undefined => {
    const day = grid.days[cell]!
    let found = byDay.get(day)
    if (!found && day >= 0 && !complete.has(day)) byDay.set(day, (found = { cells: [], totals: [] }))
    return found
  }
  for (const [cell, { count, shares, sum }] of cells) {
    // Events without a number cover no slot.
    if (count + shares > 0) getDay(cell)?.cells.push({ cell, count, sum })
    if (pauses.isDue(1)) yield
  }
  for (const { cell, sum } of own!.listSpread()) {
    getDay(cell)?.cells.push({ cell, count: 0, sum })
    if (pauses.isDue(1)) yield
  }
  for (const [cell, { count, sum }] of dailyTotals) {
    getDay(cell)?.totals.push({ cell, count, sum })
    if (pauses.isDue(1)) yield
  }
  return byDay
}

/** Adds a sum to a part of the result; the earliest day of a part gives it its source. */
function addSum(
  merged: Map<number, MergedSum>,
  part: number,
  day: number,
  { count, sum }: CellSum,
  streamId: string
): void {
  const known = merged.get(part)
  if (!known) {
    merged.set(part, { sum, count, streamId, day })
    return
  }
  known.sum += sum
  known.count += count
  if (day < known.day) Object.assign(known, { day, streamId })
}
