/** The connections of one user. None is cached: what has arrived from each may have ten thousand kinds. */
import type { Database } from 'better-sqlite3'
import type { Arrivals, Connection } from '../../schemas/connection.js'
import { translateError } from '../errors.js'
import { column, hasTable, statement } from '../sqlite/statements.js'

/** A connection, and what has arrived from it. */
export interface StoredConnection {
  readonly connection: Connection
  readonly arrivals: Arrivals
}

interface Row {
  readonly body: string
  readonly arrivals: string
}

/** Number of characters after which a page ends. */
const pageSize = 128 * 1024

/** The connections, at most one for each access. */
export class ConnectionRepository {
  constructor(private readonly db: Database) {}

  /** Finds a connection by its id. */
  find(id: string): StoredConnection | undefined {
    return this.#find('SELECT body, arrivals FROM connection WHERE id = ?', id)
  }

  /** Finds the connection of an access. */
  findByAccess(access: string): StoredConnection | undefined {
    return this.#find('SELECT body, arrivals FROM connection WHERE access = ?', access)
  }

  /** Lists connections, the newest first, in pages: a page begins after the connection with the id `last`. */
  listAfter(last?: string): { readonly connections: readonly StoredConnection[]; readonly isLast: boolean } {
    // Ids sort in the order of creation.
    const sql = 'SELECT body, arrivals FROM connection WHERE id < ? ORDER BY id DESC'
    const connections: StoredConnection[] = []
    let size = 0
    for (const row of statement(this.db, sql).iterate(last ?? '\u{10ffff}')) {
      if (size > pageSize) return { connections, isLast: false }
      const { arrivals, body } = row as Row
      connections.push(parse({ arrivals, body }))
      size += arrivals.length + body.length
    }
    return { connections, isLast: true }
  }

  /** Number of connections. */
  get size(): number {
    return column(this.db, 'SELECT count(*) FROM connection').get() as number
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
  }

  /** Replaces the settings of a connection. Its arrivals are written by {@link updateArrivals} only. */
  update(stored: StoredConnection): void {
    const { id } = stored.connection
    this.#write('UPDATE connection SET body = ? WHERE id = ?', JSON.stringify(stored.connection), id)
  }

  /** Replaces what has arrived from a connection. */
  updateArrivals(stored: StoredConnection): void {
    const { id } = stored.connection
    this.#write('UPDATE connection SET arrivals = ? WHERE id = ?', JSON.stringify(stored.arrivals), id)
  }

  /** Removes the connection of an access, which must exist. */
  removeByAccess(access: string): void {
    this.#write('DELETE FROM connection WHERE access = ?', access)
  }

  #write(sql: string, ...values: readonly string[]): void {
    try {
      statement(this.db, sql).run(...values)
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }

  #find(sql: string, id: string): StoredConnection | undefined {
    const row = statement(this.db, sql).get(id) as Row | undefined
    return row && parse(row)
  }
}

function parse({ arrivals, body }: Row): StoredConnection {
  return { connection: JSON.parse(body) as Connection, arrivals: JSON.parse(arrivals) as Arrivals }
}

/** Lists the keys of the secrets of all connections in a user's file. */
export function listSecretKeys(db: Database): string[] {
  if (!hasTable(db, 'connection')) return []
  const keys = `SELECT json_extract(body, '$.secretKey') AS key FROM connection WHERE key IS NOT NULL`
  return column(db, keys).all() as string[]
}
