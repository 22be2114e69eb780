/**
 * The texts of events, joined, never more than fit a page: a client that does not read holds one in memory. An event that is
 * larger than that is a page of its own.
 */
import type { Database } from 'better-sqlite3'
import { column, raw } from '../sqlite/statements.js'

/** Bytes after which a page ends. Events that are not large come in pieces of at most as many. */
export const pageBytes = 512 * 1024
/** Bytes beyond which no further event joins a page. */
const mostBytes = 2 * pageBytes

/** Events in a page at most. */
export const pageRows = 1000
/** What is aimed at: sizes vary, and a page that turns out too large has to be read again. */
const aim = 0.75 * pageBytes
/** By how much more may be tried for the next page: those that follow small events may be large. */
const growth = 4

/** How many events are likely to fit a page of a file, as the last ones did. */
export class Fit {
  #rows = pageRows

  get rows(): number {
    return this.#rows
  }

  /** Notes how large so many events were together. */
  note(rows: number, bytes: number): void {
    const fitting = Math.floor((rows * aim) / Math.max(bytes, 1))
    this.#rows = Math.max(1, Math.min(fitting, growth * this.#rows, pageRows))
  }
}

/** Whether any event of a file is large; remembered, and wrong only on the safe side. */
export class LargeEvents {
  #exist: boolean | undefined

  constructor(private readonly db: Database) {}

  get exist(): boolean {
    return (this.#exist ??=
      column(this.db, 'SELECT 1 FROM event INDEXED BY event_large WHERE large IS NOT NULL LIMIT 1').get() !==
      undefined)
  }

  /** Drops what is remembered. */
  forget(): void {
    this.#exist = undefined
  }

  note(): void {
    this.#exist = true
  }
}

/**
 * The bodies of the events of these numbers, in this order, joined by commas: as many as fit a page that holds so many bytes
 * already, one at least if it is empty. Those with files count as large ones: `present` makes of them what the caller sees.
 */
export function joined(
  db: Database,
  fit: Fit,
  numbers: readonly number[],
  areLarge: boolean,
  present: (body: string) => string,
  held = 0
): { text: string; taken: number } {
  if (numbers.length === 0) return { text: '', taken: 0 }
  const list = JSON.stringify(numbers)
  const holdsLarge =
    areLarge &&
    column(db, `SELECT 1 FROM ${listed} WHERE e.large IS NOT NULL LIMIT 1`).get(list) !== undefined
  return holdsLarge ? oneByOne(db, numbers, present, held) : together(db, fit, numbers)
}

function together(db: Database, fit: Fit, numbers: readonly number[]): { text: string; taken: number } {
  const sql = `SELECT CASE WHEN octet_length(text) <= ${pageBytes} THEN text END, octet_length(text) FROM (
    SELECT group_concat(body) AS text FROM (SELECT body FROM ${listed}))`
  for (;;) {
    const wanted = numbers.slice(0, fit.rows)
    const [text, bytes] = raw(db, sql).get(JSON.stringify(wanted)) as [string | null, number | null]
    fit.note(wanted.length, bytes ?? 0)
    if (text !== null || bytes === null) return { text: text ?? '', taken: wanted.length }
  }
}

function oneByOne(
  db: Database,
  numbers: readonly number[],
  present: (body: string) => string,
  held: number
): { text: string; taken: number } {
  const sql = 'SELECT CASE WHEN octet_length(body) <= ? THEN body END FROM event WHERE number = ?'
  let text = ''
  let taken = 0
  for (const number of numbers) {
    const room = held + text.length === 0 ? Infinity : mostBytes - held - text.length
    const body = column(db, sql).get(room, number) as string | null
    if (body === null) break
    const shown = present(body)
    text += text === '' ? shown : `,${shown}`
    taken++
    if (held + text.length > pageBytes) break
  }
  return { text, taken }
}

/** Events by a list of their numbers, in its order. */
const listed = 'json_each(?) j CROSS JOIN event e ON e.number = j.value'
