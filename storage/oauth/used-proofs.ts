/** Proofs and assertions that have been used: each is valid once. (docs/api/oauth.md#proof-of-possession) */
import type { Database } from 'better-sqlite3'
import { digestSecret } from '../../schemas/secret-digest.js'
import { column, statement } from '../sqlite/statements.js'

/** The result of using a proof: `full` if too many are remembered already. */
type ProofUse = 'first' | 'used' | 'full'

/** A proof that is being used. */
export interface UsedProof {
  /** What distinguishes it from all others: its id, and who made it. */
  readonly key: string
  /** Until when it has to be remembered, in seconds. */
  readonly expires: number
  /** Who made it; others do not have to give way to them. */
  readonly owner?: string
  /** Maximum number of proofs of this owner that are remembered. */
  readonly share?: number
}

/** Length of the part of a hash that stands for the owner, in characters. */
const ownerLength = 22

export class UsedProofRepository {
  constructor(private readonly db: Database) {}

  /**
   * Records the use of a proof, unless it was used before, or `limit` proofs are remembered, or too many of its owner. Forgets those
   * expired at `now`.
   */
  use({ expires, key, owner, share = Infinity }: UsedProof, now: number, limit: number): ProofUse {
    this.removeExpired(now)
    // Proofs of one owner are beside each other, so that they can be counted.
    const prefix = owner === undefined ? '' : `${digestSecret(owner).slice(0, ownerLength)} `
    const hash = prefix + digestSecret(key)
    const known = column(this.db, 'SELECT 1 FROM used_proof WHERE hash = ?').get(hash)
    if (known !== undefined) return 'used'
    if ((column(this.db, 'SELECT count(*) FROM used_proof').get() as number) >= limit) return 'full'
    if (prefix !== '' && this.#count(prefix) >= share) return 'full'
    statement(this.db, 'INSERT INTO used_proof (hash, expires) VALUES (?, ?)').run(hash, expires)
    return 'first'
  }

  #count(prefix: string): number {
    const sql = 'SELECT count(*) FROM used_proof WHERE hash >= ? AND hash < ?'
    return column(this.db, sql).get(prefix, `${prefix}~`) as number
  }

  /** Forgets the proofs that have expired at `now` (seconds). */
  removeExpired(now: number): void {
    statement(this.db, 'DELETE FROM used_proof WHERE expires <= ?').run(now)
  }
}
