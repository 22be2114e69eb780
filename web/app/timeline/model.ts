/** What is in sight, where the cursor is, and how both move; kept in the address. Times in seconds. */
import { storeOf, type Store } from '../data/store.js'
import type { LaneData } from '../lanes/data.js'
import type { Zones } from '../lanes/calendar.js'
import type { Span } from '../lanes/draw.js'
import { bounded, lengthOf, panned, zoomed, type View } from '../lanes/scale.js'
import { presetView } from './presets.js'

/** Milliseconds without a move after which data are asked for, and the address is changed. */
export const rest = 120

/** Number of own addresses that are remembered. */
const rememberedAddresses = 20

export class Model {
  readonly view: Store<View>
  /** Where the cursor stays; undefined before anybody has placed it. */
  readonly at: Store<number | undefined>
  /** Where a pointer is just now. */
  readonly hover: Store<number | undefined> = storeOf<number | undefined>(undefined)
  /** Stretches of days with names, in all lanes. */
  readonly spans: Store<readonly Span[]> = storeOf<readonly Span[]>([])
  /** The lane in which the cursor was placed last. */
  readonly chosen: Store<string | undefined> = storeOf<string | undefined>(undefined)
  /** What the lanes show, by the ids of their streams. */
  readonly data: Store<ReadonlyMap<string, LaneData>> = storeOf<ReadonlyMap<string, LaneData>>(new Map())
  #written: readonly string[] = []
  readonly #spans = new Map<string, readonly Span[]>()

  constructor(
    query: URLSearchParams,
    readonly zones: Zones
  ) {
    this.view = storeOf(viewIn(query) ?? presetView('month', now(), zones))
    this.at = storeOf(numberIn(query, 'at'))
  }

  /** Where the cursor is: at the pointer, else where it was placed, else at the end of what is in sight. */
  get cursor(): number {
    return this.hover.value ?? this.resting
  }

  get resting(): number {
    const { from, to } = this.view.value
    const at = this.at.value ?? Math.min(now(), to)
    return Math.min(to, Math.max(from, at))
  }

  show(view: View): void {
    const next = bounded(view)
    const { from, to } = this.view.value
    if (from !== next.from || to !== next.to) this.view.set(next)
  }

  pan(seconds: number): void {
    this.show(panned(this.view.value, seconds))
  }

  /** By how much longer the view gets, around a time. */
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

  /** What a lane has read, and the stretches with names in it. */
  tell(lane: string, data: LaneData | undefined, spans: readonly Span[]): void {
    const next = new Map(this.data.value)
    if (data) next.set(lane, data)
    else next.delete(lane)
    this.data.set(next)
    this.#tellSpans(lane, spans)
  }

  #tellSpans(lane: string, spans: readonly Span[]): void {
    const before = this.#spans.get(lane) ?? []
    if (JSON.stringify(before) === JSON.stringify(spans)) return
    this.#spans.set(lane, spans)
    this.spans.set(Array.from(this.#spans.values()).flat())
  }

  /**
   * Shows what an address says, unless this model has written it: the page hears of that only when it renders, and somebody may
   * have moved on by then.
   */
  follow(query: URLSearchParams, isBack = false): void {
    if (!isBack && this.#written.includes(keyOf(query))) return
    const view = viewIn(query)
    if (view) this.show(view)
    if (query.has('at')) this.at.set(numberIn(query, 'at'))
  }

  /** Remembers that an address has been written. */
  wrote(query: URLSearchParams): void {
    this.#written = [...this.#written, keyOf(query)].slice(-rememberedAddresses)
  }

  /** For the address. */
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

function keyOf(query: URLSearchParams): string {
  return ['from', 'to', 'at'].map(name => query.get(name) ?? '').join()
}

export function now(): number {
  return Date.now() / 1000
}

function viewIn(query: URLSearchParams): View | undefined {
  const [from, to] = [numberIn(query, 'from'), numberIn(query, 'to')]
  return from !== undefined && to !== undefined && to > from ? bounded({ from, to }) : undefined
}

/** A time in an address: seconds, or a date. */
function numberIn(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name)
  if (text === null || text.trim() === '') return undefined
  const value = /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : Date.parse(text) / 1000
  return Number.isFinite(value) ? value : undefined
}
