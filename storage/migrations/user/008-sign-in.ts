/** What signing in needs beside passwords: one-time tokens, and the state of the second factor. */

export const signIn = `
CREATE TABLE sign_in_token (
  hash TEXT PRIMARY KEY,               -- digest of the token: whoever reads the file cannot use it
  kind TEXT NOT NULL,                  -- what it is good for
  expires REAL NOT NULL,
  body TEXT NOT NULL                   -- JSON
) WITHOUT ROWID;

CREATE TABLE sign_in_state (
  name TEXT PRIMARY KEY,
  body TEXT NOT NULL                   -- JSON
) WITHOUT ROWID;
`
