/**
 * An index of the blocks of records in which an access or action occurs, so that rare words are found without a full
 * scan. The records after the last block are few, and are scanned.
 */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** Records per block. */
export const blockSize = 256

/** A range of record times in microseconds, both ends inclusive. */
export interface TimeRange {
  readonly since: number
  readonly until: number
}

const selectBlocks = 'SELECT since, until FROM audit_block WHERE word = ?'

/**
 * Finds the first block within a range, or the last in descending order, that holds records with one of these
 * words. Returns the part of it within the range; `undefined` if there is none.
 */
export function findNextBlock(
  db: Database,
  words: readonly number[],
  { since, until }: TimeRange,
  isAscending: boolean
): TimeRange | undefined {
  const blocks = words.flatMap(word =>
    isAscending
      ? (findBlockEndingFrom(db, word, since) ?? [])
      : (onlyIfStartedBy(findBlockEndingFrom(db, word, until), until) ??
        findBlockEndingBefore(db, word, until) ??
        [])
  )
  const sorted = blocks.toSorted((a, b) => (isAscending ? a.since - b.since : b.since - a.since))
  const [block] = sorted.filter(found => found.since <= until && found.until >= since)
  return block && { since: Math.max(since, block.since), until: Math.min(until, block.until) }
}

/** Finds the first block that ends at or after a time. */
function findBlockEndingFrom(db: Database, word: number, time: number): TimeRange | undefined {
  return statement(db, `${selectBlocks} AND until >= ? ORDER BY until LIMIT 1`).get(word, time) as
    | TimeRange
    | undefined
}

/** Finds the last block that ends before a time. */
function findBlockEndingBefore(db: Database, word: number, time: number): TimeRange | undefined {
  return statement(db, `${selectBlocks} AND until < ? ORDER BY until DESC LIMIT 1`).get(word, time) as
    | TimeRange
    | undefined
}

function onlyIfStartedBy(block: TimeRange | undefined, time: number): TimeRange | undefined {
  return block && block.since <= time ? block : undefined
}

/** Returns the number of blocks in which words occur: an estimate of the cost of scanning for them. */
export function countBlocks(db: Database, words: readonly number[]): number {
  const sql = 'SELECT count(*) FROM audit_block WHERE word = ?'
  return words.reduce((sum, word) => sum + (column(db, sql).get(word) as number), 0)
}

/** Adds a block of all records after a time. Must run within a transaction. */
export function addBlock(db: Database, after: number): void {
  const insert = `WITH fresh AS (SELECT at, access, action FROM audit_record WHERE at > @after)
    INSERT INTO audit_block (word, until, since)
    SELECT word, (SELECT max(at) FROM fresh), (SELECT min(at) FROM fresh)
    FROM (SELECT access AS word FROM fresh UNION SELECT action FROM fresh)`
  statement(db, insert).run({ after })
  statement(db, 'UPDATE audit_state SET indexed = (SELECT max(at) FROM audit_record)').run()
}

/** Removes the blocks that end at or before a time. Must run within a transaction. */
export function removeBlocks(db: Database, until: number): void {
  const sql = 'DELETE FROM audit_block WHERE word IN (SELECT number FROM audit_word) AND until <= ?'
  statement(db, sql).run(until)
}
