/** Identities confirmed by providers, with which the user signs in. (docs/spec/identities.md) */
export const identities = `
CREATE TABLE identity (
  id TEXT PRIMARY KEY,
  issuer TEXT NOT NULL,                -- URL of who vouches for it
  subject TEXT NOT NULL,               -- what the issuer calls the person, and will never call anybody else
  provider TEXT NOT NULL,              -- its name in the settings when the identity was linked
  email TEXT,                          -- as the provider told it: to tell identities apart, and for nothing else
  created REAL NOT NULL,
  used REAL,                           -- the last sign-in (seconds); NULL if there was none
  UNIQUE (issuer, subject)
) WITHOUT ROWID;
`
