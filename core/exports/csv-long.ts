/** A long table: a row for each value, also of points. */
import type { Event } from '../../schemas/event.js'
import { isSeries } from '../events/fields.js'
import { getElementType } from '../series/column-plan.js'
import { roundToMicroseconds } from '../time.js'
import { byteOrderMark, formatLine, toCell, writeLine, type CsvCell } from './csv.js'
import { includesTrash, listTrashCells, type ExportFormat, type ExportSources } from './format.js'
import { chunkSize, type Chunks } from './chunks.js'
import { parseEvent, listPoints, type Points } from './event-source.js'
import { getUcumUnit } from './ucum.js'
import { getDuration, getField } from './value-reader.js'

const columns = [
  'id',
  'time',
  'unixTime',
  'duration',
  'streamId',
  'stream',
  'type',
  'field',
  'value',
  'unit',
  'otherStreamIds',
  'description',
  'attachments',
  'otherStreams'
] as const

export const longCsv: ExportFormat = {
  mediaType: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  supportsAudit: true,
  supportsSeries: true,
  write: writeLongCsv
}

/** Writes a row for each value of each event, and for the points of series if they are included. */
function* writeLongCsv(sources: ExportSources): Chunks {
  const { texts, options } = sources
  yield (
    (options.bom === true ? byteOrderMark : '') +
      formatLine(includesTrash(options) ? [...columns, 'trashed'] : columns)
  )
  for (const text of texts()) {
    if (text === '') {
      yield ''
      continue
    }
    const event = parseEvent(text)
    yield* writeRows(sources, event, text.length <= chunkSize)
    if (options.series === true && isSeries(event.type)) yield* writePointRows(sources, event)
  }
}

/** Cells that are the same in all rows of an event. */
type SharedCells = readonly [streamId: string, stream: string]

function getSharedCells(sources: ExportSources, event: Event): SharedCells {
  return [event.streamIds[0]!, formatPath(sources, event.streamIds[0]!, /^"|(?:^| )\/(?: |$)/)]
}

/** Maximum number of an event's other streams whose names are written: it may be in thousands. */
const maxOtherStreams = 20

/** Formats the names from the root to a stream, joined by slashes; those that would be ambiguous as JSON strings. */
function formatPath({ names, context }: ExportSources, id: string, ambiguous: RegExp): string {
  const path = names.path(context.reader, id)
  return path.map(name => (ambiguous.test(name) ? JSON.stringify(name) : name)).join(' / ')
}

/** Formats the paths of an event's other streams. */
function formatOtherPaths(sources: ExportSources, { streamIds }: Event): string {
  const others = streamIds.slice(1, 1 + maxOtherStreams)
  return others.map(id => formatPath(sources, id, /^"|(?:^| )\/(?: |$)|;(?: |$)/)).join('; ')
}

/** Writes the rows of an event. Some cells are written in its first row only. */
function* writeRows(sources: ExportSources, event: Event, isSmall: boolean): Chunks {
  const { attachments = [], description = '', duration, id, streamIds, time, type } = event
  const [streamId, stream] = getSharedCells(sources, event)
  const written = sources.instants.format(time)
  const last = listTrashCells(sources, event)
  let once: readonly CsvCell[] = [
    streamIds.slice(1).join('; '),
    description,
    attachments.map(({ fileName }) => fileName).join('; '),
    formatOtherPaths(sources, event)
  ]
  const head = formatLine([id, written, time, duration === undefined ? '' : duration, streamId, stream, type])
  const before = `${head.slice(0, -2)},`
  for (const [field, value] of sources.values.listValues(event)) {
    const unit = typeof value === 'number' ? getUcumUnit(type, field) : ''
    const cell = isText(event.content, field, value) ? markText(value) : value
    const cells = [field, cell, unit, ...once, ...last]
    yield before
    if (isSmall) yield formatLine(cells)
    else yield* writeLine(cells)
    once = ['', '', '', '']
  }
}

/** Returns whether a value of a content is a text, and not an object or list that was formatted as JSON. */
function isText(content: unknown, field: string, value: CsvCell): value is string {
  if (typeof value !== 'string' || !jsonStart.test(value)) return false
  return [content, getField(content, [field]), getField(content, field.split('.'))].includes(value)
}

/** How texts begin that could be read as an object or a list. */
const jsonStart = /^'*[[{]/
/** Maximum length of a text that is marked: longer ones are not imported. */
const maxMarkedLength = 200_000

/** Prefixes a text with an apostrophe if it would be read as an object or a list, or as one with an apostrophe. */
function markText(text: string): string {
  if (text.length > maxMarkedLength || !jsonStart.test(text)) return text
  if (text.startsWith("'")) return `'${text}`
  try {
    JSON.parse(text)
    return `'${text}`
  } catch {
    return text
  }
}

/** Yields the rows of the points of a series, one for each value; empty cells are omitted. */
function* writePointRows(sources: ExportSources, event: Event): Chunks {
  const [streamId, stream] = getSharedCells(sources, event)
  const type = getElementType(event.type)
  const fields = sources.values.listFields(type)
  const units = fields.map(field => getUcumUnit(type, field))
  const last = ['', '', '', '', ...listTrashCells(sources, event)]
  const before = `${formatLine([event.id]).slice(0, -2)},`
  const middle = `,${formatLine([streamId, stream, type]).slice(0, -2)},`
  for (const points of listPoints(sources.context, event, sources.options)) {
    for (const row of points.rows) yield* writePoint(row, points)
    yield ''
  }

  /** Writes the rows of one point, one for each cell that is not empty. */
  function* writePoint(row: readonly unknown[], { columns: names }: Points): Chunks {
    const at = roundToMicroseconds(event.time + (row[0] as number))
    const duration = toCell(getDuration(names, row, fields))
    const head = `${before}${sources.instants.format(at)},${at},${duration}${middle}`
    let text = ''
    for (let place = 0; place < fields.length; place++) {
      const cell = row[names.indexOf(fields[place]!)]
      if (cell === null || cell === undefined) continue
      const value = typeof cell === 'string' ? markText(cell) : toCell(cell)
      const cells = [fields[place]!, value, typeof cell === 'number' ? units[place]! : '', ...last]
      if (typeof value !== 'string' || value.length <= chunkSize) text += head + formatLine(cells)
      else {
        yield text + head
        text = ''
        yield* writeLine(cells)
      }
    }
    yield text
  }
}
