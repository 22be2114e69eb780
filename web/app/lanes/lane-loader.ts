/** Loads the data of a lane for a view, when the view stops moving and when data change. */
import type { Client } from '../data/client.js'
import { createStore, type Store } from '../data/store.js'
import type { Zones } from './calendar.js'
import type { BandData, LaneData } from './lane-data.js'
import { getValueRange, type ValueRange } from './value-range.js'
import { getLength, type View } from './view.js'
import { loadLane } from './load-lane.js'
import type { Grid } from './load-request.js'
import type { LanePlan } from './plan-lane.js'

interface LaneState {
  readonly data: LaneData | undefined
  readonly range: ValueRange | undefined
  readonly problem?: unknown
}

/**
 * Maximum view length, in seconds, for which a margin is read on both sides, so that dragging shows data immediately; and the
 * margin as a share of the view.
 */
const maxViewWithMargin = 120 * 86_400
const margin = 0.25
/** Width of a part in pixels. */
const partWidth = 2
/** Milliseconds after a change until a series is reread completely rather than from its end. */
const fullReadDelayMs = 6000
/** Milliseconds until data that changed during a read are read again. */
const rereadDelayMs = 1000

/** Reads the data of one lane for the visible view, into `state`. One read at a time. */
export class LaneLoader {
  readonly state: Store<LaneState> = createStore<LaneState>({ data: undefined, range: undefined })
  #grid: Grid | undefined
  #readingGrid: Grid | undefined
  /** The grid of the latest read, if it failed. */
  #failedGrid: Grid | undefined
  #view: View | undefined
  #abort: AbortController | undefined
  #timer: number | undefined
  #isStale = false

  constructor(
    private readonly client: Client,
    private readonly plan: LanePlan,
    private readonly zones: Zones
  ) {}

  /**
   * Reads the data of a view with this width in pixels, unless what has been read covers it in a similar
   * resolution; the range of visible values is updated then. Cancels an earlier read. A failure is noted in
   * the state.
   */
  load(view: View, pixels: number): void {
    this.#view = view
    const step = getLength(view) / Math.max(40, Math.round(pixels / partWidth))
    const known = this.#readingGrid ?? this.#grid
    const isCovered =
      known &&
      known.from <= view.from &&
      known.to >= view.to &&
      known.step < step * 1.4 &&
      known.step > step * 0.7
    if (!isCovered) void this.#read(createGrid(view, step))
    else if (!this.#readingGrid) this.#updateRange(view)
  }

  /** Rereads the current data after a change; while a read is running, once more after it. */
  refresh(): void {
    const grid = this.#failedGrid ?? this.#grid
    if (this.#readingGrid) {
      // The running read may not include the change.
      this.#isStale = true
      return
    }
    if (!grid) return
    const { data } = this.state.value
    if (this.plan.kind !== 'series' || data?.kind !== 'band' || data.parts.length === 0)
      return void this.#read(grid)
    // Reads a series from its last point; earlier changes are found by the complete read later.
    void this.#read(grid, data)
    clearTimeout(this.#timer)
    this.#timer = window.setTimeout(() => void this.#read(this.#grid ?? grid), fullReadDelayMs)
  }

  /** Cancels a running read. */
  end(): void {
    this.#abort?.abort()
    clearTimeout(this.#timer)
  }

  /**
   * Reads the lane for a grid, and aborts the read in progress. With `before`, reads only from its last part on.
   * Never rejects.
   */
  async #read(grid: Grid, before?: BandData): Promise<void> {
    this.#abort?.abort()
    clearTimeout(this.#timer)
    const abort = (this.#abort = new AbortController())
    this.#readingGrid = grid
    this.#failedGrid = undefined
    const { client, plan, zones } = this
    const last = before?.parts.at(-1)?.time
    const asked = last === undefined ? grid : { ...grid, from: Math.min(last, grid.to - grid.step) }
    try {
      const read = await loadLane({ client, plan, zones, grid: asked, signal: abort.signal })
      if (abort.signal.aborted) return
      const data =
        before && read.kind === 'band'
          ? { ...read, parts: [...before.parts.filter(({ time }) => time < asked.from), ...read.parts] }
          : read
      this.#grid = grid
      this.state.set({ data, range: getValueRange(data, this.#view ?? grid) })
    } catch (problem) {
      if (abort.signal.aborted) return
      this.#failedGrid = grid
      this.state.set({ ...this.state.value, problem })
    } finally {
      if (this.#abort === abort) this.#finish()
    }
  }

  #finish(): void {
    this.#readingGrid = undefined
    if (!this.#isStale) return
    this.#isStale = false
    clearTimeout(this.#timer)
    this.#timer = window.setTimeout(() => this.refresh(), rereadDelayMs)
  }

  /** Updates the range of visible values. */
  #updateRange(view: View): void {
    const { data, range } = this.state.value
    const next = data && getValueRange(data, view)
    if (next?.low !== range?.low || next?.high !== range?.high) this.state.set({ data, range: next })
  }
}

/** Returns a grid for a view. Parts begin at multiples of their length, so they stay the same while the user drags. */
function createGrid(view: View, step: number): Grid {
  const more = getLength(view) <= maxViewWithMargin ? getLength(view) * margin : 0
  const from = Math.floor((view.from - more) / step) * step
  return { from, to: from + Math.ceil((view.to + more - from) / step) * step, step }
}
