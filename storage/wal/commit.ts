/**
 * The only way to commit a user's transaction: with the position of the file, and its frames handed over before
 * anything else.
 */
import type { Database } from 'better-sqlite3'
import { Unconfirmed } from '../errors.js'
import { statement } from '../sqlite/statements.js'
import type { Durability } from './durability.js'
import { writePosition } from './position.js'

/** Commits the transaction of a connection. Throws what SQLite throws, with nothing committed. */
export function commit(db: Database, durability: Durability): void {
  const { nextPosition } = durability
  if (nextPosition) writePosition(db, nextPosition)
  statement(db, 'COMMIT').run()
  durability.capture()
}

/** Resolves when every commit so far is durable. Rejects with `Unconfirmed` if that is uncertain. */
export function waitUntilDurable(durability: Durability): Promise<void> {
  return new Promise((resolve, reject) =>
    durability.afterSync(failure => (failure ? reject(new Unconfirmed(failure)) : resolve()))
  )
}
