/** How the service has grown, day by day, and up to which number the events of each account have been counted. */

export const growth = `
CREATE TABLE growth (
  day INTEGER PRIMARY KEY,             -- since 1970, in UTC
  events INTEGER NOT NULL DEFAULT 0,   -- added since they were counted before
  accounts INTEGER,                    -- NULL, as what follows, where nothing was measured
  documents INTEGER,                   -- bytes
  attachments INTEGER,
  previews INTEGER,
  others INTEGER
);

CREATE TABLE counted_events (
  account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
  number INTEGER NOT NULL              -- the highest of an event then
) WITHOUT ROWID;
`
