/** Connections: apps and devices that send data on their own, and what has arrived from each. (docs/api/connections.md) */
export const connections = `
CREATE TABLE connection (
  id TEXT PRIMARY KEY,
  access TEXT NOT NULL UNIQUE,         -- id of the access whose token it sends
  body TEXT NOT NULL,                  -- JSON, see core/connections/connection.ts
  arrivals TEXT NOT NULL               -- JSON, replaced with each request
) WITHOUT ROWID;

CREATE TABLE received_item (
  id TEXT PRIMARY KEY,                 -- derived from the item, but not from its duration
  event TEXT NOT NULL                  -- id of the event that it became
) WITHOUT ROWID;
`
