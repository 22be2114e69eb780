/** The texts of events, joined. Large ones are read one by one, so that no page outgrows memory. */
import type { Database } from 'better-sqlite3'
import { column } from '../statements.js'

/** Bytes after which a page that holds large events ends. */
export const pageBytes = 512 * 1024

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
 * The bodies of the events of these numbers, in this order, joined by commas. It takes as many as fit a page, one at
 * least. Those with files count as large ones: `present` makes of them what the caller sees.
 */
export function joined(
  db: Database,
  numbers: readonly number[],
  areLarge: boolean,
  present: (body: string) => string
): { text: string; taken: number } {
  if (numbers.length === 0) return { text: '', taken: 0 }
  const list = JSON.stringify(numbers)
  if (
    !areLarge ||
    column(db, `SELECT 1 FROM ${listed} WHERE e.large IS NOT NULL LIMIT 1`).get(list) === undefined
  ) {
    const text = column(db, `SELECT group_concat(body) FROM (SELECT body FROM ${listed})`).get(list) as
      string | null
    return { text: text ?? '', taken: numbers.length }
  }
  let text = ''
  let taken = 0
  for (const number of numbers) {
    const body = column(db, 'SELECT body FROM event WHERE number = ?').get(number) as string
    const shown = present(body)
    text += text === '' ? shown : `,${shown}`
    taken++
    if (text.length > pageBytes) break
  }
  return { text, taken }
}

/** Events by a list of their numbers, in its order. */
const listed = 'json_each(?) j CROSS JOIN event e ON e.number = j.value'
