/** Passkeys: public keys that sign a user in. (docs/spec/passkeys.md) */

export const passkeys = `
CREATE TABLE passkey (
  id TEXT PRIMARY KEY,
  credential TEXT NOT NULL UNIQUE,     -- the authenticator's own id of it, base64url
  key BLOB NOT NULL,                   -- public key, COSE
  counter INTEGER NOT NULL,            -- signatures so far, of authenticators that count; else 0
  transports TEXT NOT NULL,            -- JSON array: how browsers reach the authenticator
  name TEXT NOT NULL,
  isSynced INTEGER NOT NULL,           -- whether it is kept on several devices
  created REAL NOT NULL,               -- seconds
  used REAL                            -- last sign-in, seconds
) WITHOUT ROWID;
`
