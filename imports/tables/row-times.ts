/** Times of rows, in the zones that their table tells, and which of two is meant where clocks were put back. */
import type { Reason } from '../reasons.js'
import type { DateOrder, Mapping } from '../record.js'
import { cellTime, dateOrdersOf } from '../text/cell-times.js'
import { laterReading } from '../text/times.js'
import { parseZone } from '../text/zones.js'

/** Why a row has no time. */
export const reasons = {
  unreadable: 'of a time that cannot be read',
  open: 'of a date that may be of more than one order',
  zone: 'of a time zone that cannot be read',
  twice: 'of an hour that came twice when clocks were put back'
} as const

export type RowTime =
  | { readonly time: number; readonly zone: string | undefined }
  | { readonly reason: Reason }

type Cells = readonly string[]

export class RowTimes {
  constructor(
    private readonly mapping: Mapping,
    private readonly survey: { readonly order: DateOrder | undefined },
    private readonly zone: string | undefined,
    private readonly clocks: ClockSurvey
  ) {}

  /** Returns the time of a row, which has to be asked for with one row after the other. */
  of(cells: Cells): RowTime {
    const { clock, time } = this.mapping
    const side = this.clocks.next()
    const zone = zoneIn(cells, this.mapping, this.zone)
    if (zone === null) return { reason: reasons.zone }
    const found = this.read(cells[time], clock === undefined ? undefined : cells[clock], zone)
    if (Number.isNaN(found)) {
      const isOpen = this.survey.order === undefined && dateOrdersOf(cells[time] ?? '').length > 1
      return { reason: isOpen ? reasons.open : reasons.unreadable }
    }
    const later = laterIn(cells, this.mapping, found, zone, this.survey.order ?? 'dmy')
    if (later === undefined) return { time: found, zone }
    return side === undefined ? { reason: reasons.twice } : { time: side === 'later' ? later : found, zone }
  }

  /** Reads a time; `NaN` if there is none, or several. */
  read(cell = '', clock: string | undefined, zone: string | undefined): number {
    const { order } = this.survey
    if (order !== undefined) return cellTime(cell, clock, order, zone)
    const orders = dateOrdersOf(cell)
    const times = orders.map(each => cellTime(cell, clock, each, zone))
    if (times.length === 0) return cellTime(cell, clock, 'dmy', zone)
    return times.every(time => time === times[0]) ? times[0]! : NaN
  }

  /** Reads an end, which is not before the start. */
  end(cell: string, start: number, zone: string | undefined): number {
    const first = this.read(cell, undefined, zone)
    const later = laterReadingOf(cell, undefined, first, zone, this.survey.order ?? 'dmy')
    if (later === undefined) return first
    return first >= start ? NaN : later
  }
}

/** Rows whose clocks show the same at two times, one after the other. */
interface Block {
  readonly from: number
  to: number
  /** The times that the last row may mean. */
  first: number
  later: number
  /** The time of the row before, and of the one after; `NaN` without one. */
  readonly before: number
  after: number
  drops: number
  dropAt: number
  rises: number
  riseAt: number
  equals: number
}

/** Blocks that are kept. */
const mostBlocks = 10_000
/** Rows in one order that show that all are. */
const leastSteps = 2

/** Tells by the order of rows which of two times is meant. All rows go to `row`, then `next` answers for one after the other. */
export class ClockSurvey {
  readonly #blocks: Block[] = []
  #open: Block | undefined
  #rows = 0
  #asked = 0
  #block = 0
  /** The times that the last row with a time may mean. */
  #first = NaN
  #later = NaN
  #ups = 0
  #downs = 0

  constructor(
    private readonly mapping: Mapping,
    private readonly order: DateOrder,
    private readonly zone: string | undefined
  ) {}

