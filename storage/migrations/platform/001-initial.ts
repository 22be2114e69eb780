/** The platform file: which accounts there are, and what must be unique or known across them. */

export const initial = `
CREATE TABLE account (
  id TEXT PRIMARY KEY,
  username TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL CHECK (state IN ('creating', 'active', 'deleting')),
  created REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE unique_field (
  name TEXT NOT NULL,                  -- e.g. email
  value TEXT NOT NULL,
  account TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  PRIMARY KEY (name, value)
) WITHOUT ROWID;
CREATE INDEX unique_field_account ON unique_field (account);

CREATE TABLE auth_request (
  key TEXT PRIMARY KEY,
  expires REAL NOT NULL,
  body TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX auth_request_expires ON auth_request (expires);

CREATE TABLE secret (
  name TEXT PRIMARY KEY,               -- what it is for
  value TEXT NOT NULL                  -- random, base64url
) WITHOUT ROWID;

CREATE TABLE invitation (
  token TEXT PRIMARY KEY,
  created REAL NOT NULL,
  createdBy TEXT NOT NULL,
  description TEXT NOT NULL,
  consumed REAL,
  consumedBy TEXT
) WITHOUT ROWID;
`
