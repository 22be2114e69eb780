/** What peers of removed accounts are still to be told: that the account, and with it their access, has ended. */

export const farewells = `
CREATE TABLE farewell (
  id TEXT PRIMARY KEY,                 -- of the event at the peer
  username TEXT NOT NULL,              -- the former account's, by which its shard is found
  endpoint TEXT NOT NULL,              -- of the peer, with the token that it has given
  event TEXT NOT NULL,                 -- what to post there, as JSON
  created REAL NOT NULL,               -- in seconds
  attempts INTEGER NOT NULL,
  next REAL NOT NULL                   -- when to try again, in seconds
) WITHOUT ROWID;
CREATE INDEX farewell_next ON farewell (next);
`
