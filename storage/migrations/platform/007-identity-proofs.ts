/** Identities that a provider has just vouched for, until they are used, within minutes. (docs/spec/identities.md#proofs) */
export const identityProofs = `
CREATE TABLE identity_proof (
  hash TEXT PRIMARY KEY,               -- digest of the ticket: whoever reads the file cannot use it
  expires REAL NOT NULL,
  body TEXT NOT NULL                   -- JSON, see storage/identities/identity-proofs.ts
) WITHOUT ROWID;
CREATE INDEX identity_proof_expires ON identity_proof (expires);
`
