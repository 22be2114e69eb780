/** Reads events exported from this service, as its long table, JSON or NDJSON. (docs/api/exports.md) */
import type { ContentSchemas, Format, Sink } from '../record.js'
import { readColumnNames, readRows } from '../text/named-tables.js'
import type { OnRow } from '../text/row-scanner.js'
import { addPoint, cutDescription, isAccountStream } from './coffer-records.js'
import { TableReader } from './coffer-table.js'
import {
  getMember,
  readObjects,
  isJson,
  getList,
  getNumber,
  getText,
  type Json,
  isTopLevel
} from './json-files.js'

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
/** Delimiters of tables: programs that write a table again may use another one, and then write numbers with a comma, too. */
const delimiters = [',', ';', '\t']
const trashReason = 'in the trash'
const seriesReason = 'a group of records that are in the file themselves'

export const cofferEvents: Format = {
  id: 'coffer',
  name: 'Coffer',
  recognises: head =>
    isJson(head) ? isEventsJson(head.text) : delimiters.some(each => isTable(readColumnNames(head, each))),
  async read(source, head, sink, { types }) {
    if (isJson(head)) {
      const reader = new ObjectReader(sink, types)
      await readObjects(source, head, sink, isTopLevel, object => reader.read(object))
      return
    }
    const delimiter = delimiters.find(each => isTable(readColumnNames(head, each)))!
    const reader = new TableReader(readColumnNames(head, delimiter), types, sink, delimiter !== ',')
    const onRow: OnRow = (cells, quoted) => reader.addRow(cells, quoted)
    // The lines of a long text must not be read as rows: others may have written it.
    await readRows(source, head, delimiter, 'event', sink, onRow, true)
    reader.flush()
  }
}

/** Returns whether the columns of a table are among these: R and pandas add numbers of rows, and move columns. */
function isTable(columns: readonly string[]): boolean {
  return expectedColumns.every(name => columns.includes(name))
}

/** How events begin. What tells them from other objects otherwise follows the content, which may be longer than the head. */
const eventStart = /^\s*(?:\[\s*)?\{\s*"id"\s*:\s*"[^"]*"\s*,\s*"streamIds"\s*:\s*\[/

function isEventsJson(text: string): boolean {
  if (eventStart.test(text)) return true
  return (
    /"streamIds"\s{0,9}:\s{0,9}\[/.test(text) &&
    /"createdBy"\s{0,9}:/.test(text) &&
    /"modifiedBy"\s{0,9}:/.test(text)
  )
}

/**
 * Returns whether an event goes on. Programs that have read a table of events write `null` for all that some of them lack, and put it
 * last if the first one lacks it; this service writes the duration after the time, and no other `null`.
 */
function isOngoing(event: Json): boolean {
  const names = Object.keys(event)
  const before = names[names.indexOf('duration') - 1]
  return before === 'time' && names.every(name => (event[name] === null) === (name === 'duration'))
}

class ObjectReader {
  readonly #seriesEvents = new Map<string, Json>()

  constructor(
    private readonly sink: Sink,
    private readonly types: ContentSchemas | undefined
  ) {}

  /** Reads one object: an event, or the points of a series. */
  read(object: Json): void {
    const holder = getText(object, 'eventId')
    if (holder === undefined) this.#addEvent(object)
    else this.#addPoints(holder, object)
  }

  /** Adds an event. Events in the trash are skipped; those of series are known for their points. */
  #addEvent(event: Json): void {
    const [id, type, time] = [getText(event, 'id'), getText(event, 'type'), getNumber(event, 'time')]
    const streams = getList(event, 'streamIds').map(String)
    const [stream, ...others] = streams.filter(each => !isAccountStream(each))
    if (id === undefined || type === undefined || time === undefined || streams.length === 0) {
      this.sink.skip('event', 'no event that can be read')
      return
    }
    if (stream === undefined) {
      this.sink.skip('event', 'a value of the account itself')
      return
    }
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
      duration: isOngoing(event) ? null : getNumber(event, 'duration'),
      content: event['content'] ?? undefined,
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
    const description = cutDescription(holder && getText(holder, 'description'))
    for (const point of points) {
      if (!holder || !Array.isArray(point)) {
        this.sink.skip('point', 'damaged')
        continue
      }
      const cells = fields.map((name, index) => [name, point[index] as unknown] as const)
      const values = cells.filter(([, value]) => value !== null && value !== undefined)
      const { deltaTime, duration, ...content } = Object.fromEntries(values)
      addPoint(this.sink, this.types, {
        stream: getList(holder, 'streamIds')
          .map(String)
          .find(each => !isAccountStream(each))!,
        type: String(holder['type']).slice('series:'.length),
        time: Number((getNumber(holder, 'time')! + Number(deltaTime)).toFixed(6)),
        duration: typeof duration === 'number' ? duration : undefined,
        description,
        fields: content,
        seriesId: id
      })
    }
  }
}
