/** The one file that all accounts share: names, unique fields, the state of each account. Every commit of it is synced. */
import type { Database } from 'better-sqlite3'
import { translated } from './errors.js'
import { platformMigrations } from './migrations/platform/index.js'
import { openFile } from './open.js'
import { column, statement } from './statements.js'

export type AccountState = 'creating' | 'active' | 'deleting'

/** An account, as the platform knows it. */
export interface Account {
  readonly id: string
  readonly username: string
  readonly state: AccountState
  /** Seconds. */
  readonly created: number
}

export class PlatformStore {
  readonly #db: Database

  constructor(file: string) {
    this.#db = openFile(file, { migrations: platformMigrations, create: true, synchronous: 'FULL' })
  }

  find(username: string): Account | undefined {
    return statement(this.#db, 'SELECT * FROM account WHERE username = ?').get(username) as
      Account | undefined
  }

  /** Accounts in a state other than `active`: what was begun and has to be finished or undone. */
  listUnfinished(): Account[] {
    return statement(this.#db, "SELECT * FROM account WHERE state <> 'active'").all() as Account[]
  }

  /** The name of the account that holds this value of a unique field. */
  findByUnique(name: string, value: string): string | undefined {
    const sql = 'SELECT username FROM unique_field JOIN account ON account = id WHERE name = ? AND value = ?'
    return column(this.#db, sql).get(name, value) as string | undefined
  }

  /** Claims a name and unique fields, all or none. Answers the fields that were taken already: empty when claimed. */
  claim(account: Account, unique: Readonly<Record<string, string>>): string[] {
    return this.#write(() => {
      const taken = this.find(account.username) ? ['username'] : []
      for (const [name, value] of Object.entries(unique))
        if (this.findByUnique(name, value) !== undefined) taken.push(name)
      if (taken.length > 0) return taken
      const { id, username, state, created } = account
      statement(this.#db, 'INSERT INTO account (id, username, state, created) VALUES (?, ?, ?, ?)').run(
        id,
        username,
        state,
        created
      )
      for (const [name, value] of Object.entries(unique))
        statement(this.#db, 'INSERT INTO unique_field (name, value, account) VALUES (?, ?, ?)').run(
          name,
          value,
          id
        )
      return []
    })
  }

  setState(id: string, state: AccountState): void {
    this.#write(() => statement(this.#db, 'UPDATE account SET state = ? WHERE id = ?').run(state, id))
  }

  /** Removes an account's row and its unique fields: the name is free again. */
  remove(id: string): void {
    this.#write(() => statement(this.#db, 'DELETE FROM account WHERE id = ?').run(id))
  }

  close(): void {
    this.#db.close()
  }

  #write<T>(work: () => T): T {
    try {
      return this.#db.transaction(work).immediate()
    } catch (error) {
      throw translated(error, this.#db.name)
    }
  }
}
