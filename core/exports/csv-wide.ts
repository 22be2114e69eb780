/** A wide table: a row for each event, with a column for each field. */
import type { Event } from '../../schemas/event.js'
import { refuseParams } from '../validation/params.js'
import { JsonText } from '../json/json-text.js'
import { readJson, unlimited } from '../json/reader.js'
import { byteOrderMark, idle, lineOf, rawOf, writeLine } from './csv.js'
import { pathOf, type Form, type Sources, type Wishes } from './form.js'
import type { Pieces } from './pieces.js'
import { eventIn } from './source.js'
import { ucumOf } from './ucum.js'
import { fieldOf } from './values.js'

/** Returns the value of a cell. `content`: that of the event, taken apart. */
type Column = (event: Event, sources: Sources, content: unknown) => unknown

const columnsByName: ReadonlyMap<string, Column> = new Map<string, Column>([
  ['id', ({ id }) => id],
  ['time', ({ time }, { instants }) => instants.text(time)],
  ['unixTime', ({ time }) => time],
  ['duration', ({ duration }) => duration ?? ''],
  ['streamIds', ({ streamIds }) => streamIds.join('; ')],
  [
    'streams',
    ({ streamIds }, { names, turn }) => streamIds.map(id => names.path(turn.reader, id).at(-1)!).join('; ')
  ],
  ['path', (event, sources) => pathOf(sources, event).join(' / ')],
  ['type', ({ type }) => type],
  ['content', ({ content }) => (content instanceof JsonText ? content.text : content)],
  ['unit', ({ content, type }) => (typeof content === 'number' ? ucumOf(type) : '')],
  ['description', ({ description }) => description ?? ''],
  ['attachments', ({ attachments = [] }) => attachments.map(({ fileName }) => fileName).join('; ')],
  ['tags', ({ tags = [] }) => tags.join('; ')],
  ['trashed', ({ trashed }) => trashed === true],
  ['created', ({ created }, { instants }) => instants.text(created)],
  ['createdBy', ({ createdBy }) => createdBy],
  ['modified', ({ modified }, { instants }) => instants.text(modified)],
  ['modifiedBy', ({ modifiedBy }) => modifiedBy]
])

const ofContent = 'content.'
const around = {
  before: ['id', 'time', 'unixTime', 'duration', 'streamIds', 'streams', 'type'],
  after: ['description', 'attachments']
}

export const wideCsv: Form = {
  mediaType: 'text/csv; charset=utf-8; header=present',
  extension: 'csv',
  takesAudit: true,
  takesSeries: false,
  write
}

/** Characters of a row beyond twice those of its event, which hold each value of it once, and stream names. */
const spareRoom = 1024 * 1024
/** Characters up to which a row is written at once. */
const smallRow = 128 * 1024

function* write(sources: Sources): Pieces {
  const { texts, wishes } = sources
  const names = namesOf(sources)
  const takesFields = names.some(name => name.startsWith(ofContent))
  const columns = names.map(name => columnOf(name)!)
  yield (wishes.bom === true ? byteOrderMark : '') + lineOf(wishes.titles ?? names)
  for (const text of texts()) {
    if (text === '') {
      yield ''
      continue
    }
    const event = eventIn(text)
    if (text.length * columns.length <= smallRow) {
      yield lineOf(columns.map(column => rawOf(column(event, sources, event.content))))
      continue
    }
    let content: unknown = event.content
    if (content instanceof JsonText)
      content = takesFields ? yield* idle(readJson(content.text, unlimited)) : undefined
    yield* writeLine(cellsOf(columns, event, sources, content), 2 * text.length + spareRoom)
  }
}

/** Cells are made one by one: together they may be much longer than the event. */
function* cellsOf(
  columns: readonly Column[],
  event: Event,
  sources: Sources,
  content: unknown
): Generator<unknown, void, undefined> {
  for (const column of columns) yield column(event, sources, content)
}

/** Raises `invalid-parameters-format` for columns that do not exist, or titles that are not theirs. */
export function assertColumns({ columns, titles }: Wishes): void {
  const unknown = columns?.findIndex(name => !columnOf(name)) ?? -1
  if (unknown >= 0)
    refuseParams([
      {
        code: 'ENUM_MISMATCH',
        message: `has to be one of ${[...columnsByName.keys()].join(', ')}, or ${ofContent} and the name of a field`,
        path: `#/columns/${unknown}`
      }
    ])
  const repeated = columns?.findIndex((name, at) => columns.indexOf(name) < at) ?? -1
  if (repeated >= 0)
    refuseParams([
      { code: 'ARRAY_UNIQUE', message: 'must not be there twice', path: `#/columns/${repeated}` }
    ])
  if (titles && titles.length !== columns?.length)
    refuseParams([
      { code: 'INVALID_TYPE', message: 'has to have one for each of "columns"', path: '#/titles' }
    ])
}

function columnOf(name: string): Column | undefined {
  if (!name.startsWith(ofContent) || name.length === ofContent.length) return columnsByName.get(name)
  const path = name.slice(ofContent.length).split('.')
  return (_event, _sources, content) => fieldOf(content, path)
}

/** The columns asked for; unless there are any, a column for each field of the types asked for. */
function namesOf({ values, wishes: { columns, types = [] } }: Sources): readonly string[] {
  if (columns) return columns
  const fields = [...new Set(types.flatMap(type => values.fields(type)))].filter(name => name !== 'value')
  const contents = fields.map(name => ofContent + name)
  // Of one type all contents are alike; there is nothing to see in a column for all of them then.
  const isAll = types.length === 1 && fields.length > 0
  return [...around.before, ...(isAll ? [] : ['content', 'unit']), ...contents, ...around.after]
}
