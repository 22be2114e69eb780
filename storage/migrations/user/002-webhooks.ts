/** Webhooks, with the messages that each still has to send. */

export const webhooks = `
CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  access TEXT NOT NULL,
  url TEXT NOT NULL,
  secret TEXT,                         -- signs what is sent; NULL for none
  owed TEXT NOT NULL,                  -- JSON array of messages that have not been sent
  sending TEXT NOT NULL,               -- JSON array of messages on their way
  body TEXT NOT NULL,                  -- public JSON
  UNIQUE (access, url)
) WITHOUT ROWID;
`
