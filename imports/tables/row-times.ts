/** Reads the times of rows in the zones of their table, and resolves times that occur twice when clocks are set back. */
import type { SkipReason } from '../skip-reasons.js'
import type { DateOrder, Mapping } from '../record.js'
import { parseCellTime, findDateOrders } from '../text/cell-times.js'
import { findRepeatedTime } from '../text/times.js'
import { parseZone } from '../text/zones.js'

/** Reasons why a row has no time. */
const timeReasons = {
  unreadable: 'of a time that cannot be read',
  open: 'of a date that may be of more than one order',
  zone: 'of a time zone that cannot be read',
  twice: 'of an hour that came twice when clocks were put back'
} as const

type RowTime = { readonly time: number; readonly zone: string | undefined } | { readonly reason: SkipReason }

type Cells = readonly string[]

export class RowTimeReader {
  constructor(
    private readonly mapping: Mapping,
    private readonly survey: { readonly order: DateOrder | undefined },
    private readonly zone: string | undefined,
    private readonly clocks: ClockChangeResolver
  ) {}

  /**
   * Returns the time of a row. Call it for each row in order. Returns the reason instead if the row has none,
   * or its zone or order of date is unknown.
   */
  getTime(cells: Cells): RowTime {
    const { clock, time } = this.mapping
    const choice = this.clocks.resolveNext()
    const zone = getRowZone(cells, this.mapping, this.zone)
    if (zone === null) return { reason: timeReasons.zone }
    const found = this.parseTime(cells[time], clock === undefined ? undefined : cells[clock], zone)
    if (Number.isNaN(found)) {
      const isOpen = this.survey.order === undefined && findDateOrders(cells[time] ?? '').length > 1
      return { reason: isOpen ? timeReasons.open : timeReasons.unreadable }
    }
    const later = findLaterTime(cells, this.mapping, found, zone, this.survey.order ?? 'dmy')
    if (later === undefined) return { time: found, zone }
    return choice === undefined
      ? { reason: timeReasons.twice }
      : { time: choice === 'later' ? later : found, zone }
  }

  /** Parses a time; returns `NaN` if it is invalid or ambiguous. */
  parseTime(cell = '', clock: string | undefined, zone: string | undefined): number {
    const { order } = this.survey
    if (order !== undefined) return parseCellTime(cell, clock, order, zone)
    const orders = findDateOrders(cell)
    const times = orders.map(each => parseCellTime(cell, clock, each, zone))
    if (times.length === 0) return parseCellTime(cell, clock, 'dmy', zone)
    return times.every(time => time === times[0]) ? times[0]! : NaN
  }

  /**
   * Parses an end, which is not before the start. Returns `NaN` if it is unreadable, or if both times of an
   * hour that occurs twice are possible.
   */
  parseEnd(cell: string, start: number, zone: string | undefined): number {
    const first = this.parseTime(cell, undefined, zone)
    const later = findLaterReading(cell, undefined, first, zone, this.survey.order ?? 'dmy')
    if (later === undefined) return first
    return first >= start ? NaN : later
  }
}

/** Consecutive rows whose local times occur twice. */
interface AmbiguousBlock {
  readonly from: number
  to: number
  /** The two possible times of the last row. */
  first: number
  later: number
  /** Times of the rows before and after; `NaN` without such a row. */
  readonly before: number
  after: number
  drops: number
  dropAt: number
  rises: number
  riseAt: number
  equals: number
}

/** Maximum number of blocks. */
const maxBlocks = 10_000
/** Number of ordered rows from which the order of all rows is assumed. */
const minSteps = 2

/**
 * Resolves times that occur twice by the order of rows. First, pass all rows to `observeRow`; then call `resolveNext`
 * for each row, in the same order.
 */
export class ClockChangeResolver {
  readonly #blocks: AmbiguousBlock[] = []
  #openBlock: AmbiguousBlock | undefined
  #rowCount = 0
  #resolvedCount = 0
  #blockIndex = 0
  /** The two possible times of the last row with a time. */
  #first = NaN
  #later = NaN
  #riseCount = 0
  #fallCount = 0

  constructor(
    private readonly mapping: Mapping,
    private readonly order: DateOrder,
    private readonly zone: string | undefined
  ) {}

