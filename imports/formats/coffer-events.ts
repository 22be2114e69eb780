/** Reads events exported from this service, as its long table, JSON or NDJSON. (docs/api/exports.md) */
import type { ImportedRecord, Format, Sink } from '../record.js'
import { parseJson } from '../text/object-scanner.js'
import { readColumnNames, readNamedRows, type NamedRow } from '../text/named-tables.js'
import {
  getMember,
  readObjects,
  isJson,
  isObject,
  getList,
  getNumber,
  getText,
  type Json,
  isTopLevel
} from './json-files.js'
import { parseNumber } from '../text/units.js'

const expectedColumns = [
  'id',
  'time',
  'unixtime',
  'duration',
  'streamid',
  'stream',
  'type',
  'field',
  'value',
  'unit'
]
/** Types whose values are texts, even if they look like numbers. */
const textTypes =
  /^(?:note|call|message|contact|url|encrypted|credentials|music|attributes)\/|^mood\/emoticon$/
/** Maximum nesting of a content. */
const maxDepth = 20
const trashReason = 'in the trash'
const seriesReason = 'a group of records that are in the file themselves'

export const cofferEvents: Format = {
  id: 'coffer',
  name: 'Coffer',
  recognises: head =>
    isJson(head)
      ? isEventsJson(head.text)
      : expectedColumns.every((name, index) => readColumnNames(head, ',')[index] === name),
  async read(source, head, sink) {
    if (isJson(head)) {
      const reader = new ObjectReader(sink)
      await readObjects(source, head, sink, isTopLevel, object => reader.read(object))
      return
    }
    const reader = new RowReader(sink)
    await readNamedRows(source, head, ',', 'event', sink, row => reader.addRow(row))
    reader.flush()
  }
}

function isEventsJson(text: string): boolean {
  return (
    /"streamIds"\s{0,9}:\s{0,9}\[/.test(text) &&
    /"createdBy"\s{0,9}:/.test(text) &&
    /"modifiedBy"\s{0,9}:/.test(text)
  )
}

class ObjectReader {
  readonly #seriesEvents = new Map<string, Json>()

  constructor(private readonly sink: Sink) {}

  /** Reads one object: an event, or the points of a series. */
  read(object: Json): void {
    const holder = getText(object, 'eventId')
    if (holder === undefined) this.#addEvent(object)
    else this.#addPoints(holder, object)
  }

  /** Adds an event. Events in the trash are skipped; those of series are known for their points. */
  #addEvent(event: Json): void {
    const [id, type, time] = [getText(event, 'id'), getText(event, 'type'), getNumber(event, 'time')]
    const [stream, ...others] = getList(event, 'streamIds').map(String)
    if (id === undefined || type === undefined || time === undefined || stream === undefined) {
      this.sink.skip('event', 'no event that can be read')
      return
    }
    const { duration } = event
    const files = getList(event, 'attachments').length
    if (files > 0) this.sink.skip('attachment', 'without its bytes', files)
    if (type.startsWith('series:')) {
      this.#seriesEvents.set(id, event)
      this.sink.skip('event', seriesReason)
      return
    }
    if (event['trashed'] === true) {
      this.sink.skip('event', trashReason)
      return
    }
    const { 'coffer:import': _import, ...clientData } = (getMember(event, 'clientData') ?? {}) as Json
    this.sink.addRecord({
      kind: 'event',
      source: '',
      stream,
      otherPaths: others.map(name => [name]),
      type,
      time,
      duration: duration === null || typeof duration === 'number' ? duration : undefined,
      content: event['content'],
      identity: id,
      isEvent: true,
      description: getText(event, 'description'),
      clientData: Object.keys(clientData).length === 0 ? undefined : clientData
    })
  }

  /** Adds the points of a series whose event was read before; others are skipped. */
  #addPoints(id: string, object: Json): void {
    const holder = this.#seriesEvents.get(id)
    const fields = getList(object, 'fields').map(String)
    const points = getList(object, 'points')
    if (holder?.['trashed'] === true) {
      this.sink.skip('point', trashReason, points.length)
      return
    }
    for (const point of points) {
      if (!holder || !Array.isArray(point)) {
        this.sink.skip('point', 'damaged')
        continue
      }
      const cells = fields.map((name, index) => [name, point[index] as unknown] as const)
      const numbers = cells.filter((cell): cell is [string, number] => typeof cell[1] === 'number')
      const { deltaTime = NaN, duration, ...content } = Object.fromEntries(numbers)
      if (Object.keys(content).length === 0) this.sink.skip('point', 'without a number')
      else
        this.sink.addRecord({
          kind: 'point',
          source: '',
          stream: String(getList(holder, 'streamIds')[0]),
          type: String(holder['type']).slice('series:'.length),
          time: Number((getNumber(holder, 'time')! + deltaTime).toFixed(6)),
          duration,
          content: fields.includes('value') ? content['value'] : content,
          track: id
        })
    }
  }
}

