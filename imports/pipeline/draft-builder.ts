/** Runs the second pass over a file: turns records into batches of events, and of sorted data points. */
import type { ImportedRecord, Sink, SourceFile } from '../record.js'
import type {
  DraftBatch,
  Counts,
  EventDraft,
  FileDraft,
  LaneForm,
  PointsDraft,
  StreamDraft
} from '../protocol.js'
import { isPlausible } from '../text/times.js'
import { maxRecordLength } from './limiting-sink.js'
import { NameCounts } from './record-counter.js'
import { PendingFiles } from './pending-files.js'
import type { LanePaths } from './lane-paths.js'
import { getSeriesStart, type RecordIds } from './record-ids.js'
import type { Lanes, OpenLane } from './lanes.js'
import { PointRows } from './point-rows.js'

/** Maximum number of data points of a series per batch. */
const maxWindowRows = 2048
/** Maximum size of all windows, in bytes, and the overhead of each besides its rows. */
const maxWindowBytes = 16 * 1024 * 1024
const windowOverhead = 1024
/** Maximum number of events per batch, and maximum number of their characters together. */
const maxBatchEvents = 100
const maxBatchLength = maxRecordLength
/** Size of each stream of an event. */
const streamOverhead = 150

interface SeriesWindow {
  readonly lane: OpenLane
  readonly seriesId: string
  readonly path: readonly StreamDraft[]
  readonly origin: number
  readonly rows: PointRows
}

/** Converts records to drafts and sends them in batches. */
export class DraftBuilder implements Sink {
  readonly #duplicates = new NameCounts()
  readonly #windows = new Map<string, SeriesWindow>()
  /** Ids of events by the keys of their files; `undefined` for events that are excluded. */
  readonly #files = new PendingFiles<string | undefined>()
  #events: EventDraft[] = []
  #batchLength = 0
  /** Size of all windows, in bytes. */
  #windowBytes = 0

  format = ''
  /** Number of records and files that the user has excluded. */
  leftOutCount = 0

  constructor(
    private readonly lanes: Lanes,
    private readonly forms: Readonly<Record<string, LaneForm>>,
    private readonly ids: RecordIds,
    private readonly paths: LanePaths,
    /** Returns once the next batch can be sent. */
    private readonly sendBatch: (batch: DraftBatch) => void,
    private readonly sendFile: (file: FileDraft, source: SourceFile) => Promise<void>
  ) {}

  /** Number of duplicate records, by type. */
  get duplicates(): Counts {
    return this.#duplicates.counts
  }

  /**
   * Adds a record as an event or as points, as its lane says. Ignored if its time is implausible or there are too many
   * lanes.
   */
  addRecord(record: ImportedRecord): void {
    if (!isPlausible(record.time)) return
    const lane = this.lanes.ensureLane(this.format, record)
    // The limit of lanes was exceeded.
    if (!lane) return
    lane.form ??= this.lanes.getForm(lane.key, this.forms)
    if (lane.streams === undefined)
      lane.streams = this.paths.getChoice(lane)?.isLeftOut ? null : this.paths.getLanePath(lane)
    if (!lane.streams) {
      this.leftOutCount++
      this.#files.add(record, undefined)
    } else if (lane.form === 'series') this.#addPoint(lane, record)
    else this.#addEvent(lane.streams, record)
  }

  /**
   * Sends a file that an earlier record names, after the events so far; counts it if the user has excluded
   * its event. Others are ignored.
   */
  async addFile(_kind: string, key: string, source: SourceFile): Promise<void> {
    const found = this.#files.remove(key)
    // The first pass has counted it.
    if (!found) return
    const { name, owner: event } = found
    if (event === undefined) {
      this.leftOutCount++
      return
    }
    this.#flushEvents()
    const { fileName, type } = name
    const id = this.ids.getFileId(this.format, event, key)
    await this.sendFile({ id, eventId: event, fileName, type, size: source.size }, source)
  }

  skip(): void {
    // The first pass has counted it.
  }

  warn(): void {
    // The first pass has reported it.
  }

