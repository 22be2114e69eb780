/** Numbers for the accesses and actions in the audit, which keep its records short. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'

/** Words to cache per open file. A full cache is cleared. */
const maxCached = 1000

export class AuditWords {
  readonly #numbers = new Map<string, number>()
  readonly #texts = new Map<number, string>()

  constructor(private readonly db: Database) {}

  find(text: string): number | undefined {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const number = column(this.db, 'SELECT number FROM audit_word WHERE text = ?').get(text) as
      | number
      | undefined
    return number === undefined ? undefined : this.#keep(number, text)
  }

  /** The number of a word, new or known. Within a write. */
  ensure(text: string): number {
    const known = this.find(text)
    if (known !== undefined) return known
    const { lastInsertRowid } = statement(this.db, 'INSERT INTO audit_word (text) VALUES (?)').run(text)
    return this.#keep(Number(lastInsertRowid), text)
  }

  text(number: number): string {
    const known = this.#texts.get(number)
    if (known !== undefined) return known
    const text = column(this.db, 'SELECT text FROM audit_word WHERE number = ?').get(number) as string
    this.#keep(number, text)
    return text
  }

  /** The words with a prefix, sorted. */
  list(prefix: string): string[] {
    const sql = 'SELECT text FROM audit_word WHERE text >= ? AND text < ? ORDER BY text'
    return column(this.db, sql).all(prefix, `${prefix}\u{10ffff}`) as string[]
  }

  /** Clears the cache: it may hold words that were rolled back. */
  forget(): void {
    this.#numbers.clear()
    this.#texts.clear()
  }

  #keep(number: number, text: string): number {
    if (this.#numbers.size >= maxCached) this.forget()
    this.#numbers.set(text, number)
    this.#texts.set(number, text)
    return number
  }
}
