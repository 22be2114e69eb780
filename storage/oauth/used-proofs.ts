/** Proofs and assertions that have been used: each is valid once. (docs/api/oauth.md#proof-of-possession) */
import type { Database } from 'better-sqlite3'
import { digestSecret } from '../../schemas/secret-digest.js'
import { column, statement } from '../sqlite/statements.js'

/** The result of using a proof: `full` if too many are remembered already. */
export type ProofUse = 'first' | 'used' | 'full'

/** A proof that is being used. */
export interface UsedProof {
  /** What distinguishes it from all others: its id, and who made it. */
  readonly key: string
  /** Until when it has to be remembered, in seconds. */
  readonly expires: number
}

export class UsedProofRepository {
  constructor(private readonly db: Database) {}

  /** Records the use of a proof, unless it was used before or `limit` proofs are remembered. Forgets those expired at `now`. */
  use({ expires, key }: UsedProof, now: number, limit: number): ProofUse {
    this.removeExpired(now)
    const hash = digestSecret(key)
    if (column(this.db, 'SELECT 1 FROM used_proof WHERE hash = ?').get(hash) !== undefined) return 'used'
    if ((column(this.db, 'SELECT count(*) FROM used_proof').get() as number) >= limit) return 'full'
    statement(this.db, 'INSERT INTO used_proof (hash, expires) VALUES (?, ?)').run(hash, expires)
    return 'first'
  }

  /** Forgets the proofs that have expired at `now` (seconds). */
  removeExpired(now: number): void {
    statement(this.db, 'DELETE FROM used_proof WHERE expires <= ?').run(now)
  }
}
