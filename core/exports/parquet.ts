/** Parquet: the long table with typed columns, for programs that analyse data. (docs/api/exports.md#parquet) */
import { ByteWriter, ParquetWriter, type ColumnSource, type SchemaElement } from 'hyparquet-writer'
import type { Event } from '../../schemas/event.js'
import { isSeries } from '../events/fields.js'
import { getElementType } from '../series/column-plan.js'
import { roundToMicroseconds } from '../time.js'
import { cutText, type Chunks } from './chunks.js'
import { toCell, type CsvCell } from './csv.js'
import { listPoints, parseEvent } from './event-source.js'
import { getPath, includesTrash, listTrashCells, type ExportFormat, type ExportSources } from './format.js'
import { ParquetFooter } from './parquet-footer.js'
import { getUcumUnit } from './ucum.js'
import { getDuration } from './value-reader.js'

/** Types of the columns, in order. The last is only in files that may contain trashed events. */
const columns = {
  id: 'text',
  time: 'time',
  duration: 'number',
  streamId: 'text',
  stream: 'text',
  type: 'text',
  field: 'text',
  number: 'number',
  text: 'text',
  unit: 'text',
  otherStreamIds: 'text',
  description: 'text',
  attachments: 'text',
  trashed: 'flag'
} as const

type Column = keyof typeof columns
type Cell = string | number | bigint | boolean | null
/** The cells of a row, one for each column. */
type Row = readonly Cell[]

const allNames = Object.keys(columns) as Column[]

const elements = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  number: { type: 'DOUBLE' },
  flag: { type: 'BOOLEAN' },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MICROS' }
  }
} as const

function createSchema(names: readonly Column[]): SchemaElement[] {
  return [
    { name: 'events', num_children: names.length },
    ...names.map(name => ({ name, repetition_type: 'OPTIONAL' as const, ...elements[columns[name]] }))
  ]
}

/** Columns whose values seldom repeat are written without a dictionary, which would take most of the time. */
const encodings: Partial<Record<Column, 'PLAIN' | 'DELTA_BINARY_PACKED'>> = {
  id: 'PLAIN',
  number: 'PLAIN',
  description: 'PLAIN',
  time: 'DELTA_BINARY_PACKED'
}

/** Rows of a group, which is written in one step: about six milliseconds. */
const rowsPerGroup = 4000
/** Long files have larger groups, since the end of the file lists all groups. */
const rowsPerLaterGroup = 8000
const longFileRows = 1_000_000
/** A group is written once it has this number of characters, however few its rows are. */
const charactersPerGroup = 1024 * 1024
/** Fewer characters than this would not be worth a group of their own: it would cost more than it frees. */
const fewestCharacters = 128 * 1024
/** Seconds from 1970 that fit into a timestamp of microseconds. */
const maxSeconds = 9.2e12

export const parquet: ExportFormat = {
  mediaType: 'application/vnd.apache.parquet',
  extension: 'parquet',
  isBinary: true,
  supportsAudit: true,
  supportsSeries: true,
  write: writeParquet
}

/**
 * Yields the file: row groups as they fill, then the footer. Large events end their group early, so that they are not
 * held.
 */
function* writeParquet(sources: ExportSources): Chunks {
  const { context, options, texts } = sources
  const file = new ParquetFile(includesTrash(options) ? allNames : allNames.slice(0, -1))
  for (const text of texts()) {
    if (text === '') {
      yield ''
      continue
    }
    const event = parseEvent(text)
    for (const row of listRows(sources, event)) {
      file.add(row)
      if (file.isGroupFull) yield* cutText(file.writeGroup())
    }
    // What is held until the group is full is counted for no client, so large events are written at once: as one group, since
    // the end of the file lists all groups.
    const isLarge = context.isHolding === true || context.mustWriteAtOnce === true
    if (isLarge && file.isGroupWorthwhile) yield* cutText(file.writeGroup())
    if (options.series !== true || !isSeries(event.type)) continue
    for (const rows of listPointRows(sources, event)) {
      for (const row of rows) {
        file.add(row)
        if (file.isGroupFull) yield* cutText(file.writeGroup())
      }
      yield ''
    }
  }
  yield* cutText(file.writeGroup())
  yield* file.writeFooter()
}

/** Yields the values of an event. Some cells are in its first row only. */
function* listRows(sources: ExportSources, event: Event): Generator<Row, void, undefined> {
  const { attachments = [], description, duration = null, id, streamIds, type } = event
  const [time, streamId, stream] = [toTimestamp(event.time), streamIds[0]!, getStream(sources, event)]
  const last = listTrashCells(sources, event)
  let once: Row = [
    streamIds.slice(1).join('; ') || null,
    description || null,
    attachments.map(({ fileName }) => fileName).join('; ') || null
  ]
  for (const [field, value] of sources.values.listValues(event)) {
    const unit = typeof value === 'number' ? getUcumUnit(type, field) : ''
    const [number, text] = toValueCells(value)
    const own = [id, time, duration, streamId, stream, type, field || null, number, text, unit || null]
    yield [...own, ...once, ...last]
    once = [null, null, null]
  }
}

