/** Validates the events of a foreign file, their earlier versions and their attachments. */
import { Type } from 'typebox'
import { eventIdPattern } from '../../core/ids.js'
import { activeId, helpersId, isFollowedId, isSystemId, uniqueId } from '../../core/system-ids.js'
import { Attachment, Event } from '../../schemas/event.js'
import { closed, Identifier, Timestamp } from '../../schemas/scalars.js'
import { isFileId } from '../../storage/files/layout.js'
import { extractNumbers } from '../../storage/content-numbers.js'
import { toRow } from '../../storage/repositories/event-row.js'
import type { Row } from '../../storage/validation/foreign-file.js'
import { compileShape, type Examiner } from './examiner.js'

const { readToken: _neverKept, ...attachment } = Attachment.properties
const properties = {
  ...Event.properties,
  id: Type.String({ pattern: eventIdPattern }),
  duration: Type.Optional(Type.Union([Type.Number({ minimum: 0 }), Type.Null()])),
  attachments: Type.Optional(
    Type.Array(Type.Object({ ...attachment, size: Type.Integer({ minimum: 0 }) }, closed), { minItems: 1 })
  )
}
const { id, ...others } = properties

const isEvent = compileShape(Type.Object(properties, closed))
/** An earlier version of an event, or a deleted event. */
const isPastEvent = compileShape(
  Type.Object(
    { id, ...Type.Partial(Type.Object(others)).properties, deleted: Type.Optional(Timestamp) },
    closed
  )
)
const areNumbers = compileShape(Type.Array(Type.Integer(), { minItems: 1 }))
const arePaths = compileShape(Type.Array(Type.Array(Identifier)))
const isEventId = new RegExp(eventIdPattern)
const isFieldId = /^:(?:_system|system):[A-Za-z0-9_-]{1,100}$/

/** Reports problems with all events, their links to streams, and earlier and deleted versions. */
export function examineEvents(examiner: Examiner): void {
  const { file } = examiner
  for (const row of file.rows('SELECT e.*, name FROM event e LEFT JOIN event_type t ON t.number = e.type'))
    examineEvent(examiner, row)
  const areRight = haveMatchingLinks(examiner)
  examiner.check(areRight, 'database', undefined, 'streams list events that are not so')
  examineVersions(examiner)
  for (const row of file.rows('SELECT id FROM orphan UNION ALL SELECT id FROM attachment'))
    examiner.check(
      isFileId(String(row['id'])),
      'attachment',
      row['id'],
      'has an id that the service does not make'
    )
}

/** Returns true if the links of streams match the events, including the numbers that samples are made of. */
function haveMatchingLinks({ file }: Examiner): boolean {
  const differsSql = `e.number IS NULL OR l.span IS NOT e.span OR l.time <> e.time OR l.trashed <> e.trashed
    OR l.type IS NOT e.type OR l.home IS NOT CASE WHEN e.others IS NOT NULL THEN e.stream END`
  const sql = `SELECT ${differsSql} AS differs, l.value, l.fields,
      CASE WHEN json_valid(e.body) THEN e.body -> '$.content' END AS content
    FROM event_stream l LEFT JOIN event e ON e.number = l.event`
  for (const { content, differs, fields, value } of file.rows(sql)) {
    const numbers = extractNumbers(content === null ? undefined : JSON.parse(String(content)))
    if (differs === 1 || numbers.value !== value || numbers.fields !== fields) return false
  }
  return true
}

/** Reports what is wrong with an event. */
function examineEvent(examiner: Examiner, row: Row): void {
  const event = examiner.read('event', row['id'], row['body'], isEvent) as Event | undefined
  if (!event) return
  const say = (isRight: boolean, detail: string): boolean =>
    examiner.check(isRight, 'event', event.id, detail)
  if (row['others'] !== null && !examiner.read('event', event.id, row['others'], areNumbers)) return
  say(row['name'] === event.type, 'is stored under a type other than its own')
  say(hasColumns(row, event), "is indexed under values that don't match its content")
  const { streamIds } = event
  say(
    new Set(streamIds).size === streamIds.length && event.streamId === streamIds[0],
    'names streams wrongly'
  )
  say(examiner.isPast(event.created) && examiner.isPast(event.modified), 'was written in the future')
  for (const { id: fileId } of event.attachments ?? [])
    if (!isFileId(fileId))
      examiner.addProblem('attachment', fileId, 'has an id that the service does not make')
  const isCopy = !examiner.options.targetConfig && streamIds.every(isFollowedId)
  if (!isCopy && streamIds.some(isSystemId)) say(isAccountValue(event), 'is not a value of an account field')
}

/** Returns true if the columns match the content of an event. */
function hasColumns(row: Row, event: Event): boolean {
  const { integrity } = event
  const expected = toRow(
    event,
    [Number(row['stream'])],
    { body: String(row['body']), integrity },
    row['trashed'] === 2
  )
  const { id: _id, others: _others, integrity: _integrity, ...columns } = expected
  return Object.entries(columns).every(([name, value]) => row[name] === value)
}

/** Returns true if an event in the service's own streams is a valid account value. */
function isAccountValue({ content, streamIds: [first = '', ...marks] }: Event): boolean {
  const isMarked = marks.includes(activeId) || marks.includes(uniqueId)
  if (isMarked && (!isFieldId.test(first) || [activeId, uniqueId, helpersId].includes(first))) return false
  // Values are compared as texts.
  return !isMarked || typeof content !== 'object' || content === null
}

function examineVersions(examiner: Examiner): void {
  const { file } = examiner
  for (const { body, event, paths } of file.rows('SELECT event, paths, body FROM event_version')) {
    examiner.read('version', event, body, isPastEvent)
    examiner.read('version', event, paths, arePaths)
  }
  for (const { body, id: event, paths } of file.rows('SELECT id, paths, body FROM event_deletion')) {
    examiner.check(isEventId.test(String(event)), 'deletion', event, 'has an id that no event can have')
    examiner.read('deletion', event, paths, arePaths)
    if (body !== null) examiner.read('deletion', event, body, isPastEvent)
  }
}
