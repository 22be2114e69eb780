/**
 * Identities that a provider has just confirmed, until they are used. All threads share them.
 * (docs/spec/identities.md#proofs)
 */
import type { Database } from 'better-sqlite3'
import { digestSecret } from '../../schemas/secret-digest.js'
import { column, statement } from '../sqlite/statements.js'

/** An identity that a provider has confirmed. */
export interface IdentityProof {
  /** Name of the provider in the settings. */
  readonly provider: string
  readonly issuer: string
  readonly subject: string
  /** Digest of the secret of the page that requested the proof: only that page may use it. */
  readonly secret: string
  readonly email?: { readonly address: string; readonly isVerified: boolean }
  /** A suggested user name. */
  readonly username?: string
  /** True if the provider has asked for a second factor, and is trusted to. */
  readonly hasSecondFactor: boolean
}

/** The proofs. Changed by commands only. (storage/platform/commands.ts) */
export class IdentityProofRepository {
  constructor(private readonly db: Database) {}

  /**
   * Stores the proof of a ticket with this digest. `expires`: the time at which it expires, in seconds. If there are more
   * than `limit` proofs, removes the oldest.
   */
  insert(digest: string, proof: IdentityProof, now: number, expires: number, limit: number): void {
    this.removeExpired(now)
    const sql = 'INSERT INTO identity_proof (hash, expires, body) VALUES (?, ?, ?)'
    statement(this.db, sql).run(digest, expires, JSON.stringify(proof))
    const oldest = `DELETE FROM identity_proof WHERE hash IN (SELECT hash FROM identity_proof
      ORDER BY expires, hash LIMIT max(0, (SELECT count(*) FROM identity_proof) - ?))`
    statement(this.db, oldest).run(limit)
  }

  /** Finds the proof of a ticket that is valid at `now` by the page's secret; `undefined` otherwise. */
  find(ticket: string, secret: string, now: number): IdentityProof | undefined {
    const sql = 'SELECT body FROM identity_proof WHERE hash = ? AND expires > ?'
    const body = column(this.db, sql).get(digestSecret(ticket), now) as string | undefined
    const proof = body === undefined ? undefined : (JSON.parse(body) as IdentityProof)
    return proof?.secret === digestSecret(secret) ? proof : undefined
  }

  /**
   * Removes the proof of a ticket with this digest, which can be used once. Returns `false` if the proof has been used
   * already.
   */
  remove(digest: string): boolean {
    return statement(this.db, 'DELETE FROM identity_proof WHERE hash = ?').run(digest).changes > 0
  }

  /** Removes expired proofs. */
  removeExpired(now: number): void {
    statement(this.db, 'DELETE FROM identity_proof WHERE expires <= ?').run(now)
  }
}
