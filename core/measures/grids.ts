/** Time grids of samples and days. */
import { getDayStart, getLocalDay } from '../../schemas/zones.js'
import type { TimeGrid } from '../../storage/measures/time-grid.js'

/** The slots of sums, in seconds: an hour of the local day. */
const slotSeconds = 3600
const daySeconds = 86_400
/** How long before a day an event may begin that reaches it and is spread over slots, in seconds. */
const maxSpread = 43_200
/** Days whose starts are assumed to be as regular as those of the first and the last of them. */
const regularDays = 8

/** Consecutive days in a zone. */
export interface DayRange {
  /** When each day begins, in seconds, and at last when the last one ends. */
  readonly starts: readonly number[]
}

/** A grid for sums: cells lie within one slot, and within one part if there are parts. */
export interface SlotGrid extends TimeGrid {
  /** The day of each cell, counted from the first; -1 before it. */
  readonly days: Int32Array
  /** The slot of each cell. */
  readonly slots: Int32Array
  /** The part of each cell; -1 outside all parts. */
  readonly parts: Int32Array
}

/** A grid of slots that is created when it is first used, in the turn of the read, since it takes megabytes. */
export class LargeGrid {
  /** Approximate number of cells. */
  readonly cells: number
  #grid: SlotGrid | undefined

  /** `create`: returns the slots of days from one time to another, see {@link createSlotGrid}. */
  constructor(
    from: number,
    to: number,
    private readonly create: () => SlotGrid
  ) {
    this.cells = Math.ceil((to - from) / slotSeconds)
  }

  /** Returns the grid, the same each time. */
  get(): SlotGrid {
    return (this.#grid ??= this.create())
  }
}

/** Returns the days from one to another (their numbers, see `schemas/zones.ts`), both inclusive. */
export function listDays(zone: string, first: number, last: number): DayRange {
  const starts: number[] = []
  let from = getDayStart(zone, first)
  for (let day = first; day <= last; day += regularDays) {
    const next = Math.min(day + regularDays, last + 1)
    const to = getDayStart(zone, next)
    const isRegular = to - from === (next - day) * daySeconds
    for (let at = day; at < next; at++)
      starts.push(at === day ? from : isRegular ? from + (at - day) * daySeconds : getDayStart(zone, at))
    from = to
  }
  return { starts: [...starts, from] }
}

/** Returns the days in which a range lies. */
export function listDaysWithin(zone: string, from: number, to: number): DayRange {
  return listDays(zone, getLocalDay(zone, from).number, getLocalDay(zone, to).number)
}

/** Returns the grid whose cells are days. */
export function createDayGrid({ starts }: DayRange): TimeGrid {
  return { starts: starts.slice(0, -1), end: starts.at(-1)! }
}

/** Returns a grid of equal parts. Includes `to`. */
export function createPartGrid(from: number, to: number, parts: number): TimeGrid {
  const length = (to - from) / parts
  const step = Number.isFinite(length) ? length : to / parts - from / parts
  const starts = Array.from({ length: parts }, (_, part) =>
    part === 0 ? from : Math.min(from + part * step, to)
  )
  const end = nextNumber(to)
  return { starts, end, last: { time: to, next: end } }
}

/** Returns the slots of days, divided where parts begin. Without `parts`, these are the days. */
export function createSlotGrid({ starts: dayStarts }: DayRange, parts?: TimeGrid): SlotGrid {
  const partStarts = parts?.starts ?? []
  const partsEnd = parts?.end ?? -Infinity
  let most = partStarts.length + 2
  for (let day = 0; day + 1 < dayStarts.length; day++)
    most += Math.ceil((dayStarts[day + 1]! - dayStarts[day]!) / slotSeconds)
  const starts = new Float64Array(most)
  const [days, slots, partOf] = [new Int32Array(most), new Int32Array(most), new Int32Array(most)]
  const add = (at: number, day: number, slot: number, part: number): void => {
    starts[count] = at
    days[count] = day
    slots[count] = slot
    partOf[count++] = part
  }
  let [count, slot, part] = [0, 0, -1]
  add(dayStarts[0]! - maxSpread, -1, -1, -1)
  for (let day = 0; day + 1 < dayStarts.length; day++) {
    const end = dayStarts[day + 1]!
    for (let time = dayStarts[day]!; time < end; time += slotSeconds, slot++) {
      const next = Math.min(time + slotSeconds, end)
      for (let at = time; at < next;) {
        while (part + 1 < partStarts.length && partStarts[part + 1]! <= at) part++
        add(at, day, slot, parts ? (at < partsEnd ? part : -1) : day)
        at = partStarts[part + 1] ?? (at < partsEnd ? partsEnd : Infinity)
      }
    }
  }
  return {
    starts: starts.subarray(0, count),
    days: days.subarray(0, count),
    slots: slots.subarray(0, count),
    parts: partOf.subarray(0, count),
    end: dayStarts.at(-1)!,
    last: parts?.last
  }
}

/** Returns the next double after a number. */
function nextNumber(value: number): number {
  if (value === 0) return Number.MIN_VALUE
  const view = new DataView(new ArrayBuffer(8))
  view.setFloat64(0, value)
  view.setBigInt64(0, view.getBigInt64(0) + (value > 0 ? 1n : -1n))
  return view.getFloat64(0)
}
