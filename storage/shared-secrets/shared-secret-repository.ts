/** The shared secrets of one account: what is known of each, and the values of those that are still pending. */
import type { Database } from 'better-sqlite3'
import { translateError } from '../errors.js'
import { column, statement } from '../sqlite/statements.js'

type SecretStatus = 'pending' | 'consumed' | 'discarded'

/** A status of a secret and since when (seconds); `info` says why it was discarded. */
export interface StatusChange {
  readonly status: SecretStatus
  readonly time: number
  readonly info?: string
}

/** The message for receivers once a secret is no longer available. */
export interface OnConsumed {
  readonly message: string
  readonly returnUrl?: string
}

/** The part of a secret that is stored as JSON. */
interface SecretBody {
  readonly title: string
  readonly onConsumed: OnConsumed
  /** The oldest first; the last one is the current status. */
  readonly statusHistory: readonly StatusChange[]
  /** Hexadecimal SHA-256 of the random half of the key. */
  readonly keyHash: string
  /** How receivers prove that the secret is meant for them; absent if the key is enough. */
  readonly signatureType?: 'secret' | 'hmac-sha256'
  readonly createdBy: string
  readonly modifiedBy: string
}

/** A secret without its value. Times in seconds. */
export interface SharedSecret extends SecretBody {
  readonly id: string
  /** Id of the access that created it. */
  readonly access: string
  readonly created: number
  readonly modified: number
  readonly expires: number
}

/** A page of secrets, and the number after which the next page begins; `undefined` after the last one. */
interface SecretPage {
  readonly secrets: readonly SharedSecret[]
  readonly next: number | undefined
}

interface Row {
  readonly number: number
  readonly id: string
  readonly access: string
  readonly created: number
  readonly modified: number
  readonly expires: number
  readonly body: string
}

const pageSize = 200

export class SharedSecretRepository {
  constructor(private readonly db: Database) {}

  /** Finds a secret by its id, in any status. */
  find(id: string): SharedSecret | undefined {
    const row = statement(this.db, 'SELECT * FROM shared_secret WHERE id = ?').get(id) as Row | undefined
    return row && toSecret(row)
  }

  /**
   * Returns the value of a pending secret, as given to {@link insert}; `undefined` once it is no longer
   * pending.
   */
  findValue(id: string): string | undefined {
    const sql =
      'SELECT value FROM shared_secret_value WHERE secret = (SELECT number FROM shared_secret WHERE id = ?)'
    return column(this.db, sql).get(id) as string | undefined
  }

  /** Adds a pending secret with its value. */
  insert(secret: SharedSecret, value: string): void {
    const { access, created, expires, id, modified } = secret
    const sql = `INSERT INTO shared_secret (id, access, created, modified, expires, isPending, body)
      VALUES (?, ?, ?, ?, ?, 1, ?)`
    this.#run(() => {
      const { lastInsertRowid } = statement(this.db, sql).run(
        id,
        access,
        created,
        modified,
        expires,
        toBody(secret)
      )
      statement(this.db, 'INSERT INTO shared_secret_value (secret, value) VALUES (?, ?)').run(
        lastInsertRowid,
        value
      )
    })
  }

  /** Stores a secret that is no longer pending, and erases its value from the file. */
  finish(secret: SharedSecret): void {
    this.#eraseValue(secret.id)
    const sql = 'UPDATE shared_secret SET modified = ?, isPending = 0, body = ? WHERE id = ?'
    this.#run(() => statement(this.db, sql).run(secret.modified, toBody(secret), secret.id))
  }

  /** Removes a secret, and erases its value from the file. */
  remove(id: string): void {
    this.#eraseValue(id)
    this.#run(() => statement(this.db, 'DELETE FROM shared_secret WHERE id = ?').run(id))
  }

  /** Returns whether there are secrets, of an access or at all. */
  has(access?: string): boolean {
    return access === undefined
      ? column(this.db, 'SELECT 1 FROM shared_secret LIMIT 1').get() !== undefined
      : column(this.db, 'SELECT 1 FROM shared_secret WHERE access = ? LIMIT 1').get(access) !== undefined
  }

  /** Lists the accesses with secrets, each with the time of its first one in seconds. */
  listAccesses(): { readonly access: string; readonly created: number }[] {
    const sql = 'SELECT access, min(created) AS created FROM shared_secret GROUP BY access ORDER BY access'
    return statement(this.db, sql).all() as { access: string; created: number }[]
  }

  /** Lists secrets by their creation, of one access or of all. `after`: where the last page has ended. */
  listPage(options: {
    readonly access?: string | undefined
    readonly isAscending: boolean
    readonly after?: number | undefined
  }): SecretPage {
    const { access, after, isAscending } = options
    const [order, compare] = isAscending ? ['ASC', '>'] : ['DESC', '<']
    const sql = `SELECT * FROM shared_secret WHERE number ${compare} ?
      ${access === undefined ? '' : 'AND access = ?'} ORDER BY number ${order} LIMIT +?`
    const start = after ?? (isAscending ? -1 : Number.MAX_SAFE_INTEGER)
    const given = access === undefined ? [start] : [start, access]
    const rows = statement(this.db, sql).all(...given, pageSize) as Row[]
    return { secrets: rows.map(toSecret), next: rows.length < pageSize ? undefined : rows.at(-1)!.number }
  }

  /** Lists at most 100 secrets that are stored as pending although they have expired by `now`. */
  listExpired(now: number): SharedSecret[] {
    const sql = 'SELECT * FROM shared_secret WHERE isPending = 1 AND expires <= ? LIMIT 100'
    return (statement(this.db, sql).all(now) as Row[]).map(toSecret)
  }

  /** Erases a value so that not even deleted pages of the file hold it. */
  #eraseValue(id: string): void {
    const sql =
      'DELETE FROM shared_secret_value WHERE secret = (SELECT number FROM shared_secret WHERE id = ?)'
    this.#run(() => {
      this.db.pragma('secure_delete = ON')
      try {
        statement(this.db, sql).run(id)
      } finally {
        this.db.pragma('secure_delete = OFF')
      }
    })
  }

  #run(write: () => void): void {
    try {
      write()
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }
}

function toSecret({ access, body, created, expires, id, modified }: Row): SharedSecret {
  return { id, access, created, modified, expires, ...(JSON.parse(body) as SecretBody) }
}

function toBody({
  id: _i,
  access: _a,
  created: _c,
  modified: _m,
  expires: _e,
  ...body
}: SharedSecret): string {
  return JSON.stringify(body satisfies SecretBody)
}
