/** The export of an account of this service: streams, events and points come below one stream. (docs/operation.md#format) */
import type { ArchiveFormat, Datum, FileName, Head, Sink, Source } from '../record.js'
import { headOf } from '../text/decode.js'
import { at, eachObject, isObject, listAt, numberAt, textAt, type Json, outermost } from './json-files.js'

export const cofferArchive: ArchiveFormat = {
  id: 'coffer',
  name: 'Coffer',
  recognises: ({ name, text }) => name === 'account.json' && /"format"\s*:\s*"coffer-account"/.test(text),
  async read(files, sink) {
    const reader = new Reader(sink)
    for await (const file of files) {
      const table = /^tables\/([a-z_]+)\.jsonl$/.exec(file.name)?.[1]
      if (table !== undefined) await reader.table(table, file)
      else if (file.name.startsWith(attachments))
        await sink.file('attachment', file.name.slice(attachments.length), file)
    }
  }
}

/** Where the files of events are. */
const attachments = 'attachments/'

interface Stream {
  readonly name: string
  readonly parentId: string | null
}

/** An event that holds a series. */
interface Holder {
  readonly id: string
  readonly type: string
  readonly time: number
  readonly place: Place
}

interface Place {
  readonly path: readonly string[]
  readonly stream: string
}

/** Streams above one another at most. */
const deepest = 1000
/** Streams that are read: each may be made. */
const mostStreams = 5000

class Reader {
  readonly #streams = new Map<string, Stream>()
  readonly #places = new Map<string, Place | undefined>()
  /** By the number of their event. */
  readonly #holders = new Map<number, Holder | undefined>()
  readonly #columns = new Map<number, readonly string[]>()

  constructor(private readonly sink: Sink) {}

  async table(name: string, file: Source): Promise<void> {
    const onRow = this.#readerOf(name)
    if (!onRow) return
    const head: Head = await headOf(file)
    await eachObject(file, head, this.sink, outermost, onRow)
  }

  #readerOf(table: string): ((row: Json) => void) | undefined {
    if (table === 'stream') return row => this.#stream(row)
    if (table === 'event') return row => this.#event(row)
    if (table === 'series') return row => this.#series(row)
    if (table === 'series_chunk') return row => this.#chunk(row)
    return undefined
  }

  #stream(row: Json): void {
    const [id, name] = [textAt(row, 'id'), textAt(row, 'body', 'name')]
    if (this.#streams.size >= mostStreams)
      this.sink.leftOut('stream', 'beyond the streams that are brought in')
    else if (id !== undefined && name !== undefined)
      this.#streams.set(id, { name, parentId: textAt(row, 'body', 'parentId') ?? null })
  }

  #event(row: Json): void {
    const body = at(row, 'body')
    const [id, type, time] = [textAt(body, 'id'), textAt(body, 'type'), numberAt(body, 'time')]
    const number = numberAt(row, 'number')
    const kind = 'event'
    if (id === undefined || type === undefined || time === undefined || !isObject(body)) {
      this.sink.leftOut(kind, 'no event that can be read')
      return
    }
    const places = listAt(body, 'streamIds').flatMap(stream => this.#placeOf(String(stream)) ?? [])
    const [place, ...others] = places
    if (type.startsWith('series:')) {
      // It comes back with its points.
      const isHere = place && numberAt(row, 'trashed') === 0
      if (number !== undefined)
        this.#holders.set(
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
      files: filesOf(body),
      description: textAt(body, 'description'),
      clientData: Object.keys(clientData).length === 0 ? undefined : clientData
    })
  }

  #series(row: Json): void {
    const event = numberAt(row, 'event')
    const columns = listAt(row, 'columns').map(String)
    if (event !== undefined) this.#columns.set(event, columns)
  }

  #chunk(row: Json): void {
    const event = numberAt(row, 'event') ?? NaN
    const points = pointsOf(row['points'])
    const [holder, columns] = [this.#holders.get(event), this.#columns.get(event)]
    const kind = 'point'
    if (!points || !columns) this.sink.leftOut(kind, 'damaged', numberAt(row, 'count') ?? 1)
    else if (!holder) this.sink.leftOut(kind, 'in a series that is in the trash', points.length)
    else for (const point of points) this.#point(holder, columns, point)
  }

  #point({ id, place, time, type }: Holder, columns: readonly string[], point: readonly unknown[]): void {
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
    const isSingle = columns.includes('value')
    const datum: Datum = {
      kind,
      source: '',
      ...place,
      type,
      time: Number((time + Number(point[0])).toFixed(6)),
      duration,
      content: isSingle ? content['value'] : content,
      track: id
    }
    if (isSingle && content['value'] === undefined) this.sink.leftOut(kind, 'without a number')
    else this.sink.datum(datum)
  }

  /** Where a stream lies; `undefined` for those of the account itself. */
  #placeOf(id: string): Place | undefined {
    if (this.#places.has(id)) return this.#places.get(id)
    const names: string[] = []
    for (let each: string | null = id; each !== null && names.length < deepest;) {
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

/** The files of an event, by their ids. */
function filesOf(body: Json): readonly FileName[] | undefined {
  const files = listAt(body, 'attachments').flatMap(each => {
    const [key, fileName] = [textAt(each, 'id'), textAt(each, 'fileName')]
    if (key === undefined || fileName === undefined) return []
    return [{ key, fileName, type: textAt(each, 'type') ?? 'application/octet-stream' }]
  })
  return files.length === 0 ? undefined : files
}

/** The rows of a chunk, which is a list without its brackets; one row alone stands there as a list. */
function pointsOf(text: unknown): readonly (readonly unknown[])[] | undefined {
  if (Array.isArray(text)) return [text]
  if (typeof text !== 'string') return undefined
  try {
    const rows: unknown = JSON.parse(`[${text}]`)
    return Array.isArray(rows) && rows.every(Array.isArray) ? (rows as unknown[][]) : undefined
  } catch {
    return undefined
  }
}
