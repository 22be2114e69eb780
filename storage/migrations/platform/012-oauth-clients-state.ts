/**
 * What operators have decided about OAuth clients, and proofs and assertions that must not be used again.
 * (docs/api/oauth.md#clients)
 */
export const oauthClientStates = `
CREATE TABLE oauth_client_state (
  client TEXT PRIMARY KEY,
  body TEXT NOT NULL                   -- JSON, see storage/oauth/oauth-clients.ts
) WITHOUT ROWID;

CREATE TABLE used_proof (
  hash TEXT PRIMARY KEY,               -- digest of the id of a proof, and of who made it
  expires REAL NOT NULL                -- when it would be refused in any case, in seconds
) WITHOUT ROWID;
CREATE INDEX used_proof_expires ON used_proof (expires);
`