  row(cells: Cells): void {
    const at = this.#rows++
    const { clock, time } = this.mapping
    const zone = zoneIn(cells, this.mapping, this.zone)
    const found =
      zone === null
        ? NaN
        : cellTime(cells[time], clock === undefined ? undefined : cells[clock], this.order, zone)
    if (zone === null || Number.isNaN(found)) return
    const later = laterIn(cells, this.mapping, found, zone, this.order)
    if (later === undefined) {
      if (this.#open) this.#open.after = found
      this.#open = undefined
      this.#step(found, found)
    } else this.#twice(at, found, later)
  }

  /** Which of two times the next row means; `undefined` where that cannot be told. */
  next(): 'first' | 'later' | undefined {
    const at = this.#asked++
    while (this.#block < this.#blocks.length && this.#blocks[this.#block]!.to < at) this.#block++
    const block = this.#blocks[this.#block]
    const isRising = this.#ups >= leastSteps && this.#downs === 0
    const isFalling = this.#downs >= leastSteps && this.#ups === 0
    if (!block || at < block.from || !(isRising || isFalling)) return undefined
    const [back, backAt, ahead] = isRising
      ? [block.drops, block.dropAt, 'first' as const]
      : [block.rises, block.riseAt, 'later' as const]
    const behind = ahead === 'first' ? 'later' : 'first'
    if (back === 1) return at < backAt ? ahead : behind
    if (isOfEachHour(block)) return at === block.from ? ahead : behind
    return undefined
  }

  #twice(at: number, first: number, later: number): void {
    const block = this.#open
    if (!block || Math.abs(first - block.first) > 7200) {
      this.#open = {
        from: at,
        to: at,
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
      this.#step(first, later)
      if (this.#blocks.length < mostBlocks) this.#blocks.push(this.#open)
      return
    }
    if (first < block.first) {
      block.drops++
      block.dropAt = at
    } else if (first > block.first) {
      block.rises++
      block.riseAt = at
    } else block.equals++
    block.first = first
    block.later = later
    block.to = at
    this.#first = first
    this.#later = later
  }

  /** Notes whether a row is later or earlier than the one before, whatever both mean. */
  #step(first: number, later: number): void {
    if (first > this.#later) this.#ups++
    else if (later < this.#first) this.#downs++
    this.#first = first
    this.#later = later
  }
}

/** Whether a block is the same time twice, between rows that are as far from it as clocks were put back. */
function isOfEachHour({ after, before, equals, first, from, later, to }: Block): boolean {
  const step = later - first
  const ends = [before, after].toSorted((a, b) => a - b)
  return equals === 1 && to === from + 1 && ends[0] === first - step && ends[1] === later + step
}

/** Returns the zone of a row; `null` for one that is not known. */
function zoneIn(cells: Cells, mapping: Mapping, zone: string | undefined): string | undefined | null {
  const cell = mapping.zoneColumn === undefined ? '' : (cells[mapping.zoneColumn] ?? '').trim()
  if (cell !== '') return parseZone(cell) ?? null
  return mapping.zone === undefined ? zone : (parseZone(mapping.zone) ?? null)
}

/** Returns the later time at which clocks show what a row says. */
function laterIn(
  cells: Cells,
  { clock, time }: Mapping,
  found: number,
  zone: string | undefined,
  order: DateOrder
): number | undefined {
  return laterReadingOf(cells[time] ?? '', clock === undefined ? undefined : cells[clock], found, zone, order)
}

function laterReadingOf(
  cell: string,
  clock: string | undefined,
  found: number,
  zone: string | undefined,
  order: DateOrder
): number | undefined {
  const later = zone === undefined || Number.isNaN(found) ? undefined : laterReading(found, zone)
  if (later === undefined) return undefined
  // A time that names its offset is the same in each zone.
  if (cellTime(cell, clock, order, '+00:01') === cellTime(cell, clock, order, '+00:02')) return undefined
  return isDateAlone(cell, clock, order) ? undefined : later
}

/** Returns whether a row has a date without a time of the day. */
export function isDateAlone(cell: string, clock: string | undefined, order: DateOrder): boolean {
  return (
    (clock ?? '').trim() === '' &&
    !cell.includes(':') &&
    !Number.isNaN(cellTime(cell, '00:01', order, undefined))
  )
}
