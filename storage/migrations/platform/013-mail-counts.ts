/** How many links have lately been sent to each email address, by whichever account. */

export const mailCounts = `
CREATE TABLE mail_count (
  digest TEXT PRIMARY KEY,             -- of the address
  count INTEGER NOT NULL,
  ends REAL NOT NULL                   -- when the count begins again, in seconds
) WITHOUT ROWID;
CREATE INDEX mail_count_ends ON mail_count (ends);
`
