/** State of the timeline: view and cursor, stored in the URL. Times are in seconds. */
import { storeOf, type Store } from '../data/store.js'
import type { LaneData } from '../lanes/data.js'
import type { Zones } from '../lanes/calendar.js'
import type { Span } from '../lanes/draw.js'
import { bounded, lengthOf, panned, zoomed, type View } from '../lanes/scale.js'
import { presetView } from './presets.js'

/** Milliseconds without movement after which data are loaded and the URL is updated. */
export const rest = 120

/** Number of written URLs that are remembered. */
const maxRemembered = 20

export class Model {
  readonly view: Store<View>
  /** Position of the placed cursor; undefined until the user places it. */
  readonly at: Store<number | undefined>
  /** Time under the pointer. */
  readonly hover: Store<number | undefined> = storeOf<number | undefined>(undefined)
  /** Named spans of all lanes. */
  readonly spans: Store<readonly Span[]> = storeOf<readonly Span[]>([])
  /** Lane in which the cursor was last placed. */
  readonly chosen: Store<string | undefined> = storeOf<string | undefined>(undefined)
  /** Data of the lanes, by stream id. */
  readonly data: Store<ReadonlyMap<string, LaneData>> = storeOf<ReadonlyMap<string, LaneData>>(new Map())
  #writtenKeys: readonly string[] = []
  readonly #spans = new Map<string, readonly Span[]>()

  constructor(
    query: URLSearchParams,
    readonly zones: Zones
  ) {
    this.view = storeOf(parseView(query) ?? presetView('month', now(), zones))
    this.at = storeOf(parseTime(query, 'at'))
  }

  /** The time of the cursor: under the pointer, else where it was placed, else the end of the view. */
  get cursor(): number {
    return this.hover.value ?? this.resting
  }

  get resting(): number {
    const { from, to } = this.view.value
    const at = this.at.value ?? Math.min(now(), to)
    return Math.min(to, Math.max(from, at))
  }

  show(view: View): void {
    const newValue = bounded(view)
    const { from, to } = this.view.value
    if (from !== newValue.from || to !== newValue.to) this.view.set(newValue)
  }

  pan(seconds: number): void {
    this.show(panned(this.view.value, seconds))
  }

  /** Zooms the view around a time. Factors above 1 show a longer period. */
  zoom(factor: number, about = this.resting): void {
    this.show(zoomed(this.view.value, factor, about))
  }

  place(at: number, lane?: string): void {
    this.at.set(at)
    if (lane !== undefined) this.chosen.set(lane)
    const { from, to } = this.view.value
    if (at < from || at > to)
      this.show({ from: at - lengthOf({ from, to }) / 2, to: at + lengthOf({ from, to }) / 2 })
  }

  /** Sets the data of a lane and its named spans. */
  tell(lane: string, data: LaneData | undefined, spans: readonly Span[]): void {
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

  /** Applies the state in a URL, unless this model has written it: the page re-renders later, when the view may have moved on. */
  follow(query: URLSearchParams, isBack = false): void {
    if (!isBack && this.#writtenKeys.includes(toKey(query))) return
    const view = parseView(query)
    if (view) this.show(view)
    if (query.has('at')) this.at.set(parseTime(query, 'at'))
  }

  /** Remembers a written URL. */
  wrote(query: URLSearchParams): void {
    this.#writtenKeys = [...this.#writtenKeys, toKey(query)].slice(-maxRemembered)
  }

  /** Returns the state for the URL. */
  query(): { readonly from: string; readonly to: string; readonly at: string | undefined } {
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

export function now(): number {
  return Date.now() / 1000
}

function parseView(query: URLSearchParams): View | undefined {
  const [from, to] = [parseTime(query, 'from'), parseTime(query, 'to')]
  return from !== undefined && to !== undefined && to > from ? bounded({ from, to }) : undefined
}

/** Parses a time in a URL: seconds, or a date. */
function parseTime(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text.trim() === '') return undefined
  const value = /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : Date.parse(text) / 1000
  return Number.isFinite(value) ? value : undefined
}
