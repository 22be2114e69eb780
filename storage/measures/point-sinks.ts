/** Take the points of a series for a measure: aggregated by cells of a grid, counted, or one by one. */
import type { Key } from '../event-query/position.js'
import type { SampleTarget } from '../event-values/sample-run.js'
import type { RowSink } from '../series/chunk-walk.js'
import type { Block } from '../series/parts.js'
import type { Row } from '../series/rows.js'
import type { PointCells } from './measured-type.js'

/** Adds points to cells: the values of each field to its own. */
export class AggregatedPoints implements RowSink {
  readonly isFull = false

  constructor(
    private readonly holder: Key,
    private readonly cells: PointCells,
    private readonly targets: readonly SampleTarget[]
  ) {}

  isWithinBucket(first: number, last: number, block: Block): boolean {
    const [target] = this.targets
    const { time } = this.holder
    if (!target || target.findBucket(time + first) !== target.findBucket(time + last)) return false
    const { duration } = this.cells
    if (!target.reachesNextBucket || duration < 0) return true
    const durations = block.measures()[duration - 1] ?? 0
    return durations === 0 || !target.reachesNextBucket(time + last, durations[3])
  }

  findBucketEnd(first: number): number | undefined {
    const { cells, targets } = this
    const { time } = this.holder
    const [target] = targets
    // Durations have to be examined chunk by chunk.
    if (!target || (target.reachesNextBucket && cells.duration >= 0)) return undefined
    return target.getStart(target.findBucket(time + first) + 1) - time
  }

  /**
   * Adds each value of a row to the cell of the grid that its time is in, or with a duration to all that it reaches. A missing
   * or other value counts as a point without a number.
   */
  addRow(row: Row): void {
    const { cells, holder, targets } = this
    const at = holder.time + row[0]
    const duration = cells.duration < 0 ? undefined : row[cells.duration]
    for (const [index, target] of targets.entries()) {
      const value = row[cells.values[index]!]
      const isSpread = typeof duration === 'number' && target.reachesNextBucket?.(at, duration)
      target.countEvent(
        { time: at, number: holder.number },
        typeof value === 'number' ? value : undefined,
        isSpread ? at + duration : undefined
      )
    }
  }

  /** Adds a whole block by its stored figures. All of its points must be in the same cell of the grid. */
  addBlock(first: number, block: Block): void {
    const { cells, holder, targets } = this
    const measures = block.measures()
    for (const [index, target] of targets.entries()) {
      const figures = measures[cells.values[index]! - 1] ?? 0
      const [count, sum, min, max] = figures === 0 ? [0, 0, 0, 0] : figures
      const edges = { first: undefined, last: undefined }
      target.addSummary(target.findBucket(holder.time + first), {
        all: block.count,
        count,
        sum,
        min,
        max,
        ...edges
      })
    }
  }
}

/** Counts points. */
export class PointCounter implements RowSink {
  readonly isFull = false
  count = 0
  /** DeltaTime of the first one. */
  first: number | undefined

  isWithinBucket(): boolean {
    return true
  }

  addRow(row: Row): void {
    this.first ??= row[0]
    this.count++
  }

  addBlock(first: number, block: Block): void {
    this.first ??= first
    this.count += block.count
  }
}

/** Passes on points as contents. */
export class SinglePoints implements RowSink {
  readonly isFull = false

  constructor(private readonly take: (row: Row) => void) {}

  isWithinBucket(): boolean {
    return false
  }

  addRow(row: Row): void {
    this.take(row)
  }

  addBlock(): void {
    throw new Error('Points are read one by one')
  }
}
