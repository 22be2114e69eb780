/** The former names of accounts: they keep leading to the account, and no one else can take them. */

export const usernames = `
CREATE TABLE former_username (
  name TEXT PRIMARY KEY,
  account TEXT NOT NULL REFERENCES account (id) ON DELETE CASCADE,
  number INTEGER NOT NULL,             -- 1 for the name that the account began with, by which it belongs to a shard
  changed REAL NOT NULL,               -- when (seconds) the account got its next name
  UNIQUE (account, number)
) WITHOUT ROWID;
`
