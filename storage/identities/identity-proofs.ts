/** Identities that a provider has just vouched for, until they are used. All threads see them. (docs/spec/identities.md#proofs) */
import type { Database } from 'better-sqlite3'
import { digestSecret } from '../../schemas/secret-digest.js'
import { column, statement } from '../sqlite/statements.js'

/** What a provider has vouched for. */
export interface IdentityProof {
  /** Name of the provider in the settings. */
  readonly provider: string
  readonly issuer: string
  readonly subject: string
  /** Digest of the secret of the page that asked for it: nobody else may use it. */
  readonly secret: string
  readonly email?: { readonly address: string; readonly isVerified: boolean }
  /** A user name that would suit. */
  readonly username?: string
  /** Whether the provider has asked for a second factor, and is trusted to. */
  readonly hasSecondFactor: boolean
}

/** The proofs. What changes them is done by commands alone. (storage/platform/commands.ts) */
export class IdentityProofRepository {
  constructor(private readonly db: Database) {}

  /** Keeps the proof of a ticket with this digest until it expires (seconds). Beyond `limit` the oldest are removed. */
  insert(digest: string, proof: IdentityProof, now: number, expires: number, limit: number): void {
    this.removeExpired(now)
    const sql = 'INSERT INTO identity_proof (hash, expires, body) VALUES (?, ?, ?)'
    statement(this.db, sql).run(digest, expires, JSON.stringify(proof))
    const oldest = `DELETE FROM identity_proof WHERE hash IN (SELECT hash FROM identity_proof
      ORDER BY expires, hash LIMIT max(0, (SELECT count(*) FROM identity_proof) - ?))`
    statement(this.db, oldest).run(limit)
  }

  /** The proof of a ticket that is valid at `now`, for whoever has the secret; `undefined` otherwise. */
  find(ticket: string, secret: string, now: number): IdentityProof | undefined {
    const sql = 'SELECT body FROM identity_proof WHERE hash = ? AND expires > ?'
    const body = column(this.db, sql).get(digestSecret(ticket), now) as string | undefined
    const proof = body === undefined ? undefined : (JSON.parse(body) as IdentityProof)
    return proof?.secret === digestSecret(secret) ? proof : undefined
  }

  /** Removes the proof of a ticket with this digest: it is good once. Returns `false` if somebody was faster. */
  remove(digest: string): boolean {
    return statement(this.db, 'DELETE FROM identity_proof WHERE hash = ?').run(digest).changes > 0
  }

  /** Removes expired proofs. */
  removeExpired(now: number): void {
    statement(this.db, 'DELETE FROM identity_proof WHERE expires <= ?').run(now)
  }
}
