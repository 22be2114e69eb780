/** Accounts that may have work at certain times, and from when on a start has to look at them. */

export const timedAccounts = `
CREATE TABLE timed_account (
  account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  due REAL                             -- when its next work is due, in seconds; NULL: the next start looks
) WITHOUT ROWID;
INSERT INTO timed_account (account) SELECT account FROM webhook_account;
CREATE TABLE timed_account_note (
  shard INTEGER PRIMARY KEY,           -- index of the thread that serves the accounts
  at REAL NOT NULL,                    -- in seconds: the due times of accounts whose files have not changed since are right
  key TEXT NOT NULL                    -- what due times depend on besides: version and settings
);
`
