/** What limits deliveries to others: recent notifications by target, and a pause after a restore. (docs/api/channels.md#delivery) */

export const deliveries = `
CREATE TABLE channel_use (             -- one row for each notification of the last hour
  number INTEGER PRIMARY KEY,
  target TEXT NOT NULL,                -- digest of where it went
  time REAL NOT NULL                   -- seconds
);
CREATE INDEX channel_use_target ON channel_use (target, time);

CREATE TABLE delivery_pause (          -- one row while the account sends nothing to peers and channels
  since REAL NOT NULL                  -- seconds
);
`
