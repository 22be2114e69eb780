/** State of the timeline: view and cursor, stored in the URL. Times are in seconds. */
import { parseDate } from '../../../schemas/zones.js'
import { createStore, type Store } from '../data/store.js'
import type { LaneData } from '../lanes/lane-data.js'
import type { Zones } from '../lanes/calendar.js'
import type { Span } from '../lanes/draw-lane.js'
import { clampView, getLength, panView, zoomView, type View } from '../lanes/view.js'
import { createPresetView } from './presets.js'

/** Milliseconds without movement after which data are loaded and the URL is updated. */
export const settleMs = 120

/** Maximum number of written URLs that are remembered. */
const maxRemembered = 20

/**
 * The state of the timeline: view, cursor and lanes' data, in stores. Begins with the view and cursor of the
 * URL.
 */
export class TimelineModel {
  readonly view: Store<View>
  /** Position of the placed cursor; undefined until the user places it. */
  readonly at: Store<number | undefined>
  /** Time under the pointer. */
  readonly hover: Store<number | undefined> = createStore<number | undefined>(undefined)
  /** Named spans of all lanes. */
  readonly spans: Store<readonly Span[]> = createStore<readonly Span[]>([])
  /** Lane in which the cursor was last placed. */
  readonly chosen: Store<string | undefined> = createStore<string | undefined>(undefined)
  /** Data of the lanes, by their ids. */
  readonly data: Store<ReadonlyMap<string, LaneData>> = createStore<ReadonlyMap<string, LaneData>>(new Map())
  #writtenKeys: readonly string[] = []
  readonly #spans = new Map<string, readonly Span[]>()

  constructor(
    query: URLSearchParams,
    readonly zones: Zones
  ) {
    this.view = createStore(parseView(query) ?? createPresetView('month', getNow(), zones))
    this.at = createStore(parseTime(query, 'at'))
  }

  /** The time of the cursor: under the pointer, else where it was placed, else the end of the view. */
  get cursor(): number {
    return this.hover.value ?? this.placedCursor
  }

  /** The cursor, limited to the view; now, if it has not been placed. */
  get placedCursor(): number {
    const { from, to } = this.view.value
    const at = this.at.value ?? Math.min(getNow(), to)
    return Math.min(to, Math.max(from, at))
  }

  /** Shows a view, limited to the permitted length and times. */
  show(view: View): void {
    const newValue = clampView(view)
    const { from, to } = this.view.value
    if (from !== newValue.from || to !== newValue.to) this.view.set(newValue)
  }

  /** Moves the view by seconds; positive is later. */
  pan(seconds: number): void {
    this.show(panView(this.view.value, seconds))
  }

  /** Zooms the view around a time. Factors above 1 show a longer period. */
  zoom(factor: number, about = this.placedCursor): void {
    this.show(zoomView(this.view.value, factor, about))
  }

  /** Places the cursor, chooses the lane if given, and centres the view there if it lies outside. */
  place(at: number, lane?: string): void {
    this.at.set(at)
    if (lane !== undefined) this.chosen.set(lane)
    const { from, to } = this.view.value
    if (at < from || at > to)
      this.show({ from: at - getLength({ from, to }) / 2, to: at + getLength({ from, to }) / 2 })
  }

  /** Sets the data of a lane (or removes it, if undefined) and its named spans. */
  setLaneData(lane: string, data: LaneData | undefined, spans: readonly Span[]): void {
    const newValue = new Map(this.data.value)
    if (data) newValue.set(lane, data)
    else newValue.delete(lane)
    this.data.set(newValue)
    this.#setSpans(lane, spans)
  }

  #setSpans(lane: string, spans: readonly Span[]): void {
    const before = this.#spans.get(lane) ?? []
    if (JSON.stringify(before) === JSON.stringify(spans)) return
    this.#spans.set(lane, spans)
    this.spans.set(Array.from(this.#spans.values()).flat())
  }

  /**
   * Applies the state in a URL, unless this model has written it (and the user has not gone back to it): the
   * page re-renders later, when the view may have moved on.
   */
  applyQuery(query: URLSearchParams, isBack = false): void {
    if (!isBack && this.#writtenKeys.includes(toKey(query))) return
    const view = parseView(query)
    if (view) this.show(view)
    if (query.has('at')) this.at.set(parseTime(query, 'at'))
  }

  /** Remembers a written URL, which {@link applyQuery} then ignores. */
  noteWritten(query: URLSearchParams): void {
    this.#writtenKeys = [...this.#writtenKeys, toKey(query)].slice(-maxRemembered)
  }

  /** Returns the state for the URL: times as text, in whole seconds since 1970. */
  toQuery(): { readonly from: string; readonly to: string; readonly at: string | undefined } {
    const { from, to } = this.view.value
    const at = this.at.value
    return {
      from: String(Math.round(from)),
      to: String(Math.round(to)),
      at: at === undefined ? undefined : String(Math.round(at))
    }
  }
}

function toKey(query: URLSearchParams): string {
  return ['from', 'to', 'at'].map(name => query.get(name) ?? '').join()
}

/** Returns the present time of this device, in seconds since 1970. */
export function getNow(): number {
  return Date.now() / 1000
}

function parseView(query: URLSearchParams): View | undefined {
  const [from, to] = [parseTime(query, 'from'), parseTime(query, 'to')]
  return from !== undefined && to !== undefined && to > from ? clampView({ from, to }) : undefined
}

/** Parses a time in a URL: seconds, or a date. */
function parseTime(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (!text?.trim()) return undefined
  const day = parseDate(text)
  if (day !== undefined) return day * 86_400
  const number = Number(text)
  return Number.isFinite(number) ? number : undefined
}
