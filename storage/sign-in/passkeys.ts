/** The passkeys of one user. */
import type { Database } from 'better-sqlite3'
import { translateError } from '../errors.js'
import { column, statement } from '../sqlite/statements.js'

/** A passkey. Times in seconds. */
export interface StoredPasskey {
  readonly id: string
  /** The authenticator's own id of the passkey, in base64url. */
  readonly credential: string
  /** The public key in COSE format. */
  readonly key: Uint8Array
  /** The signature counter of authenticators that have one; otherwise 0. */
  readonly counter: number
  /** How browsers reach the authenticator, such as `usb`. */
  readonly transports: readonly string[]
  readonly name: string
  /** True if the passkey is synchronized between devices. */
  readonly isSynced: boolean
  readonly created: number
  /** The time of the last sign-in with the passkey; `null` if there was none. */
  readonly used: number | null
}

/** The data that a signature updates. */
export type PasskeyUse = Pick<StoredPasskey, 'counter' | 'isSynced'>

interface Row extends Omit<StoredPasskey, 'transports' | 'isSynced'> {
  readonly transports: string
  readonly isSynced: number
}

export class PasskeyRepository {
  constructor(private readonly db: Database) {}

  /** Finds a passkey by the service's id. */
  find(id: string): StoredPasskey | undefined {
    const row = statement(this.db, 'SELECT * FROM passkey WHERE id = ?').get(id) as Row | undefined
    return row && toPasskey(row)
  }

  /** Finds the passkey with an authenticator's own id. */
  findCredential(credential: string): StoredPasskey | undefined {
    const sql = 'SELECT * FROM passkey WHERE credential = ?'
    const row = statement(this.db, sql).get(credential) as Row | undefined
    return row && toPasskey(row)
  }

  /** Lists all passkeys in the order in which they were added. */
  list(): StoredPasskey[] {
    const rows = statement(this.db, 'SELECT * FROM passkey ORDER BY created, id').all() as Row[]
    return rows.map(toPasskey)
  }

  /** Number of passkeys. */
  get size(): number {
    return column(this.db, 'SELECT count(*) FROM passkey').get() as number
  }

  /** Adds a passkey. Throws `UniqueViolation` of `passkey.credential` if it exists already. */
  insert(passkey: StoredPasskey): void {
    const sql = `INSERT INTO passkey (id, credential, key, counter, transports, name, isSynced, created, used)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
    const { counter, created, credential, id, isSynced, key, name, transports, used } = passkey
    const values = [id, credential, key, counter, JSON.stringify(transports), name, Number(isSynced)]
    try {
      statement(this.db, sql).run(...values, created, used)
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }

  /** Renames a passkey, if it exists. */
  rename(id: string, name: string): void {
    statement(this.db, 'UPDATE passkey SET name = ? WHERE id = ?').run(name, id)
  }

  /** Records a sign-in at `now`, in seconds. */
  use(id: string, { counter, isSynced }: PasskeyUse, now: number): void {
    const sql = 'UPDATE passkey SET counter = ?, isSynced = ?, used = ? WHERE id = ?'
    statement(this.db, sql).run(counter, Number(isSynced), now, id)
  }

  /** Removes a passkey. Returns whether it existed. */
  remove(id: string): boolean {
    return statement(this.db, 'DELETE FROM passkey WHERE id = ?').run(id).changes > 0
  }

  /** Removes all passkeys. Returns their number. */
  removeAll(): number {
    return statement(this.db, 'DELETE FROM passkey').run().changes
  }
}

function toPasskey({ isSynced, transports, ...row }: Row): StoredPasskey {
  return { ...row, transports: JSON.parse(transports) as string[], isSynced: isSynced === 1 }
}
