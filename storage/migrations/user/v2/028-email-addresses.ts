/** What is known of an account's email addresses, besides which is the primary one. (docs/spec/accounts.md#several-addresses) */
export const emailAddresses = `
CREATE TABLE email_address (
  key TEXT PRIMARY KEY,                -- the address in the form in which addresses are compared
  address TEXT NOT NULL,
  added REAL NOT NULL,
  verified REAL,                       -- seconds; NULL while the address is pending
  method TEXT,                         -- how it was verified
  sent REAL,                           -- when a link was last requested, in seconds
  isDue INTEGER NOT NULL DEFAULT 0,    -- 1 until the requested link is sent
  tokenHash TEXT UNIQUE,               -- of the last link
  tokenExpires REAL
) WITHOUT ROWID;
`