/** Joins the consecutive rows of an event, one for each value. */
class RowReader {
  #rows: NamedRow[] = []
  #seriesId = ''

  constructor(private readonly sink: Sink) {}

  /** Adds a row. If it begins another event, the previous event is emitted. */
  addRow(row: NamedRow): void {
    const last = this.#rows[0]
    if (last && ['id', 'unixtime', 'type'].some(name => last.get(name) !== row.get(name))) this.flush()
    // An event or data point has each value once.
    if (this.#rows.some(each => each.get('field') === row.get('field'))) this.flush()
    this.#rows.push(row)
  }

  /** Adds the event of the collected rows as a record, or skips it with a reason. */
  flush(): void {
    const [row] = this.#rows
    const rows = this.#rows
    this.#rows = []
    if (!row) return
    const [id = '', type, time] = [row.get('id'), row.get('type'), parseNumber(row.get('unixtime'))]
    const names = row.get('stream')?.split(' / ') ?? []
    const stream = names.pop() ?? row.get('streamid')
    const isPoint = id === this.#seriesId
    const kind = isPoint ? 'point' : 'event'
    const files = row.get('attachments')?.split('; ').length ?? 0
    if (files > 0) this.sink.skip('attachment', 'without its bytes', files)
    if (type === undefined || time === undefined || stream === undefined)
      this.sink.skip(kind, 'no event that can be read')
    else if (type.startsWith('series:')) {
      this.#seriesId = id
      this.sink.skip(kind, seriesReason)
    } else if (row.get('trashed') === 'true') this.sink.skip(kind, trashReason)
    else {
      const record: ImportedRecord = {
        kind,
        source: '',
        stream,
        ...(names.length > 0 && { path: names }),
        type,
        time,
        duration: parseNumber(row.get('duration')),
        content: buildContent(rows, type),
        ...(isPoint
          ? { track: id }
          : { identity: id, isEvent: true, description: unescapeCell(row.get('description')) })
      }
      this.sink.addRecord(record)
    }
  }
}

/**
 * Builds the content of an event from its rows, one for each value: the value itself if the field is `value`, otherwise an
 * object with members at paths such as `a.b`; `undefined` if all cells are empty. Names below {@link maxDepth} are omitted.
 */
function buildContent(rows: readonly NamedRow[], type: string): unknown {
  const content: Record<string, unknown> = {}
  for (const row of rows) {
    const [field, cell] = [row.get('field'), unescapeCell(row.get('value'))]
    if (field === undefined || cell === undefined) continue
    const value = parseValue(cell, type)
    if (field === 'value') return value
    const path = field.split('.').slice(0, maxDepth)
    let inner = content
    for (const name of path.slice(0, -1)) {
      if (!isObject(inner[name]) || !Object.hasOwn(inner, name)) defineMember(inner, name, {})
      inner = inner[name] as Record<string, unknown>
    }
    defineMember(inner, path.at(-1)!, value)
  }
  return Object.keys(content).length === 0 ? undefined : content
}

/** Sets a member of any name: an assignment to `__proto__` would set the prototype. */
function defineMember(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
}

function parseValue(cell: string, type: string): unknown {
  if (textTypes.test(type)) return cell
  const number = parseNumber(cell)
  if (number !== undefined) return number
  if (type === 'boolean/bool') return cell === 'true'
  return /^[[{]/.test(cell) ? (parseJson(cell) ?? cell) : cell
}

/** Removes the apostrophe that keeps spreadsheets from interpreting a text as a formula. */
function unescapeCell(cell: string | undefined): string | undefined {
  return cell?.startsWith("'") && /^'[=+\-@\t\r\n＝＋－＠]/.test(cell) ? cell.slice(1) : cell
}
