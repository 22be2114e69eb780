/** Channels, where notifications go, and the messages for them. (docs/api/channels.md) */

export const channels = `
CREATE TABLE channel (
  id TEXT PRIMARY KEY,
  access TEXT NOT NULL,                -- id of the access that created it
  body TEXT NOT NULL,                  -- JSON, see schemas/channel.ts
  secrets TEXT NOT NULL                -- JSON: tokens and keys, which are never shown
) WITHOUT ROWID;

CREATE TABLE channel_message (         -- one row for each message and channel
  number INTEGER PRIMARY KEY,
  key TEXT NOT NULL,                   -- of the message, unique in the account
  channel TEXT NOT NULL,
  queued REAL NOT NULL,                -- seconds, as all times here
  state TEXT NOT NULL,                 -- waiting, delivered, failed, or held back by the hourly limit
  attempts INTEGER NOT NULL,
  last REAL,                           -- time of the last attempt
  next REAL,                           -- time of the next attempt; NULL once there is none
  error TEXT,                          -- JSON: why the last attempt failed
  body TEXT NOT NULL                   -- JSON, see core/channels/queue-message.ts
);
CREATE UNIQUE INDEX channel_message_key ON channel_message (key, channel);
CREATE INDEX channel_message_channel ON channel_message (channel, number);
CREATE INDEX channel_message_next ON channel_message (next) WHERE next IS NOT NULL;
`
