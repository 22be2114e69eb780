/** What of the events of copies remains to be read from other servers: points and files. (docs/api/mirrors.md#points-and-files) */

export const mirrorParts = `
CREATE TABLE mirror_part (
  mirror TEXT NOT NULL,
  id TEXT NOT NULL,                    -- of the event of this account
  kind TEXT NOT NULL,                  -- files, points
  isDoubtful INTEGER NOT NULL,         -- 1: points that have not changed, but are to be read again, from a deltaTime on
  at REAL NOT NULL,
  next REAL,                           -- when to go on, in seconds; NULL: after the next comparison
  failures INTEGER NOT NULL,           -- in a row
  PRIMARY KEY (mirror, id, kind)
) WITHOUT ROWID;
CREATE INDEX mirror_part_next ON mirror_part (mirror, kind, next);
`
