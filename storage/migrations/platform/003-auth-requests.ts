/** Apps that ask for an access: what they ask for, and what the user decided. */

export const authRequests = `
DROP TABLE auth_request;
CREATE TABLE auth_request (
  key TEXT PRIMARY KEY,
  expires REAL NOT NULL,
  body TEXT NOT NULL,                  -- JSON: what was asked for
  decision TEXT,                       -- JSON; NULL as long as the user has not decided
  account TEXT REFERENCES account (id) ON DELETE CASCADE -- whose access was given
);
CREATE INDEX auth_request_expires ON auth_request (expires);
CREATE INDEX auth_request_account ON auth_request (account) WHERE account IS NOT NULL;
`
