/** Validates the relationships, offers and deliveries of a foreign file, its mirrors, and the copies that others keep. */
import { Type } from 'typebox'
import { compileShape, type Examiner } from './examiner.js'
import { StoredKeptCopy } from '../../schemas/mirrors/kept-copy.js'
import { Mirror } from '../../schemas/mirrors/mirror.js'

const isObject = compileShape(Type.Record(Type.String(), Type.Unknown()))

/** Maximum length of a stored text in characters: a little more than the largest event that a peer may send. */
const maxLength = 32 * 1024 * 1024

/**
 * Reports problems with the tables of consent and messages: texts must be objects, and each row must belong
 * to an access of the account.
 */
export function examinePeers(examiner: Examiner): void {
  const { file } = examiner
  for (const [table, id, column] of [
    ['cmc_capability', 'id', 'offer'],
    ['cmc_outbox', 'number', 'body'],
    ['cmc_secret', 'event', 'body']
  ] as const)
    for (const row of file.rows(`SELECT ${id} AS id, ${column} AS body FROM ${table}`)) {
      const isShort = String(row['body']).length <= maxLength
      if (examiner.check(isShort, 'consent', row['id'], 'is longer than the service stores'))
        examiner.read('consent', row['id'], row['body'], isObject)
    }
  for (const table of ['cmc_capability', 'cmc_relationship']) {
    const stray = file.first(`SELECT access FROM ${table} WHERE access NOT IN (SELECT id FROM access)`)
    examiner.check(stray === undefined, 'consent', stray, 'belongs to no access')
  }
  const odd = file.first(
    `SELECT number FROM cmc_outbox WHERE typeof(created) NOT IN ('real', 'integer')
      OR typeof(next) NOT IN ('real', 'integer') OR typeof(attempts) <> 'integer'`
  )
  examiner.check(odd === undefined, 'consent', odd, 'is a delivery that the service does not make')
}

const isMirror = compileShape(Mirror)
const isKept = compileShape(StoredKeptCopy)
const isProgress = compileShape(
  Type.Object({
    comparison: Type.Integer({ minimum: 0 }),
    failures: Type.Integer({ minimum: 0 }),
    cursor: Type.Optional(Type.Number()),
    deletedCursor: Type.Optional(Type.Number()),
    farewell: Type.Optional(Type.String({ maxLength: 4096 })),
    pass: Type.Optional(Type.Record(Type.String(), Type.Number()))
  })
)
const isDue = compileShape(Type.Union([Type.Number(), Type.Null()]))

/** Reports problems with mirrors, and in archives any copied event. */
export function examineMirrors(examiner: Examiner): void {
  const { file, options } = examiner
  for (const { access, body, id, next, progress } of file.rows('SELECT * FROM mirror')) {
    const mirror = examiner.read('mirror', id, body, isMirror) as Mirror | undefined
    examiner.read('mirror', id, progress, isProgress)
    if (!mirror) continue
    const isIndexed = mirror.id === id && mirror.accessId === access && isDue(next)
    examiner.check(isIndexed, 'mirror', id, "is indexed under values that don't match its content")
    const isPlaced = /^:_followed:[^:]+$/.test(mirror.streamId)
    examiner.check(isPlaced, 'mirror', id, 'has a copy where the service makes none')
  }
  for (const { access, body } of file.rows('SELECT * FROM mirror_kept')) {
    const kept = examiner.read('mirror', access, body, isKept) as StoredKeptCopy | undefined
    examiner.check(!kept || kept.accessId === access, 'mirror', access, 'is that of another access')
  }
  if (!options.targetConfig) return
  // Copies are not exported.
  const copied = file.first('SELECT id FROM mirror_event')
  examiner.check(copied === undefined, 'mirror', copied, 'has a copy, which no archive contains')
}
