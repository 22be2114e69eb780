/** Proofs of keys that must not be used again. (docs/api/oauth.md#proof-of-possession) */
export const usedProofs = `
CREATE TABLE used_proof (
  hash TEXT PRIMARY KEY,               -- digest of the id of a proof, and of its key
  expires REAL NOT NULL                -- when it would be refused in any case, in seconds
) WITHOUT ROWID;
CREATE INDEX used_proof_expires ON used_proof (expires);
`
