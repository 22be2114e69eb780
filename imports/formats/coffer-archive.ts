/**
 * Reads the export of an account of this service: streams, events and data points are created below one stream.
 * (docs/operation.md#format)
 */
import type {
  ArchiveFormat,
  AttachedFile,
  ContentSchemas,
  FileHead,
  Sink,
  SourceFile,
  StreamMarks
} from '../record.js'
import { readHead } from '../text/decode.js'
import { addPoint, cutDescription } from './coffer-records.js'
import {
  getMember,
  readObjects,
  isObject,
  getList,
  getNumber,
  getText,
  type Json,
  isTopLevel
} from './json-files.js'

export const cofferArchive: ArchiveFormat = {
  id: 'coffer',
  name: 'Coffer',
  recognises: ({ name, text }) => name === 'account.json' && /"format"\s*:\s*"coffer-account"/.test(text),
  async read(files, sink, { types }) {
    const reader = new ArchiveTableReader(sink, types)
    for await (const file of files) {
      const table = /^tables\/([a-z_]+)\.jsonl$/.exec(file.name)?.[1]
      if (table !== undefined) await reader.readTable(table, file)
      else if (file.name.startsWith(attachmentFolder))
        await sink.addFile('attachment', file.name.slice(attachmentFolder.length), file)
    }
  }
}

/** Folder of the events' files. */
const attachmentFolder = 'attachments/'

interface Stream {
  readonly name: string
  readonly parentId: string | null
  /** The mark of its measure; `null` if it has none. */
  readonly mark: string | null
  readonly isTrashed: boolean
}

/** A series event. */
interface SeriesEvent {
  readonly id: string
  readonly type: string
  readonly time: number
  readonly description: string | undefined
  readonly place: StreamPlace
}

interface StreamPlace {
  readonly path: readonly string[]
  readonly stream: string
  readonly marks: StreamMarks
}

const trashReason = 'in the trash'
/** Maximum depth of nested streams. */
const maxDepth = 1000
/** Maximum number of streams that are read, as each may be created. */
const maxStreams = 5000
/** Length at which marks are cut: longer than that of any measure's. */
const maxMarkLength = 1000

class ArchiveTableReader {
  readonly #streams = new Map<string, Stream>()
  readonly #places = new Map<string, StreamPlace | 'trash' | undefined>()
  /** Series events by their number. */
  readonly #seriesEvents = new Map<number, SeriesEvent | undefined>()
  readonly #columns = new Map<number, readonly string[]>()

  constructor(
    private readonly sink: Sink,
    private readonly types: ContentSchemas | undefined
  ) {}

  /** Reads a file of the archive by the name of its table; does nothing for tables that are not imported. */
  async readTable(name: string, file: SourceFile): Promise<void> {
    const onRow = this.#getRowReader(name)
    if (!onRow) return
    const head: FileHead = await readHead(file)
    await readObjects(file, head, this.sink, isTopLevel, onRow)
  }

