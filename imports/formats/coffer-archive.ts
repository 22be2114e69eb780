/**
 * Reads the export of an account of this service: streams, events and data points are created below one stream.
 * (docs/operation.md#format)
 */
import type { ArchiveFormat, Datum, FileName, Head, Sink, Source } from '../record.js'
import { headOf } from '../text/decode.js'
import { at, eachObject, isObject, listAt, numberAt, textAt, type Json, outermost } from './json-files.js'

export const cofferArchive: ArchiveFormat = {
  id: 'coffer',
  name: 'Coffer',
  recognises: ({ name, text }) => name === 'account.json' && /"format"\s*:\s*"coffer-account"/.test(text),
  async read(files, sink) {
    const reader = new ArchiveTableReader(sink)
    for await (const file of files) {
      const table = /^tables\/([a-z_]+)\.jsonl$/.exec(file.name)?.[1]
      if (table !== undefined) await reader.readTable(table, file)
      else if (file.name.startsWith(attachmentFolder))
        await sink.file('attachment', file.name.slice(attachmentFolder.length), file)
    }
  }
}

/** Folder of the events' files. */
const attachmentFolder = 'attachments/'

interface Stream {
  readonly name: string
  readonly parentId: string | null
}

/** A series event. */
interface SeriesEvent {
  readonly id: string
  readonly type: string
  readonly time: number
  readonly place: StreamPlace
}

interface StreamPlace {
  readonly path: readonly string[]
  readonly stream: string
}

/** Limit of nested streams. */
const maxDepth = 1000
/** Limit of streams that are read, as each may be created. */
const maxStreams = 5000

class ArchiveTableReader {
  readonly #streams = new Map<string, Stream>()
  readonly #places = new Map<string, StreamPlace | undefined>()
  /** Series events by their number. */
  readonly #seriesEvents = new Map<number, SeriesEvent | undefined>()
  readonly #columns = new Map<number, readonly string[]>()

  constructor(private readonly sink: Sink) {}

  async readTable(name: string, file: Source): Promise<void> {
    const onRow = this.#getRowReader(name)
    if (!onRow) return
    const head: Head = await headOf(file)
    await eachObject(file, head, this.sink, outermost, onRow)
  }

