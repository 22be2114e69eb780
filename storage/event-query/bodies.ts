/**
 * The texts of events, joined, never more than fit a page: a client that does not read holds one in memory. An event that is
 * larger than that is a page of its own.
 */
import type { Database } from 'better-sqlite3'
import { column, raw } from '../sqlite/statements.js'

/** Bytes after which a page ends. Events that are not large come in pieces of at most as many. */
export const pageBytes = 512 * 1024
/** Bytes beyond which no further event joins a page. */
const maxPageBytes = 2 * pageBytes

/** Events in a page at most. */
export const maxPageRows = 1000
/** What is aimed at: sizes vary, and a page that turns out too large has to be read again. */
const targetBytes = 0.75 * pageBytes
/** By how much more may be tried for the next page: those that follow small events may be large. */
const maxGrowth = 4

/** How many events are likely to fit a page of a file, as the last ones did. */
export class PageSizeEstimate {
  #rows = maxPageRows

  get rows(): number {
    return this.#rows
  }

  /** Notes how large so many events were together. */
  record(rows: number, bytes: number): void {
    const fittingRows = Math.floor((rows * targetBytes) / Math.max(bytes, 1))
    this.#rows = Math.max(1, Math.min(fittingRows, maxGrowth * this.#rows, maxPageRows))
  }
}

/** Whether any event of a file is large; remembered, and wrong only on the safe side. */
export class LargeEvents {
  #mayExist: boolean | undefined

  constructor(private readonly db: Database) {}

  get mayExist(): boolean {
    return (this.#mayExist ??=
      column(this.db, 'SELECT 1 FROM event INDEXED BY event_large WHERE large IS NOT NULL LIMIT 1').get() !==
      undefined)
  }

  /** Drops what is remembered. */
  invalidate(): void {
    this.#mayExist = undefined
  }

  record(): void {
    this.#mayExist = true
  }
}

/**
 * The bodies of the events of these numbers, in this order, joined by commas: as many as fit a page that holds so many bytes
 * already, one at least if it is empty. Those with files count as large ones: `present` makes of them what the caller sees.
 */
export function joinBodies(
  db: Database,
  sizeEstimate: PageSizeEstimate,
  numbers: readonly number[],
  mayHoldLarge: boolean,
  present: (body: string) => string,
  heldBytes = 0
): { text: string; taken: number } {
  if (numbers.length === 0) return { text: '', taken: 0 }
  const list = JSON.stringify(numbers)
  const holdsLarge =
    mayHoldLarge &&
    column(db, `SELECT 1 FROM ${fromNumbers} WHERE e.large IS NOT NULL LIMIT 1`).get(list) !== undefined
  return holdsLarge ? joinOneByOne(db, numbers, present, heldBytes) : joinAtOnce(db, sizeEstimate, numbers)
}

function joinAtOnce(
  db: Database,
  sizeEstimate: PageSizeEstimate,
  numbers: readonly number[]
): { text: string; taken: number } {
  const sql = `SELECT CASE WHEN octet_length(text) <= ${pageBytes} THEN text END, octet_length(text) FROM (
    SELECT group_concat(body) AS text FROM (SELECT body FROM ${fromNumbers}))`
  for (;;) {
    const wanted = numbers.slice(0, sizeEstimate.rows)
    const [text, bytes] = raw(db, sql).get(JSON.stringify(wanted)) as [string | null, number | null]
    sizeEstimate.record(wanted.length, bytes ?? 0)
    if (text !== null || bytes === null) return { text: text ?? '', taken: wanted.length }
  }
}

function joinOneByOne(
  db: Database,
  numbers: readonly number[],
  present: (body: string) => string,
  heldBytes: number
): { text: string; taken: number } {
  const sql = 'SELECT CASE WHEN octet_length(body) <= ? THEN body END FROM event WHERE number = ?'
  let text = ''
  let taken = 0
  for (const number of numbers) {
    const room = heldBytes + text.length === 0 ? Infinity : maxPageBytes - heldBytes - text.length
    const body = column(db, sql).get(room, number) as string | null
    if (body === null) break
    const presented = present(body)
    text += text === '' ? presented : `,${presented}`
    taken++
    if (heldBytes + text.length > pageBytes) break
  }
  return { text, taken }
}

/** Events by a list of their numbers, in its order. */
const fromNumbers = 'json_each(?) j CROSS JOIN event e ON e.number = j.value'
