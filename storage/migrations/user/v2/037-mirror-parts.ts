/** What of the events of copies remains to be read from other servers: points and files. (docs/api/mirrors.md#points-and-files) */

export const mirrorParts = `
CREATE TABLE mirror_part (
  mirror TEXT NOT NULL,
  id TEXT NOT NULL,                    -- of the event of this account
  what INTEGER NOT NULL,               -- sum of 1: points have changed, 2: points are to be read again, 4: files
  at REAL NOT NULL,                    -- deltaTime from which points are read again
  next REAL,                           -- when to go on, in seconds; NULL: after the next comparison
  failures INTEGER NOT NULL,           -- in a row
  PRIMARY KEY (mirror, id)
) WITHOUT ROWID;
CREATE INDEX mirror_part_next ON mirror_part (mirror, next);
`
