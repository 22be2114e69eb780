/** Numbers for the accesses and actions in the audit, which keep its records short. */
import type { Database } from 'better-sqlite3'
import { column, statement } from '../sqlite/statements.js'
import { formatAccessWord, formatActionWord } from './record.js'

/** Maximum number of cached words per open file. A full cache is cleared. */
const maxCached = 1000

interface Word {
  readonly text: string
  readonly number: number
}

/** The words of one audit and their numbers, cached. */
export class AuditWords {
  readonly #numbers = new Map<string, number>()
  readonly #texts = new Map<number, string>()
  /** Words of accesses and actions, by their ids: formatting the texts takes as long as a small query. */
  readonly #accesses = new Map<string, Word>()
  readonly #actions = new Map<string, Word>()

  constructor(private readonly db: Database) {}

  /** Returns the number of a text; `undefined` if the audit does not have that text. */
  find(text: string): number | undefined {
    const known = this.#numbers.get(text)
    if (known !== undefined) return known
    const number = column(this.db, 'SELECT number FROM audit_word WHERE text = ?').get(text) as
      | number
      | undefined
    return number === undefined ? undefined : this.#cache(number, text)
  }

  /**
   * Returns the numbers of the words of an access or action. An access without a version stands for all its versions, each
   * of which has a word of its own.
   */
  findAll(text: string): number[] {
    const number = this.find(text)
    const own = number === undefined ? [] : [number]
    if (text.includes(':')) return own
    const sql = 'SELECT number FROM audit_word WHERE text > ? AND text < ?'
    return [...own, ...(column(this.db, sql).all(`${text}:`, `${text};`) as number[])]
  }

  /** Returns the word of an access, and adds the word if it is new. Must run within a transaction. */
  ensureAccess(id: string): Word {
    return this.#accesses.get(id) ?? this.#ensure(this.#accesses, id, formatAccessWord(id))
  }

  /** Returns the word of a method, and adds the word if it is new. Must run within a transaction. */
  ensureAction(id: string): Word {
    return this.#actions.get(id) ?? this.#ensure(this.#actions, id, formatActionWord(id))
  }

  /** Returns the text of a number, which must exist. */
  getText(number: number): string {
    const known = this.#texts.get(number)
    if (known !== undefined) return known
    const text = column(this.db, 'SELECT text FROM audit_word WHERE number = ?').get(number) as string
    this.#cache(number, text)
    return text
  }

  /** Lists the words with a prefix, sorted. */
  list(prefix: string): string[] {
    const sql = 'SELECT text FROM audit_word WHERE text >= ? AND text < ? ORDER BY text'
    return column(this.db, sql).all(prefix, `${prefix}\u{10ffff}`) as string[]
  }

  /** Clears the cache: it may hold words that were rolled back. */
  invalidate(): void {
    this.#numbers.clear()
    this.#texts.clear()
    this.#accesses.clear()
    this.#actions.clear()
  }

  #ensure(words: Map<string, Word>, id: string, text: string): Word {
    const word = { text, number: this.find(text) ?? this.#insert(text) }
    words.set(id, word)
    return word
  }

  #insert(text: string): number {
    const { lastInsertRowid } = statement(this.db, 'INSERT INTO audit_word (text) VALUES (?)').run(text)
    return this.#cache(Number(lastInsertRowid), text)
  }

  #cache(number: number, text: string): number {
    if (this.#numbers.size >= maxCached) this.invalidate()
    this.#numbers.set(text, number)
    this.#texts.set(number, text)
    return number
  }
}
