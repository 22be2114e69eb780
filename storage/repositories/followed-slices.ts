/** The slices of other accounts that a user follows. */
import type { Database } from 'better-sqlite3'
import type { FollowedSlice } from '../../schemas/followed-slice.js'
import { translateError } from '../errors.js'
import { column, statement } from '../sqlite/statements.js'

/** Slices per page. */
const pageSize = 100

export class FollowedSliceRepository {
  constructor(private readonly db: Database) {}

  /** Finds a slice by its id. */
  find(id: string): FollowedSlice | undefined {
    const body = column(this.db, 'SELECT body FROM followed_slice WHERE id = ?').get(id)
    return body === undefined ? undefined : parse(body)
  }

  /** A page of slices as JSON texts, by name, after `name`. */
  listTextsAfter(name: string): string[] {
    const sql = 'SELECT body FROM followed_slice WHERE name > ? ORDER BY name LIMIT +?'
    return column(this.db, sql).all(name, pageSize) as string[]
  }

  /** Throws `UniqueViolation` of `followed_slice.name`, or of `followed_slice.url` for the pair of URL and token. */
  insert(slice: FollowedSlice): void {
    this.#write('INSERT INTO followed_slice (body, id) VALUES (?, ?)', slice)
  }

  /** Replaces a slice. Throws as {@link insert} does. */
  update(slice: FollowedSlice): void {
    this.#write('UPDATE followed_slice SET body = ? WHERE id = ?', slice)
  }

  /** Removes a slice. Returns whether it existed. */
  remove(id: string): boolean {
    return statement(this.db, 'DELETE FROM followed_slice WHERE id = ?').run(id).changes > 0
  }

  #write(sql: string, slice: FollowedSlice): void {
    try {
      statement(this.db, sql).run(JSON.stringify(slice), slice.id)
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }
}

function parse(body: unknown): FollowedSlice {
  return JSON.parse(body as string) as FollowedSlice
}
