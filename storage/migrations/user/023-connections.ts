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
  event TEXT NOT NULL                  -- id of the event that it became; a series stands for itself
) WITHOUT ROWID;

CREATE TABLE touched_points (
  number INTEGER PRIMARY KEY,
  event INTEGER NOT NULL,              -- number of the event that holds them; it may have gone
  first REAL NOT NULL,                 -- deltaTimes of the first and last point
  last REAL NOT NULL,
  isRemoved INTEGER NOT NULL           -- 1 if the user has removed them, 0 if the user has written to them
);
CREATE INDEX touched_points_event ON touched_points (event, first);
`
