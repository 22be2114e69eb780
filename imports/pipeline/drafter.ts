/** The second pass: turns data into batches of events, and of points that are sorted and go together. */
import type { Datum, Sink, Source } from '../record.js'
import type { Batch, Counts, EventDraft, FileDraft, Form, PointsDraft, StreamDraft } from '../protocol.js'
import { isPlausible } from '../text/times.js'
import { longestRecord } from './bounded.js'
import { Count } from './counter.js'
import { NamedFiles } from './files.js'
import type { Ids } from './ids.js'
import type { Lanes, OpenLane } from './lanes.js'
import { Rows } from './rows.js'

/** Points of one series that go together. */
const windowSize = 2048
/** Bytes that all windows take together, and what each of them takes besides its rows. */
const mostHeld = 16 * 1024 * 1024
const ofWindow = 1024
/** Events that go together, and characters of them. */
const eventsSize = 100
const eventsLength = longestRecord
/** What each stream of an event counts. */
const ofStream = 150
/** Characters of a stream's name. */
const longestName = 100

interface Window {
  readonly lane: OpenLane
  readonly holder: string
  readonly path: readonly StreamDraft[]
  readonly origin: number
  readonly rows: Rows
}

export class Drafter implements Sink {
  readonly #twice = new Count()
  readonly #windows = new Map<string, Window>()
  /** By what names them: the ids of their events. */
  readonly #files = new NamedFiles<string>()
  readonly #paths = new Map<string, readonly StreamDraft[]>()
  #events: EventDraft[] = []
  #length = 0
  /** Bytes of the windows. */
  #held = 0

  format = ''
  formatName = ''

  constructor(
    private readonly lanes: Lanes,
    private readonly forms: Readonly<Record<string, Form>>,
    private readonly ids: Ids,
    private readonly below: string,
    /** Returns once there is room for the next one. */
    private readonly send: (batch: Batch) => void,
    private readonly offer: (file: FileDraft, source: Source) => Promise<void>
  ) {}

  /** Records that are in the file twice, by type. */
  get twice(): Counts {
    return this.#twice.told
  }

  datum(datum: Datum): void {
    if (!isPlausible(datum.time)) return
    const lane = this.lanes.of(this.format, datum)
    // There were too many.
    if (!lane) return
    lane.form ??= this.lanes.formOf(lane.key, this.forms)
    if (lane.form === 'series') this.#point(lane, datum)
    else this.#event(datum)
  }

  async file(_kind: string, key: string, source: Source): Promise<void> {
    const found = this.#files.take(key)
    // The first pass has counted it.
    if (!found) return
    const { name, of: event } = found
    this.#flushEvents()
    const { fileName, type } = name
    const id = this.ids.of('file', this.format, event, key)
    await this.offer({ id, event, fileName, type, size: source.size }, source)
  }

  leftOut(): void {
    // The first pass has counted it.
  }

  warn(): void {
    // The first pass has reported it.
  }

  drained(): undefined {
    return undefined
  }

  /** Sends what is left. */
  finish(): void {
    for (const key of this.#windows.keys()) this.#flush(key)
    this.#flushEvents()
  }

  #event(datum: Datum): void {
    const { also, content, description, duration, identity, path, source, stream, time, type, zone } = datum
    const written = identity ?? JSON.stringify(content ?? null)
    const clientData = zone === undefined ? datum.clientData : { ...datum.clientData, 'coffer:zone': zone }
    const drafted = this.#path(path, stream, source)
    const others = also ? also.map(names => this.#path(names.slice(0, -1), names.at(-1)!, '')) : []
    const id = this.ids.of(this.format, source, stream, type, time, duration ?? 0, written)
    this.#files.add(datum, id)
    this.#events.push({
      id,
      path: drafted,
      also: others,
      type,
      time,
      duration,
      content,
      description,
      clientData,
      hasFiles: datum.files !== undefined
    })
    this.#length +=
      200 + written.length + (description?.length ?? 0) + (datum.clientData ? sizeOf(datum.clientData) : 0)
    for (const { length } of others) this.#length += ofStream * length
    if (path) this.#length += ofStream * drafted.length
    if (this.#events.length >= eventsSize || this.#length > eventsLength) this.#flushEvents()
  }

  #flushEvents(): void {
    if (this.#events.length === 0) return
    this.send({ events: this.#events, points: [] })
    this.#events = []
    this.#length = 0
  }

  #point(lane: OpenLane, { content, duration, time }: Datum): void {
    const year = lane.isTrack ? 0 : new Date(time * 1000).getUTCFullYear()
    const key = `${lane.key}\n${year}`
    let window = this.#windows.get(key)
    if (window && !window.rows.takes(content)) {
      this.#flush(key)
      window = undefined
    }
    if (!window) {
      this.#windows.set(key, (window = this.#open(lane, year)))
      this.#held += ofWindow + window.rows.bytes
    }
    const { rows } = window
    this.#held -= rows.bytes
    rows.add(time, content, duration)
    this.#held += rows.bytes
    if (rows.size >= windowSize) this.#flush(key)
    while (this.#held > mostHeld) this.#flush(this.#windows.keys().next().value!)
  }

  #open(lane: OpenLane, year: number): Window {
    const { format, from, isTrack, key, path, source, stream } = lane
    return {
      lane,
      holder: this.ids.of('series', format, key, year),
      path: this.#path(path, stream, source),
      origin: isTrack ? from : Date.UTC(year, 0, 1) / 1000,
      rows: new Rows()
    }
  }

  #flush(key: string): void {
    const window = this.#windows.get(key)!
    // One that is filled again goes to the end of the line.
    this.#windows.delete(key)
    this.#held -= ofWindow + window.rows.bytes
    this.send({ events: [], points: [this.#draft(window)] })
  }

  #draft({ holder, lane, origin, path, rows }: Window): PointsDraft {
    const { cells, twice } = rows.sorted()
    if (twice > 0) this.#twice.add(lane.type, twice)
    return { holder, path, type: lane.type, origin, columns: rows.columns, cells }
  }

  #path(above: readonly string[] = [], stream: string, source: string): readonly StreamDraft[] {
    const key = JSON.stringify([this.format, above, stream, source])
    let path = this.#paths.get(key)
    if (!path) {
      const names = [this.formatName, ...above, stream, ...(source === '' ? [] : [source])]
      path = names.map((name, at) => ({
        id: this.ids.of('stream', this.below, this.format, ...names.slice(1, at + 1)),
        name:
          name
            .replaceAll(/\p{C}+/gu, ' ')
            .trim()
            .slice(0, longestName) || '?'
      }))
      this.#paths.set(key, path)
    }
    return path
  }
}

function sizeOf(value: object): number {
  return JSON.stringify(value).length
}
