/**
 * Imports of foreign files: what they are, and what each of them has created, so that an import can be undone.
 * (docs/decisions/0019-imports.md)
 */
export const imports = `
CREATE TABLE import (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  body TEXT NOT NULL                   -- JSON, see core/imports/job.ts
);

CREATE TABLE import_event (
  event TEXT PRIMARY KEY,              -- id, also of events that have been deleted since
  import INTEGER NOT NULL REFERENCES import (number),
  attempt INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX import_event_import ON import_event (import);

CREATE TABLE import_range (
  number INTEGER PRIMARY KEY,
  event INTEGER NOT NULL,              -- number of the event that holds them; it may have gone
  first REAL NOT NULL,                 -- deltaTimes of the first and last point
  last REAL NOT NULL,
  count INTEGER NOT NULL,
  times TEXT,                          -- JSON array of all deltaTimes, where there are points of others in between
  import INTEGER NOT NULL REFERENCES import (number),
  attempt INTEGER NOT NULL
);
CREATE INDEX import_range_event ON import_range (event, first);
CREATE INDEX import_range_import ON import_range (import);

CREATE TABLE import_memory (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) WITHOUT ROWID;
`
