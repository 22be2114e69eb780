/** Lanes: which data are kept together, and how. (docs/decisions/0019-imports.md) */
import type { Datum } from '../record.js'
import type { CountedLane, Form, Lane, Sampled } from '../protocol.js'
import { Sampler } from './sampled.js'

/** Records a day from which on a lane is dense. */
const denseDaily = 50
const day = 86_400
/** Tracks of a file at most: each has a lane. */
const mostTracks = 200_000
/** Other lanes of a file at most: each makes streams. */
const mostLanes = 2000

export interface OpenLane extends Omit<CountedLane, keyof Sampled> {
  readonly contents: Sampler
  /** Once all have been counted. */
  form?: Form
  count: number
  from: number
  to: number
}

/** What ends the key of a lane whose data are events however many there are. */
const ofEvents = 'events'

/** The key of the lane of a datum: another one for each lane, whatever its names hold. */
export function laneKey(format: string, { isEvent, path, source, stream, track, type }: Datum): string {
  const place = path ? [...path, stream].map(name => partOf(name, '/')).join('/') : partOf(stream)
  const key = `${format}\n${place}\n${partOf(source)}\n${partOf(type)}`
  if (track === undefined) return isEvent ? `${key}\n${ofEvents}` : key
  return `${key}\n${track === ofEvents ? JSON.stringify(track) : partOf(track)}`
}

/** A name as part of a key: quoted where it holds what separates parts, or begins as a quoted one does. */
function partOf(name: string, separator = '\n'): string {
  const isPlain = !name.includes('\n') && !name.includes(separator) && !name.startsWith('"')
  return isPlain ? name : JSON.stringify(name)
}

/** Whether a content can be cells of a row: a number, or numbers by name. */
export function isNumeric(content: unknown): boolean {
  if (typeof content === 'number') return Number.isFinite(content)
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return false
  return Object.values(content).every(value => typeof value === 'number')
}

/** Tracks of one kind are reported as one. */
function reportedKey({ isTrack, key }: Pick<OpenLane, 'isTrack' | 'key'>): string {
  return isTrack ? key.split('\n', 4).join('\n') : key
}

/** The lanes of one file. */
export class Lanes {
  readonly #lanes = new Map<string, OpenLane>()
  /** By the key under which a lane is reported. */
  readonly #contents = new Map<string, Sampler>()
  #tracks = 0
  /** The lane of the datum before: data come in rows of a kind. */
  #last: { readonly datum: Datum; readonly lane: OpenLane } | undefined

  /** Lanes as an earlier reading has found them. */
  static of(counted: readonly CountedLane[]): Lanes {
    const lanes = new Lanes()
    for (const lane of counted) {
      const { example: _example, max: _max, min: _min, ...open } = lane
      lanes.#lanes.set(lane.key, { ...open, contents: lanes.#contentsOf(lane, lane) })
      if (lane.isTrack) lanes.#tracks++
    }
    return lanes
  }

  /** What {@link Lanes.of} takes; `undefined` if there are more than `most`. */
  counted(most: number): CountedLane[] | undefined {
    if (this.#lanes.size > most) return undefined
    return [...this.#lanes.values()].map(({ contents, form: _form, ...lane }) => ({
      ...lane,
      ...contents.sampled
    }))
  }

  /** The lane of a datum, made if there is none; `undefined` if there are too many. */
  of(format: string, datum: Datum): OpenLane | undefined {
    const last = this.#last
    if (
      last &&
      last.datum.type === datum.type &&
      last.datum.source === datum.source &&
      last.datum.stream === datum.stream &&
      last.datum.track === datum.track &&
      last.datum.path === datum.path &&
      last.datum.isEvent === datum.isEvent &&
      last.lane.format === format
    )
      return last.lane
    const key = laneKey(format, datum)
    let lane = this.#lanes.get(key)
    if (!lane) {
      const { path, source, stream, track, type } = datum
      const isTrack = track !== undefined
      if (isTrack ? this.#tracks >= mostTracks : this.#lanes.size - this.#tracks >= mostLanes)
        return undefined
      if (isTrack) this.#tracks++
      const mayBeSeries = isTrack || (!datum.isEvent && isNumeric(datum.content))
      lane = {
        key,
        format,
        stream,
        path,
        source,
        type,
        mayBeSeries,
        isTrack,
        contents: this.#contentsOf({ key, isTrack }),
        count: 0,
        from: Infinity,
        to: -Infinity
      }
      this.#lanes.set(key, lane)
    }
    this.#last = { datum, lane }
    return lane
  }

  find(key: string): OpenLane | undefined {
    return this.#lanes.get(key)
  }

  /** All lanes, with the form that each has now; one that had a form before keeps it. */
  list(forms: Readonly<Record<string, Form>>): Lane[] {
    const lanes = new Map<string, Lane>()
    for (const lane of this.#lanes.values()) {
      const { contents, count, format, from, key, source, stream, to, type } = lane
      const own = reportedKey(lane)
      const same = lanes.get(own)
      lanes.set(own, {
        key: own,
        format,
        stream,
        source,
        type,
        form: this.formOf(key, forms),
        count: count + (same?.count ?? 0),
        from: Math.min(from, same?.from ?? Infinity),
        to: Math.max(to, same?.to ?? -Infinity),
        ...contents.sampled
      })
    }
    return [...lanes.values()]
  }

  #contentsOf(lane: Pick<OpenLane, 'isTrack' | 'key'>, former?: Sampled): Sampler {
    const key = reportedKey(lane)
    let contents = this.#contents.get(key)
    if (!contents) this.#contents.set(key, (contents = new Sampler(former)))
    return contents
  }

  formOf(key: string, forms: Readonly<Record<string, Form>>): Form {
    const lane = this.#lanes.get(key)!
    if (!lane.mayBeSeries) return 'events'
    if (lane.isTrack) return 'series'
    const days = Math.max(1, (lane.to - lane.from) / day)
    return forms[key] ?? (lane.count / days > denseDaily ? 'series' : 'events')
  }
}