  /** Sends the remaining batches. */
  finish(): void {
    for (const key of this.#windows.keys()) this.#flushWindow(key)
    this.#flushEvents()
  }

  /** Adds the draft of an event. Its id is derived from the record, so that importing it again changes nothing. */
  #addEvent(streams: readonly StreamDraft[], record: ImportedRecord): void {
    const { otherMarks, otherPaths, content, description, duration, identity, time, type } = record
    const { version, zone } = record
    const identityText = identity ?? JSON.stringify(content ?? null)
    const clientData = zone === undefined ? record.clientData : { ...record.clientData, 'coffer:zone': zone }
    const others = otherPaths
      ? otherPaths.map((names, at) =>
          this.paths.getPath(this.format, names.slice(0, -1), names.at(-1)!, '', otherMarks?.[at])
        )
      : []
    const id = this.ids.getEventId(this.format, record, identityText)
    this.#files.add(record, id)
    this.#events.push({
      id,
      itemId: this.ids.getItemId(this.format, record),
      identity,
      path: streams,
      otherPaths: others,
      type,
      time,
      duration,
      content,
      description,
      clientData,
      version: version && {
        recordId: this.ids.getRecordId(this.format, version),
        versionId: this.ids.getVersionId(this.format, version)
      },
      fileKeys: record.files?.map(({ key }) => key) ?? []
    })
    this.#batchLength +=
      200 +
      identityText.length +
      (description?.length ?? 0) +
      (record.clientData ? getJsonLength(record.clientData) : 0)
    for (const { length } of others) this.#batchLength += streamOverhead * length
    if (record.path) this.#batchLength += streamOverhead * streams.length
    if (this.#events.length >= maxBatchEvents || this.#batchLength > maxBatchLength) this.#flushEvents()
  }

  #flushEvents(): void {
    if (this.#events.length === 0) return
    this.sendBatch({ events: this.#events, points: [] })
    this.#events = []
    this.#batchLength = 0
  }

  /** Adds a data point to the window of its series: one for each lane and year, or for each track. */
  #addPoint(lane: OpenLane, { content, duration, time }: ImportedRecord): void {
    const year = lane.isTrack ? 0 : new Date(time * 1000).getUTCFullYear()
    const key = `${lane.key}\n${year}`
    let window = this.#windows.get(key)
    if (window && !window.rows.fits(content)) {
      this.#flushWindow(key)
      window = undefined
    }
    if (!window) {
      this.#windows.set(key, (window = this.#openWindow(lane, year)))
      this.#windowBytes += windowOverhead + window.rows.bytes
    }
    const { rows } = window
    this.#windowBytes -= rows.bytes
    rows.add(time, content, duration)
    this.#windowBytes += rows.bytes
    if (rows.size >= maxWindowRows) this.#flushWindow(key)
    while (this.#windowBytes > maxWindowBytes) this.#flushWindow(this.#windows.keys().next().value!)
  }

  #openWindow(lane: OpenLane, year: number): SeriesWindow {
    const { format, from, isTrack, key } = lane
    return {
      lane,
      seriesId: this.ids.getSeriesId(format, key, year),
      path: lane.streams!,
      origin: isTrack ? from : getSeriesStart(year),
      rows: new PointRows()
    }
  }

  #flushWindow(key: string): void {
    const window = this.#windows.get(key)!
    // Moves a window that is filled again to the end of the order.
    this.#windows.delete(key)
    this.#windowBytes -= windowOverhead + window.rows.bytes
    this.sendBatch({ events: [], points: [this.#buildDraft(window)] })
  }

  #buildDraft({ seriesId, lane, origin, path, rows }: SeriesWindow): PointsDraft {
    const { cells, duplicates } = rows.getSorted()
    if (duplicates > 0) this.#duplicates.add(lane.type, duplicates)
    const { description, type } = lane
    return { seriesId, path, type, origin, description, columns: rows.columns, cells }
  }
}

function getJsonLength(value: object): number {
  return JSON.stringify(value).length
}
