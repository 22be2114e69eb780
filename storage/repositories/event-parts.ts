/** What an event may have very many of: earlier versions, and chunks of points. Removed in steps, each of a few milliseconds. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import type { Steps } from '../steps.js'

/** Maximum number of versions, and of chunks, that are removed at once. */
export const maxVersions = 500
const maxChunks = 200
/** Bytes of versions after which no more are removed at once. */
const maxBytes = 8 * 1024 * 1024

/** Returns whether an event has more versions or chunks than are removed at once. */
export function hasManyParts(db: Database, id: string): boolean {
  const chunks = `SELECT count(*) FROM (SELECT 1 FROM event e CROSS JOIN series_chunk c ON c.event = e.number
    WHERE e.id = ? LIMIT +?)`
  if ((column(db, chunks).get(id, maxChunks + 1) as number) > maxChunks) return true
  const versions = `SELECT count(*) AS count, ifnull(sum(size), 0) AS bytes FROM (
    SELECT octet_length(body) AS size FROM event_version WHERE event = ? LIMIT +?)`
  const { bytes, count } = statement(db, versions).get(id, maxVersions + 1) as {
    bytes: number
    count: number
  }
  return count > maxVersions || bytes > maxBytes
}

/** Removes the chunks of the event with a number, in steps. */
export function* removeChunks(db: Database, number: number): Steps<void> {
  const sql = `DELETE FROM series_chunk WHERE number IN (
    SELECT number FROM series_chunk WHERE event = ? LIMIT +?)`
  while (statement(db, sql).run(number, maxChunks).changes === maxChunks) yield
}

/** The columns of each table of versions that say whose they are, and their order. */
const versionColumns = { event_version: ['event', 'modified'], access_version: ['access', 'serial'] } as const

/**
 * Removes the first versions of an event, or of an access, as many as take a few milliseconds. Returns their number, and whether they
 * were all.
 */
export function removeSomeVersions(
  db: Database,
  id: string,
  table: keyof typeof versionColumns = 'event_version'
): { count: number; isDone: boolean } {
  const [owner, order] = versionColumns[table]
  const sql = `SELECT rowid AS number, octet_length(body) AS size FROM ${table}
    WHERE ${owner} = ? ORDER BY ${order} LIMIT +?`
  const rows = statement(db, sql).all(id, maxVersions) as { number: number; size: number }[]
  let bytes = 0
  const beyond = rows.findIndex(({ size }) => (bytes += size) > maxBytes)
  const removed = rows.slice(0, beyond < 0 ? rows.length : beyond + 1).map(({ number }) => number)
  const removal = `DELETE FROM ${table} WHERE rowid IN (SELECT value FROM json_each(?))`
  statement(db, removal).run(JSON.stringify(removed))
  return { count: removed.length, isDone: removed.length === rows.length && rows.length < maxVersions }
}
