/** Validates the relationships, offers and deliveries of a foreign file. */
import { Type } from 'typebox'
import { compileShape, type Examiner } from './examiner.js'

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
