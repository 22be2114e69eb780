/**
 * Where the records of an access or action are, block by block: seldom ones are found without reading all others. The
 * records after the last block are few, and read one by one.
 */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** Records that make a block. */
export const blockSize = 256

/** A stretch of records, both ends included. Microseconds. */
export interface Stretch {
  readonly since: number
  readonly until: number
}

const within = 'SELECT since, until FROM audit_block WHERE word = ?'

/** The stretch with records of one of these words that lies next to the beginning, or to the end, of a range. */
export function nextBlock(
  db: Database,
  words: readonly number[],
  { since, until }: Stretch,
  isAscending: boolean
): Stretch | undefined {
  const blocks = words.flatMap(word =>
    isAscending
      ? (blockAt(db, word, since) ?? [])
      : (startingBy(blockAt(db, word, until), until) ?? blockBefore(db, word, until) ?? [])
  )
  const sorted = blocks.toSorted((a, b) => (isAscending ? a.since - b.since : b.since - a.since))
  const [block] = sorted.filter(found => found.since <= until && found.until >= since)
  return block && { since: Math.max(since, block.since), until: Math.min(until, block.until) }
}

/** The first block that reaches a time. */
function blockAt(db: Database, word: number, time: number): Stretch | undefined {
  return statement(db, `${within} AND until >= ? ORDER BY until LIMIT 1`).get(word, time) as
    Stretch | undefined
}

/** The last block that ends before a time. */
function blockBefore(db: Database, word: number, time: number): Stretch | undefined {
  return statement(db, `${within} AND until < ? ORDER BY until DESC LIMIT 1`).get(word, time) as
    Stretch | undefined
}

function startingBy(block: Stretch | undefined, time: number): Stretch | undefined {
  return block && block.since <= time ? block : undefined
}

/** In how many blocks words occur: the fewer, the sooner their records are found. */
export function countBlocks(db: Database, words: readonly number[]): number {
  const sql = 'SELECT count(*) FROM audit_block WHERE word = ?'
  return words.reduce((sum, word) => sum + (column(db, sql).get(word) as number), 0)
}

/** Makes a block of all records after a time, up to the last one. Within a write. */
export function addBlock(db: Database, after: number): void {
  const insert = `WITH fresh AS (SELECT at, access, action FROM audit_record WHERE at > @after)
    INSERT INTO audit_block (word, until, since)
    SELECT word, (SELECT max(at) FROM fresh), (SELECT min(at) FROM fresh)
    FROM (SELECT access AS word FROM fresh UNION SELECT action FROM fresh)`
  statement(db, insert).run({ after })
  statement(db, 'UPDATE audit_state SET indexed = (SELECT max(at) FROM audit_record)').run()
}

/** Removes the blocks that lie before a time. Within a write. */
export function removeBlocks(db: Database, until: number): void {
  const sql = 'DELETE FROM audit_block WHERE word IN (SELECT number FROM audit_word) AND until <= ?'
  statement(db, sql).run(until)
}