  /** Adds the next row, to find the order of all rows. A row without a readable time only counts. */
  observeRow(cells: Cells): void {
    const row = this.#rowCount++
    const { clock, time } = this.mapping
    const zone = getRowZone(cells, this.mapping, this.zone)
    const found =
      zone === null
        ? NaN
        : parseCellTime(cells[time], clock === undefined ? undefined : cells[clock], this.order, zone)
    if (zone === null || Number.isNaN(found)) return
    const later = findLaterTime(cells, this.mapping, found, zone, this.order)
    if (later === undefined) {
      if (this.#openBlock) this.#openBlock.after = found
      this.#openBlock = undefined
      this.#countStep(found, found)
    } else this.#addAmbiguous(row, found, later)
  }

  /** Returns which of its two times the next row means; `undefined` if it cannot be resolved. */
  resolveNext(): 'first' | 'later' | undefined {
    const row = this.#resolvedCount++
    while (this.#blockIndex < this.#blocks.length && this.#blocks[this.#blockIndex]!.to < row)
      this.#blockIndex++
    const block = this.#blocks[this.#blockIndex]
    const isRising = this.#riseCount >= minSteps && this.#fallCount === 0
    const isFalling = this.#fallCount >= minSteps && this.#riseCount === 0
    if (!block || row < block.from || !(isRising || isFalling)) return undefined
    const [reversals, reversalRow, beforeReversal] = isRising
      ? [block.drops, block.dropAt, 'first' as const]
      : [block.rises, block.riseAt, 'later' as const]
    const afterReversal = beforeReversal === 'first' ? 'later' : 'first'
    if (reversals === 1) return row < reversalRow ? beforeReversal : afterReversal
    if (isSingleRepeat(block)) return row === block.from ? beforeReversal : afterReversal
    return undefined
  }

  /** Adds a row whose time occurs twice to the open block of such rows, or opens another block. */
  #addAmbiguous(row: number, first: number, later: number): void {
    const block = this.#openBlock
    if (!block || Math.abs(first - block.first) > 7200) {
      this.#openBlock = {
        from: row,
        to: row,
        first,
        later,
        before: this.#first === this.#later ? this.#first : NaN,
        after: NaN,
        drops: 0,
        dropAt: 0,
        rises: 0,
        riseAt: 0,
        equals: 0
      }
      this.#countStep(first, later)
      if (this.#blocks.length < maxBlocks) this.#blocks.push(this.#openBlock)
      return
    }
    if (first < block.first) {
      block.drops++
      block.dropAt = row
    } else if (first > block.first) {
      block.rises++
      block.riseAt = row
    } else block.equals++
    block.first = first
    block.later = later
    block.to = row
    this.#first = first
    this.#later = later
  }

  /**
   * Counts whether a row is later or earlier than the previous row, if that holds whichever of their two times the rows
   * mean.
   */
  #countStep(first: number, later: number): void {
    if (first > this.#later) this.#riseCount++
    else if (later < this.#first) this.#fallCount++
    this.#first = first
    this.#later = later
  }
}

/** Returns true if a block consists of the same local time twice, between rows at the distance by which clocks were set back. */
function isSingleRepeat({ after, before, equals, first, from, later, to }: AmbiguousBlock): boolean {
  const step = later - first
  const ends = [before, after].toSorted((a, b) => a - b)
  return equals === 1 && to === from + 1 && ends[0] === first - step && ends[1] === later + step
}

/** Returns the zone of a row; `null` if it is unknown. */
function getRowZone(cells: Cells, mapping: Mapping, zone: string | undefined): string | undefined | null {
  const cell = mapping.zoneColumn === undefined ? '' : (cells[mapping.zoneColumn] ?? '').trim()
  if (cell !== '') return parseZone(cell) ?? null
  return mapping.zone === undefined ? zone : (parseZone(mapping.zone) ?? null)
}

/** Returns the later time of a row's local time; `undefined` if the local time occurs only once. */
function findLaterTime(
  cells: Cells,
  { clock, time }: Mapping,
  found: number,
  zone: string | undefined,
  order: DateOrder
): number | undefined {
  return findLaterReading(
    cells[time] ?? '',
    clock === undefined ? undefined : cells[clock],
    found,
    zone,
    order
  )
}

/**
 * Returns the second time at which clocks show the time in a cell, when they are put back; `undefined` if it comes only
 * once.
 */
function findLaterReading(
  cell: string,
  clock: string | undefined,
  found: number,
  zone: string | undefined,
  order: DateOrder
): number | undefined {
  const later = zone === undefined || Number.isNaN(found) ? undefined : findRepeatedTime(found, zone)
  if (later === undefined) return undefined
  // A time with an offset does not depend on the zone.
  if (parseCellTime(cell, clock, order, '+00:01') === parseCellTime(cell, clock, order, '+00:02'))
    return undefined
  return isDateOnly(cell, clock, order) ? undefined : later
}

/** Returns true if a row has a date without a time of day. */
export function isDateOnly(cell: string, clock: string | undefined, order: DateOrder): boolean {
  return (
    (clock ?? '').trim() === '' &&
    !cell.includes(':') &&
    !Number.isNaN(parseCellTime(cell, '00:01', order, undefined))
  )
}
