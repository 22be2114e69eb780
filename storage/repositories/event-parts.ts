/** What an event may have very many of, or very large: earlier versions, and chunks of points. Removed in steps, each of a few milliseconds. */
import type { Database } from 'better-sqlite3'
import { statement } from '../sqlite/statements.js'
import type { Steps } from '../steps.js'

/** Tables of parts: the columns that say whose they are, their order and size, and how many are removed at once. */
const tables = {
  event_version: { owner: 'event', order: 'modified', text: 'body', limit: 500 },
  access_version: { owner: 'access', order: 'serial', text: 'body', limit: 500 },
  series_chunk: { owner: 'event', order: 'first', text: 'points', limit: 200 }
} as const
type Table = keyof typeof tables

/** Bytes of parts after which no more are removed at once. */
export const maxRemovedBytes = 8 * 1024 * 1024
/** Bytes of events that are read, and written again or removed, at once. */
const maxEventBytes = 1024 * 1024

/**
 * Returns the work of removing or replacing an event with all its parts, as a share of what may be done at once: events that
 * amount to more than 1 together take long. 0 if there is none.
 */
export function measureEvent(db: Database, id: string): number {
  const sql = 'SELECT number, octet_length(body) AS size FROM event WHERE id = ?'
  const event = statement(db, sql).get(id) as { number: number; size: number } | undefined
  if (!event) return 0
  const { number, size } = event
  return (
    size / maxEventBytes + measureParts(db, 'event_version', id) + measureParts(db, 'series_chunk', number)
  )
}

/** Returns the work of removing the parts of an owner, as a share of what is removed at once; above 1 it may be more. */
function measureParts(db: Database, table: Table, owner: string | number): number {
  const { limit, owner: column, text } = tables[table]
  const sql = `SELECT count(*) AS count, ifnull(sum(size), 0) AS bytes FROM (
    SELECT octet_length(${text}) AS size FROM ${table} WHERE ${column} = ? LIMIT +?)`
  return toShare(table, statement(db, sql).get(owner, limit + 1) as { count: number; bytes: number })
}

/** Removes the chunks of the event with a number, in steps. */
export function* removeChunks(db: Database, number: number): Steps<void> {
  while (!removeSomeParts(db, 'series_chunk', number).isDone) yield
}

/**
 * Removes the first parts of an owner, as many as take a few milliseconds. Returns the work as a share of what is removed at
 * once, more than 1 with a part that is very large, and whether they were all.
 */
export function removeSomeParts(
  db: Database,
  table: Table,
  owner: string | number
): { share: number; isDone: boolean } {
  const { limit, order, owner: column, text } = tables[table]
  const sql = `SELECT rowid AS number, octet_length(${text}) AS size FROM ${table}
    WHERE ${column} = ? ORDER BY ${order} LIMIT +?`
  const rows = statement(db, sql).all(owner, limit) as { number: number; size: number }[]
  let bytes = 0
  const beyond = rows.findIndex(({ size }) => (bytes += size) > maxRemovedBytes)
  const removed = rows.slice(0, beyond < 0 ? rows.length : beyond + 1).map(({ number }) => number)
  if (removed.length > 0) {
    const removal = `DELETE FROM ${table} WHERE rowid IN (SELECT value FROM json_each(?))`
    statement(db, removal).run(JSON.stringify(removed))
  }
  return {
    share: toShare(table, { count: removed.length, bytes }),
    isDone: removed.length === rows.length && rows.length < limit
  }
}

function toShare(table: Table, { bytes, count }: { bytes: number; count: number }): number {
  return count / tables[table].limit + bytes / maxRemovedBytes
}
