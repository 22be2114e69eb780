/** Invitations. Each lets one person register while registration is closed. (docs/spec/registration.md#invitations) */
import type { Database } from 'better-sqlite3'
import { statement } from '../sqlite/statements.js'

export interface Invitation {
  readonly token: string
  /** Seconds. */
  readonly created: number
  readonly createdBy: string
  readonly description: string
}

/** An invitation with its use. */
export interface StoredInvitation extends Invitation {
  /** Seconds. */
  readonly consumed: number | null
  /** A user name; `null` also if that account is gone. */
  readonly consumedBy: string | null
}

/** Who used an invitation and when: together they distinguish a registration from a later one with the same name. */
interface InvitationUse {
  readonly username: string
  /** Seconds. */
  readonly created: number
}

/** The invitations. Changed by commands only. (storage/platform/commands.ts) */
export class InvitationRepository {
  constructor(private readonly db: Database) {}

  /** Adds an invitation. Throws if its token exists. */
  insert({ token, created, createdBy, description }: Invitation): void {
    const sql = 'INSERT INTO invitation (token, created, createdBy, description) VALUES (?, ?, ?, ?)'
    statement(this.db, sql).run(token, created, createdBy, description)
  }

  /** Adds invitations, except those whose token exists. Returns the tokens that exist. */
  insertFree(invitations: readonly Invitation[]): string[] {
    return invitations.flatMap(invitation => {
      if (this.exists(invitation.token)) return [invitation.token]
      this.insert(invitation)
      return []
    })
  }

  /** All invitations, latest first. */
  list(): StoredInvitation[] {
    return statement(
      this.db,
      'SELECT * FROM invitation ORDER BY created DESC, token'
    ).all() as StoredInvitation[]
  }

  /** Returns whether there is an invitation with a token, used or not. */
  exists(token: string): boolean {
    return statement(this.db, 'SELECT 1 FROM invitation WHERE token = ?').get(token) !== undefined
  }

  /** Whether an invitation exists and is unused. */
  isUnused(token: string): boolean {
    const sql = 'SELECT 1 FROM invitation WHERE token = ? AND consumed IS NULL'
    return statement(this.db, sql).get(token) !== undefined
  }

  /** Marks an invitation as used. Does not check that it is unused. */
  consume(
    token: string,
    { username, created }: { readonly username: string | null; readonly created: number }
  ): void {
    const sql = 'UPDATE invitation SET consumed = ?, consumedBy = ? WHERE token = ?'
    statement(this.db, sql).run(created, username, token)
  }

  /** Erases who used an invitation; it stays used. */
  eraseUser({ username }: InvitationUse): void {
    statement(this.db, 'UPDATE invitation SET consumedBy = NULL WHERE consumedBy = ?').run(username)
  }

  /** Makes the invitation of a failed registration usable again. */
  release({ username, created }: InvitationUse): void {
    const sql =
      'UPDATE invitation SET consumed = NULL, consumedBy = NULL WHERE consumedBy = ? AND consumed = ?'
    statement(this.db, sql).run(username, created)
  }

  /** Adds invitations that were saved from another file, with their use, except those whose token exists. */
  restore(invitations: readonly StoredInvitation[]): void {
    for (const invitation of invitations) {
      if (this.exists(invitation.token)) continue
      this.insert(invitation)
      const { consumed, consumedBy, token } = invitation
      if (consumed !== null) this.consume(token, { username: consumedBy, created: consumed })
    }
  }
}