  #getRowReader(table: string): ((row: Json) => void) | undefined {
    if (table === 'stream') return row => this.#readStream(row)
    if (table === 'event') return row => this.#readEvent(row)
    if (table === 'series') return row => this.#readSeries(row)
    if (table === 'series_chunk') return row => this.#readChunk(row)
    return undefined
  }

  #readStream(row: Json): void {
    const [id, name] = [getText(row, 'id'), getText(row, 'body', 'name')]
    if (this.#streams.size >= maxStreams) this.sink.skip('stream', 'beyond the streams that are brought in')
    else if (id !== undefined && name !== undefined)
      this.#streams.set(id, {
        name,
        parentId: getText(row, 'body', 'parentId') ?? null,
        mark: getText(row, 'body', 'clientData', 'coffer:measure')?.slice(0, maxMarkLength) || null,
        isTrashed: getMember(row, 'body', 'trashed') === true
      })
  }

  /** Reads a row of the table of events: adds the event, or remembers a series for its data points. */
  #readEvent(row: Json): void {
    const body = getMember(row, 'body')
    const [id, type, time] = [getText(body, 'id'), getText(body, 'type'), getNumber(body, 'time')]
    const number = getNumber(row, 'number')
    const kind = 'event'
    if (id === undefined || type === undefined || time === undefined || !isObject(body)) {
      this.sink.skip(kind, 'no event that can be read')
      return
    }
    const found = getList(body, 'streamIds').map(stream => this.#findPlace(String(stream)))
    const [place, ...others] = found.filter(each => each !== 'trash' && each !== undefined)
    if (type.startsWith('series:')) {
      // The import creates such an event again with its data points.
      const isHere = place && getNumber(row, 'trashed') === 0
      if (number !== undefined)
        this.#seriesEvents.set(
          number,
          isHere
            ? {
                id,
                type: type.slice('series:'.length),
                time,
                description: cutDescription(getText(body, 'description')),
                place
              }
            : undefined
        )
      return
    }
    if (!place) {
      this.sink.skip(kind, found.includes('trash') ? trashReason : 'a value of the account itself')
      return
    }
    if (getNumber(row, 'trashed') !== 0) {
      this.sink.skip(kind, trashReason)
      return
    }
    const { duration } = body
    const { 'coffer:import': _import, ...clientData } = (getMember(body, 'clientData') ?? {}) as Json
    this.sink.addRecord({
      kind,
      source: '',
      ...place,
      otherPaths: others.map(({ path, stream }) => [...path, stream]),
      otherMarks: others.map(({ marks }) => marks),
      type,
      time,
      duration: duration === null || typeof duration === 'number' ? duration : undefined,
      content: body['content'],
      identity: id,
      isEvent: true,
      files: getFiles(body),
      description: getText(body, 'description'),
      clientData: Object.keys(clientData).length === 0 ? undefined : clientData
    })
  }

  #readSeries(row: Json): void {
    const event = getNumber(row, 'event')
    const columns = getList(row, 'columns').map(String)
    if (event !== undefined) this.#columns.set(event, columns)
  }

  #readChunk(row: Json): void {
    const event = getNumber(row, 'event') ?? NaN
    const points = parsePoints(row['points'])
    const [series, columns] = [this.#seriesEvents.get(event), this.#columns.get(event)]
    const kind = 'point'
    if (!points || !columns) this.sink.skip(kind, 'damaged', getNumber(row, 'count') ?? 1)
    else if (!series) this.sink.skip(kind, 'in a series that is in the trash', points.length)
    else for (const point of points) this.#addPoint(series, columns, point)
  }

  /** Adds a data point with its duration. */
  #addPoint(
    { description, id, place, time, type }: SeriesEvent,
    columns: readonly string[],
    point: readonly unknown[]
  ): void {
    const fields: Record<string, unknown> = {}
    let duration: number | undefined
    for (const [index, name] of columns.entries()) {
      const cell = point[index + 1]
      if (cell === null || cell === undefined) continue
      if (name === 'duration' && typeof cell === 'number') duration = cell
      else fields[name] = cell
    }
    const at = Number((time + Number(point[0])).toFixed(6))
    addPoint(this.sink, this.types, { ...place, type, time: at, duration, description, fields, seriesId: id })
  }

  /** Returns the path of a stream; `trash` if it or one above is in the trash; `undefined` for streams of the account itself. */
  #findPlace(id: string): StreamPlace | 'trash' | undefined {
    if (this.#places.has(id)) return this.#places.get(id)
    const names: string[] = []
    const marks: (string | null)[] = []
    let isTrashed = false
    for (let each: string | null = id; each !== null && names.length < maxDepth;) {
      const stream: Stream | undefined = this.#streams.get(each)
      if (!stream) break
      names.unshift(stream.name)
      marks.unshift(stream.mark)
      isTrashed ||= stream.isTrashed
      each = stream.parentId
    }
    const found = names.length === 0 ? undefined : { path: names.slice(0, -1), stream: names.at(-1)!, marks }
    const place = isTrashed ? 'trash' : found
    this.#places.set(id, place)
    return place
  }
}

/** Returns the files of an event. */
function getFiles(body: Json): readonly AttachedFile[] | undefined {
  const files = getList(body, 'attachments').flatMap(each => {
    const [key, fileName] = [getText(each, 'id'), getText(each, 'fileName')]
    if (key === undefined || fileName === undefined) return []
    return [{ key, fileName, type: getText(each, 'type') ?? 'application/octet-stream' }]
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