/** Yields the rows of the points of a series, page by page. */
function* listPointRows(sources: ExportSources, event: Event): Generator<Row[], void, undefined> {
  const type = getElementType(event.type)
  const fields = sources.values.listFields(type)
  const units = fields.map(field => getUcumUnit(type, field) || null)
  const [id, streamId, stream] = [event.id, event.streamIds[0]!, getStream(sources, event)]
  const last: Row = [null, null, null, ...listTrashCells(sources, event)]
  for (const points of listPoints(sources.context, event, sources.options)) {
    const places = fields.map(field => points.columns.indexOf(field))
    const rows: Row[] = []
    for (const row of points.rows) {
      const time = toTimestamp(roundToMicroseconds(event.time + (row[0] as number)))
      const covered = getDuration(points.columns, row, fields)
      const duration = typeof covered === 'number' ? covered : null
      for (const [at, field] of fields.entries()) {
        const cell = row[places[at]!]
        if (cell === null || cell === undefined) continue
        const [number, text] = toValueCells(toCell(cell))
        const unit = number === null ? null : units[at]!
        rows.push([id, time, duration, streamId, stream, type, field, number, text, unit, ...last])
      }
    }
    yield rows
  }
}

function getStream(sources: ExportSources, event: Event): string {
  return getPath(sources, event).join(' / ')
}

function toValueCells(value: CsvCell): readonly [number: number | null, text: string | null] {
  if (typeof value === 'number') return [value, null]
  return [null, value === '' ? null : String(value)]
}

/** Returns microseconds from 1970; `null` if they do not fit. */
function toTimestamp(time: number): bigint | null {
  return Math.abs(time) < maxSeconds ? BigInt(Math.round(time * 1e6)) : null
}

/** A file that is written group by group, as text in Latin-1. */
class ParquetFile {
  readonly #bytes = new ByteWriter()
  readonly #writer: ParquetWriter
  readonly #footer: ParquetFooter
  #cells: Cell[][]
  #characters = 0
  #rowCount = 0

  constructor(private readonly names: readonly Column[]) {
    const schema = createSchema(names)
    this.#writer = new ParquetWriter({ writer: this.#bytes, schema })
    this.#footer = new ParquetFooter({ schema, created_by: 'Coffer' })
    this.#cells = createCells(names)
  }

  get isGroupFull(): boolean {
    const max = this.#rowCount < longFileRows ? rowsPerGroup : rowsPerLaterGroup
    return this.#cells[0]!.length >= max || this.#characters >= charactersPerGroup
  }

  /** True if the rows take so much memory that they should not wait for others. */
  get isGroupWorthwhile(): boolean {
    return this.#characters >= fewestCharacters
  }

  add(row: Row): void {
    for (let at = 0; at < row.length; at++) {
      const cell = row[at]!
      this.#cells[at]!.push(cell)
      if (typeof cell === 'string') this.#characters += cell.length
    }
  }

  /** Returns the bytes of the rows since the last group. */
  writeGroup(): string {
    const count = this.#cells[0]!.length
    if (count > 0) {
      // Compressing megabytes of text would delay other calls.
      const isLarge = this.#characters >= 2 * charactersPerGroup
      const columnData = this.names.map((name, at): ColumnSource => ({
        name,
        data: this.#cells[at]!,
        offsetIndex: false,
        statistics: name === 'time',
        ...(isLarge
          ? { codec: 'UNCOMPRESSED', encoding: 'PLAIN' }
          : encodings[name] && { encoding: encodings[name] })
      }))
      void this.#writer.write({ columnData, rowGroupSize: count })
      for (const group of this.#writer.row_groups.splice(0)) this.#footer.add(group)
      this.#writer.pendingIndexes.length = 0
    }
    this.#rowCount += count
    this.#cells = createCells(this.names)
    this.#characters = 0
    return this.#take()
  }

  /** Returns the end of the file, after the last group. */
  writeFooter(): Chunks {
    return this.#footer.write(this.#rowCount)
  }

  #take(): string {
    const text = Buffer.from(this.#bytes.buffer, 0, this.#bytes.index).toString('latin1')
    this.#bytes.index = 0
    return text
  }
}

function createCells(names: readonly Column[]): Cell[][] {
  return names.map(() => [])
}
