/** The growth of the service by day, and the number of the last counted event of each account. */

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
