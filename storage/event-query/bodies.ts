/**
 * Joins the texts of events into pages of bounded size: a client that does not read holds one page in memory. An event
 * larger than that is a page by itself.
 */
import type { Database } from 'better-sqlite3'
import { column, raw } from '../sqlite/statements.js'

/** Bytes after which a page ends, and the largest size of a joined text. */
export const pageBytes = 512 * 1024
/** Size of a page, in bytes, above which no further event is added. */
const maxPageBytes = 2 * pageBytes

/** Maximum number of events in a page. */
const maxPageRows = 1000
/** Target size: sizes vary, and a page that turns out to be too large has to be read again. */
const targetBytes = 0.75 * pageBytes
/** Maximum growth from page to page: small events may be followed by large ones. */
const maxGrowth = 4

/** Estimates how many events of a file fit a page, from the last pages. */
export class PageSizeEstimate {
  #rows = maxPageRows

  /** Number of events that the next page should read. */
  get rows(): number {
    return this.#rows
  }

  /** Records the size of a number of events together. */
  record(rows: number, bytes: number): void {
    const fittingRows = Math.floor((rows * targetBytes) / Math.max(bytes, 1))
    this.#rows = Math.max(1, Math.min(fittingRows, maxGrowth * this.#rows, maxPageRows))
  }
}

/** Whether a file may hold large events; cached. False positives are possible, false negatives are not. */
export class LargeEvents {
  #mayExist: boolean | undefined

  constructor(private readonly db: Database) {}

  /** Whether any event of the file is large. Cached. */
  get mayExist(): boolean {
    return (this.#mayExist ??=
      column(this.db, 'SELECT 1 FROM event INDEXED BY event_large WHERE large IS NOT NULL LIMIT 1').get() !==
      undefined)
  }

  /** Clears the cache. */
  invalidate(): void {
    this.#mayExist = undefined
  }

  /** Records that a large event has been written. */
  record(): void {
    this.#mayExist = true
  }
}

/**
 * Joins the bodies of events by commas, in the order of these numbers: as many as fit a page that already holds
 * `heldBytes` bytes, and at least one if the page is empty. Events with files count as large; `present` turns a body
 * into what the caller sees.
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

/** Reads the bodies of as many events as fit into a page. Returns their JSON and their number. */
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

/** Joins bodies one by one, so that no body that does not fit the page is read. */
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

/** Selects events by a list of their numbers, in its order. */
const fromNumbers = 'json_each(?) j CROSS JOIN event e ON e.number = j.value'
