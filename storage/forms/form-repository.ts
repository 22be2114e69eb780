/** The forms of one account. */
import type { Database } from 'better-sqlite3'
import type { Form } from '../../schemas/plans/form.js'
import { translateError } from '../errors.js'
import { column, statement } from '../sqlite/statements.js'

export class FormRepository {
  constructor(private readonly db: Database) {}

  /** Number of forms. */
  get size(): number {
    return column(this.db, 'SELECT count(*) FROM form').get() as number
  }

  /** Finds a form by its id. */
  find(id: string): Form | undefined {
    const body = column(this.db, 'SELECT body FROM form WHERE id = ?').get(id) as string | undefined
    return body === undefined ? undefined : (JSON.parse(body) as Form)
  }

  /** Lists all forms, in no particular order. */
  list(): Form[] {
    const bodies = column(this.db, 'SELECT body FROM form').all() as string[]
    return bodies.map(body => JSON.parse(body) as Form)
  }

  /** Adds a form, or replaces the one with its id. */
  put(form: Form): void {
    this.#write('INSERT OR REPLACE INTO form (id, access, body) VALUES (?, ?, ?)', [
      form.id,
      form.accessId,
      JSON.stringify(form)
    ])
  }

  /** Removes a form, if it exists. What was filled in with it stays. */
  remove(id: string): void {
    this.#write('DELETE FROM form WHERE id = ?', [id])
  }

  /** Removes the forms of an access. */
  removeByAccess(access: string): void {
    this.#write('DELETE FROM form WHERE access = ?', [access])
  }

  #write(sql: string, values: readonly string[]): void {
    try {
      statement(this.db, sql).run(...values)
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }
}
