/** The connections of one user. A user has few, so all are cached while the file is open. */
import type { Database } from 'better-sqlite3'
import type { Arrivals, Connection } from '../../schemas/connection.js'
import { translateError } from '../errors.js'
import { column, statement } from '../sqlite/statements.js'

/** A connection, and what has arrived from it. */
export interface StoredConnection {
  readonly connection: Connection
  readonly arrivals: Arrivals
}

interface Row {
  readonly body: string
  readonly arrivals: string
}

/** The connections, at most one for each access. */
export class ConnectionRepository {
  /** By the ids of their accesses. */
  #all: Map<string, StoredConnection> | undefined

  constructor(private readonly db: Database) {}

  /** Finds a connection by its id. */
  find(id: string): StoredConnection | undefined {
    for (const stored of this.#load().values()) if (stored.connection.id === id) return stored
    return undefined
  }

  /** Finds the connection of an access. */
  findByAccess(access: string): StoredConnection | undefined {
    return this.#load().get(access)
  }

  /** All connections, in no particular order. */
  list(): Iterable<StoredConnection> {
    return this.#load().values()
  }

  /** Number of connections. */
  get size(): number {
    return this.#load().size
  }

  /** Adds a connection with its arrivals. Throws `UniqueViolation` if its access has one. */
  insert(stored: StoredConnection): void {
    const { arrivals, connection } = stored
    const { accessId, id } = connection
    this.#write(
      'INSERT INTO connection (body, arrivals, id, access) VALUES (?, ?, ?, ?)',
      JSON.stringify(connection),
      JSON.stringify(arrivals),
      id,
      accessId
    )
    this.#load().set(accessId, stored)
  }

  /** Replaces the settings of a connection. Its arrivals are written by {@link updateArrivals} only. */
  update(stored: StoredConnection): void {
    const { accessId, id } = stored.connection
    this.#write('UPDATE connection SET body = ? WHERE id = ?', JSON.stringify(stored.connection), id)
    this.#load().set(accessId, stored)
  }

  /** Replaces what has arrived from a connection. */
  updateArrivals(stored: StoredConnection): void {
    const { accessId, id } = stored.connection
    this.#write('UPDATE connection SET arrivals = ? WHERE id = ?', JSON.stringify(stored.arrivals), id)
    this.#load().set(accessId, stored)
  }

  /** Removes the connection of an access, which must exist. */
  removeByAccess(access: string): void {
    this.#load().delete(access)
    this.#write('DELETE FROM connection WHERE access = ?', access)
  }

  /** Drops the cache: it may hold what was rolled back. */
  invalidate(): void {
    this.#all = undefined
  }

  #write(sql: string, ...values: readonly string[]): void {
    try {
      statement(this.db, sql).run(...values)
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }

  #load(): Map<string, StoredConnection> {
    if (this.#all) return this.#all
    const rows = statement(this.db, 'SELECT body, arrivals FROM connection').all() as Row[]
    const parsed = rows.map(({ arrivals, body }): StoredConnection => ({
      connection: JSON.parse(body) as Connection,
      arrivals: JSON.parse(arrivals) as Arrivals
    }))
    return (this.#all = new Map(parsed.map(stored => [stored.connection.accessId, stored])))
  }
}

/** Lists the keys of the secrets of all connections in a user's file. */
export function listSecretKeys(db: Database): string[] {
  // A file that is only inspected is not migrated, so it may lack the table.
  const table = column(db, "SELECT 1 FROM sqlite_schema WHERE name = 'connection'")
  if (table.get() === undefined) return []
  const keys = `SELECT json_extract(body, '$.secretKey') AS key FROM connection WHERE key IS NOT NULL`
  return column(db, keys).all() as string[]
}
