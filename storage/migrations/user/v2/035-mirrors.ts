/** Mirrors: read-only copies of what others let this account see. (docs/api/mirrors.md) */

export const mirrors = `
CREATE TABLE mirror (
  id TEXT PRIMARY KEY,
  access TEXT NOT NULL,                -- id of the access that the other person holds
  next REAL,                           -- when there is something to do, in seconds; NULL once the copy is erased
  body TEXT NOT NULL,                  -- JSON, see schemas/mirrors/mirror.ts
  progress TEXT NOT NULL               -- JSON, see core/mirrors/progress.ts
) WITHOUT ROWID;
CREATE INDEX mirror_access ON mirror (access);
CREATE INDEX mirror_next ON mirror (next) WHERE next IS NOT NULL;

CREATE TABLE mirror_event (            -- the events of the copies
  mirror TEXT NOT NULL,
  id TEXT NOT NULL,                    -- of the event of this account
  version TEXT NOT NULL,               -- hash of what decides whether the copy is up to date
  pass INTEGER NOT NULL,               -- number of the comparison in which the event was last seen
  PRIMARY KEY (mirror, id)
) WITHOUT ROWID;
CREATE INDEX mirror_event_pass ON mirror_event (mirror, pass);

CREATE TABLE mirror_read (             -- what was read of copies, until their owners are told
  mirror TEXT NOT NULL,
  day INTEGER NOT NULL,                -- days since 1970, in UTC
  reader TEXT NOT NULL,                -- name of the app; empty for the account itself
  stream TEXT NOT NULL,                -- id of the stream there; empty for calls that have read several
  calls INTEGER NOT NULL,
  events INTEGER NOT NULL,             -- as far as their number is known
  PRIMARY KEY (mirror, day, reader, stream)
) WITHOUT ROWID;

CREATE TABLE mirror_kept (             -- copies that others keep of this account
  access TEXT PRIMARY KEY,             -- id of the access with which they read
  body TEXT NOT NULL                   -- JSON, see schemas/mirrors/kept-copy.ts
) WITHOUT ROWID;
`
