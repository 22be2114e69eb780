/** Validates the imports and connections of a foreign file, and what is remembered of their data. */
import { Type } from 'typebox'
import { StoredOutcome } from '../../core/imports/counted-files.js'
import { StoredJobBody, StoredCount, Mapping, importStates } from '../../core/imports/job.js'
import { isFileId } from '../../storage/files/layout.js'
import { compileShape, type Examiner, type ProblemKind, type Shape } from './examiner.js'
import { Arrivals, Connection } from '../../schemas/connection.js'

const isJob = compileShape(StoredJobBody)
const isTimes = compileShape(Type.Array(Type.Number()))

/** Maximum length of a body in characters: many times what the service stores. */
const maxBodyLength = 4 * 1024 * 1024
/** Maximum number of an import. New imports are numbered after the highest number. */
const maxNumber = 2 ** 47

/** The stored state of imports, by pattern of the name. */
const storedStates: readonly (readonly [name: RegExp, isRight: Shape, isJson: boolean])[] = [
  [/^(?:app-[0-9a-f]{64}:)?mapping:/, compileShape(Mapping), true],
  [/^streams$/, compileShape(Type.Array(Type.String())), true],
  [/^counted$/, compileShape(Type.Array(Type.String({ pattern: '^[0-9a-f]{64}$' }), { maxItems: 8 })), true],
  [/^counted:[0-9a-f]{64}$/, compileShape(StoredCount), true],
  [/^outcome:[0-9a-f]{64}$/, compileShape(StoredOutcome), true],
  [/^(?:app-[0-9a-f]{64}:)?form:/, compileShape(Type.Enum(['series', 'events'])), false],
  [/^key$/, compileShape(Type.String({ pattern: '^[0-9a-f]{64}$' })), false]
]

/** Reports problems with imports and their stored state. */
export function examineImports(examiner: Examiner): void {
  const { file } = examiner
  const kind: ProblemKind = 'database'
  for (const { body, id, number, state } of file.rows('SELECT number, id, state, body FROM import')) {
    const say = (isRight: boolean, detail: string): boolean => examiner.check(isRight, kind, id, detail)
    say(isFileId(String(id)), 'is an import with an id that the service does not make')
    say(Number(number) >= 1 && Number(number) <= maxNumber, 'is an import with a number that none gets')
    say((importStates as readonly string[]).includes(String(state)), 'is in a state that imports do not have')
    if (say(String(body).length <= maxBodyLength, 'is longer than imports are'))
      examiner.read(kind, id, body, isJob)
  }
  for (const { times } of file.rows('SELECT times FROM import_range WHERE times IS NOT NULL'))
    examiner.read(kind, undefined, times, isTimes)
  for (const { name, value } of file.rows('SELECT name, value FROM import_memory')) {
    const [, isRight, isJson] = storedStates.find(([pattern]) => pattern.test(String(name))) ?? []
    if (isRight && isJson) examiner.read(kind, name, value, isRight)
    else examiner.check(isRight?.(value) === true, kind, name, 'is nothing that imports remember')
  }
}

const isConnection = compileShape(Connection)
const areArrivals = compileShape(Arrivals)

/** Maximum length of what has arrived in characters: many times what the service stores. */
const maxArrivalsLength = 1024 * 1024

/** Reports problems with connections, received items, and the ranges of points that users have changed. */
export function examineConnections(examiner: Examiner): void {
  const { file } = examiner
  for (const { access, arrivals, body, id } of file.rows(
    'SELECT id, access, body, arrivals FROM connection'
  )) {
    const say = (isRight: boolean, detail: string): boolean =>
      examiner.check(isRight, 'connection', id, detail)
    const connection = examiner.read('connection', id, body, isConnection) as Connection | undefined
    if (
      say(String(arrivals).length <= maxArrivalsLength, 'has counts that are longer than the service stores')
    )
      examiner.read('connection', id, arrivals, areArrivals)
    if (connection)
      say(
        connection.id === id && connection.accessId === access,
        "is indexed under values that don't match its content"
      )
  }
  const stray = file.first(
    "SELECT access FROM connection WHERE access NOT IN (SELECT id FROM access WHERE body ->> 'type' = 'app')"
  )
  examiner.check(stray === undefined, 'connection', stray, 'belongs to no access of an app')
  const item = file.first(
    'SELECT id FROM received_item WHERE octet_length(id) <> 25 OR octet_length(event) <> 25'
  )
  examiner.check(item === undefined, 'connection', item, 'is an item that the service does not make')
  const range = file.first(
    `SELECT number FROM touched_points WHERE typeof(first) <> 'real' OR typeof(last) <> 'real' OR first > last
      OR isRemoved NOT IN (0, 1) OR typeof(event) <> 'integer'`
  )
  examiner.check(range === undefined, 'connection', range, 'is a range that the service does not make')
}
