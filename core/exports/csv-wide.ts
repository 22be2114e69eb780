/** A wide table: a row for each event, with a column for each field. */
import type { Event } from '../../schemas/event.js'
import { refuseParams } from '../validation/params.js'
import { JsonText } from '../json/json-text.js'
import { readJson, unlimited } from '../json/reader.js'
import { byteOrderMark, runSteps, formatLine, toCell, writeLine } from './csv.js'
import {
  getPath,
  includesTrash,
  type ExportFormat,
  type ExportSources,
  type ExportOptions
} from './format.js'
import type { Chunks } from './chunks.js'
import { parseEvent } from './event-source.js'
import { getUcumUnit } from './ucum.js'
import { getField } from './value-reader.js'

/** Returns the value of a cell. `content`: the content of the event, taken apart. */
type Column = (event: Event, sources: ExportSources, content: unknown) => unknown

const columnsByName: ReadonlyMap<string, Column> = new Map<string, Column>([
  ['id', ({ id }) => id],
  ['time', ({ time }, { instants }) => instants.format(time)],
  ['unixTime', ({ time }) => time],
  ['duration', ({ duration }) => duration ?? ''],
  ['streamIds', ({ streamIds }) => streamIds.join('; ')],
  [
    'streams',
    ({ streamIds }, { names, context }) =>
      streamIds.map(id => names.path(context.reader, id).at(-1)!).join('; ')
  ],
  ['path', (event, sources) => getPath(sources, event).join(' / ')],
  ['type', ({ type }) => type],
  ['content', ({ content }) => (content instanceof JsonText ? content.text : content)],
  ['unit', ({ content, type }) => (typeof content === 'number' ? getUcumUnit(type) : '')],
  ['description', ({ description }) => description ?? ''],
  ['attachments', ({ attachments = [] }) => attachments.map(({ fileName }) => fileName).join('; ')],
  ['tags', ({ tags = [] }) => tags.join('; ')],
  ['trashed', ({ trashed }) => trashed === true],
  ['created', ({ created }, { instants }) => instants.format(created)],
  ['createdBy', ({ createdBy }) => createdBy],
  ['modified', ({ modified }, { instants }) => instants.format(modified)],
  ['modifiedBy', ({ modifiedBy }) => modifiedBy]
])

const contentPrefix = 'content.'
const defaultColumns = {
  before: ['id', 'time', 'unixTime', 'duration', 'streamIds', 'streams', 'type'],
  after: ['description', 'attachments']
}

export const wideCsv: ExportFormat = {
  mediaType: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  supportsAudit: true,
  supportsSeries: false,
  write: writeWideCsv
}

/**
 * A row may be this number of characters longer than twice its event, for stream names and the like. Twice its event holds
 * each value once.
 */
const spareCharacters = 1024 * 1024
/** Maximum number of characters of a row that is written without yielding, and of streams whose names it may have. */
const [smallRowSize, fewStreams] = [128 * 1024, 100]

/** Yields the table with its header line. Long contents are written in chunks. */
function* writeWideCsv(sources: ExportSources): Chunks {
  const { texts, options } = sources
  const names = resolveColumnNames(sources)
  const includesFields = names.some(name => name.startsWith(contentPrefix))
  const columns = names.map(name => findColumn(name)!)
  yield (options.bom === true ? byteOrderMark : '') + formatLine(options.titles ?? names)
  for (const text of texts()) {
    if (text === '') {
      yield ''
      continue
    }
    const event = parseEvent(text)
    if (text.length * columns.length <= smallRowSize && event.streamIds.length <= fewStreams) {
      yield formatLine(columns.map(column => toCell(column(event, sources, event.content))))
      continue
    }
    let content: unknown = event.content
    if (content instanceof JsonText)
      content = includesFields ? yield* runSteps(readJson(content.text, unlimited)) : undefined
    yield* writeLine(listCells(columns, event, sources, content), 2 * text.length + spareCharacters)
  }
}

/** Cells are made one by one: together they may be much longer than the event. */
function* listCells(
  columns: readonly Column[],
  event: Event,
  sources: ExportSources,
  content: unknown
): Generator<unknown, void, undefined> {
  for (const column of columns) yield column(event, sources, content)
}

/** Throws `invalid-parameters-format` for unknown or repeated columns, or if there is not one title for each. */
export function assertColumns({ columns, titles }: ExportOptions): void {
  const unknown = columns?.findIndex(name => !findColumn(name)) ?? -1
  if (unknown >= 0)
    refuseParams([
      {
        code: 'ENUM_MISMATCH',
        message: `must be one of ${[...columnsByName.keys()].join(', ')}, or ${contentPrefix} followed by a field name`,
        path: `#/columns/${unknown}`
      }
    ])
  const repeated = columns?.findIndex((name, at) => columns.indexOf(name) < at) ?? -1
  if (repeated >= 0)
    refuseParams([{ code: 'ARRAY_UNIQUE', message: 'must not be repeated', path: `#/columns/${repeated}` }])
  if (titles && titles.length !== columns?.length)
    refuseParams([
      { code: 'INVALID_TYPE', message: 'must have one entry for each of "columns"', path: '#/titles' }
    ])
}

function findColumn(name: string): Column | undefined {
  if (!name.startsWith(contentPrefix) || name.length === contentPrefix.length) return columnsByName.get(name)
  const path = name.slice(contentPrefix.length).split('.')
  return (_event, _sources, content) => getField(content, path)
}

/** Returns the requested columns; by default, a column for each field of the requested types. */
function resolveColumnNames({ values, options }: ExportSources): readonly string[] {
  const { columns, types = [] } = options
  if (columns) return columns
  const fields = [...new Set(types.flatMap(type => (values.isPlain(type) ? [] : values.listFields(type))))]
  const contents = fields.map(name => contentPrefix + name)
  // With a single type, a column for whole contents would only repeat those of its fields.
  const isAll = types.length === 1 && fields.length > 0 && values.areFieldsComplete(types[0]!)
  return [
    ...defaultColumns.before,
    ...(isAll ? [] : ['content', 'unit']),
    ...contents,
    ...defaultColumns.after,
    ...(includesTrash(options) ? ['trashed'] : [])
  ]
}