  #getRowReader(table: string): ((row: Json) => void) | undefined {
    if (table === 'stream') return row => this.#readStream(row)
    if (table === 'event') return row => this.#readEvent(row)
    if (table === 'series') return row => this.#readSeries(row)
    if (table === 'series_chunk') return row => this.#readChunk(row)
    return undefined
  }

  #readStream(row: Json): void {
    const [id, name] = [textAt(row, 'id'), textAt(row, 'body', 'name')]
    if (this.#streams.size >= maxStreams)
      this.sink.leftOut('stream', 'beyond the streams that are brought in')
    else if (id !== undefined && name !== undefined)
      this.#streams.set(id, { name, parentId: textAt(row, 'body', 'parentId') ?? null })
  }

  #readEvent(row: Json): void {
    const body = at(row, 'body')
    const [id, type, time] = [textAt(body, 'id'), textAt(body, 'type'), numberAt(body, 'time')]
    const number = numberAt(row, 'number')
    const kind = 'event'
    if (id === undefined || type === undefined || time === undefined || !isObject(body)) {
      this.sink.leftOut(kind, 'no event that can be read')
      return
    }
    const places = listAt(body, 'streamIds').flatMap(stream => this.#findPlace(String(stream)) ?? [])
    const [place, ...others] = places
    if (type.startsWith('series:')) {
      // Created again with its data points.
      const isHere = place && numberAt(row, 'trashed') === 0
      if (number !== undefined)
        this.#seriesEvents.set(
          number,
          isHere ? { id, type: type.slice('series:'.length), time, place } : undefined
        )
      return
    }
    if (!place) {
      this.sink.leftOut(kind, 'a value of the account itself')
      return
    }
    if (numberAt(row, 'trashed') !== 0) {
      this.sink.leftOut(kind, 'in the trash')
      return
    }
    const { duration } = body
    const { 'coffer:import': _import, ...clientData } = (at(body, 'clientData') ?? {}) as Json
    this.sink.datum({
      kind,
      source: '',
      ...place,
      also: others.map(({ path, stream }) => [...path, stream]),
      type,
      time,
      duration: duration === null || typeof duration === 'number' ? duration : undefined,
      content: body['content'],
      identity: id,
      isEvent: true,
      files: getFiles(body),
      description: textAt(body, 'description'),
      clientData: Object.keys(clientData).length === 0 ? undefined : clientData
    })
  }

  #readSeries(row: Json): void {
    const event = numberAt(row, 'event')
    const columns = listAt(row, 'columns').map(String)
    if (event !== undefined) this.#columns.set(event, columns)
  }

  #readChunk(row: Json): void {
    const event = numberAt(row, 'event') ?? NaN
    const points = parsePoints(row['points'])
    const [series, columns] = [this.#seriesEvents.get(event), this.#columns.get(event)]
    const kind = 'point'
    if (!points || !columns) this.sink.leftOut(kind, 'damaged', numberAt(row, 'count') ?? 1)
    else if (!series) this.sink.leftOut(kind, 'in a series that is in the trash', points.length)
    else for (const point of points) this.#addPoint(series, columns, point)
  }

  #addPoint(
    { id, place, time, type }: SeriesEvent,
    columns: readonly string[],
    point: readonly unknown[]
  ): void {
    const kind = 'point'
    const content: Record<string, number> = {}
    let duration: number | undefined
    for (const [index, name] of columns.entries()) {
      const cell = point[index + 1]
      if (cell === null || cell === undefined) continue
      if (typeof cell !== 'number') {
        this.sink.leftOut(kind, 'not of numbers')
        return
      }
      if (name === 'duration') duration = cell
      else content[name] = cell
    }
    const hasSingleValue = columns.includes('value')
    const record: Datum = {
      kind,
      source: '',
      ...place,
      type,
      time: Number((time + Number(point[0])).toFixed(6)),
      duration,
      content: hasSingleValue ? content['value'] : content,
      track: id
    }
    if (hasSingleValue && content['value'] === undefined) this.sink.leftOut(kind, 'without a number')
    else this.sink.datum(record)
  }

  /** Returns the path of a stream; `undefined` for streams of the account itself. */
  #findPlace(id: string): StreamPlace | undefined {
    if (this.#places.has(id)) return this.#places.get(id)
    const names: string[] = []
    for (let each: string | null = id; each !== null && names.length < maxDepth;) {
      const stream: Stream | undefined = this.#streams.get(each)
      if (!stream) break
      names.unshift(stream.name)
      each = stream.parentId
    }
    const place = names.length === 0 ? undefined : { path: names.slice(0, -1), stream: names.at(-1)! }
    this.#places.set(id, place)
    return place
  }
}

/** Returns the files of an event. */
function getFiles(body: Json): readonly FileName[] | undefined {
  const files = listAt(body, 'attachments').flatMap(each => {
    const [key, fileName] = [textAt(each, 'id'), textAt(each, 'fileName')]
    if (key === undefined || fileName === undefined) return []
    return [{ key, fileName, type: textAt(each, 'type') ?? 'application/octet-stream' }]
  })
  return files.length === 0 ? undefined : files
}

/** Parses the rows of a chunk, which is a JSON list without its brackets; a single row is parsed already. */
function parsePoints(text: unknown): readonly (readonly unknown[])[] | undefined {
  if (Array.isArray(text)) return [text]
  if (typeof text !== 'string') return undefined
  try {
    const rows: unknown = JSON.parse(`[${text}]`)
    return Array.isArray(rows) && rows.every(Array.isArray) ? (rows as unknown[][]) : undefined
  } catch {
    return undefined
  }
}
