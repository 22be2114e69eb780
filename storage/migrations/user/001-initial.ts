/** A user's file: streams, events, accesses, sessions, bookkeeping, profile and account. */

export const initial = `
CREATE TABLE stream (
  number INTEGER PRIMARY KEY,          -- by which events refer to it
  id TEXT NOT NULL UNIQUE,
  body TEXT NOT NULL,                  -- public JSON, without children
  parentId TEXT GENERATED ALWAYS AS (ifnull(json_extract(body, '$.parentId'), '')) VIRTUAL,
  name TEXT GENERATED ALWAYS AS (json_extract(body, '$.name')) VIRTUAL
);
CREATE UNIQUE INDEX stream_sibling ON stream (parentId, name);

CREATE TABLE stream_deletion (
  id TEXT PRIMARY KEY,
  deleted REAL NOT NULL,
  path TEXT NOT NULL                   -- JSON array of ids, from the stream up to its root
) WITHOUT ROWID;
CREATE INDEX stream_deletion_deleted ON stream_deletion (deleted);

CREATE TABLE event_type (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE
);

CREATE TABLE event (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  time REAL NOT NULL,
  until REAL,                          -- end of a period, infinite while it runs; NULL for a point in time
  span INTEGER,                        -- duration class of a period (storage/event-query/spans.ts); NULL for a point
  type INTEGER NOT NULL,
  trashed INTEGER NOT NULL,
  modified REAL NOT NULL,
  stream INTEGER NOT NULL,             -- its first stream
  others TEXT,                         -- JSON array of its other streams' numbers; NULL if there are none
  large INTEGER,                       -- 1 if its body is too long to be joined blindly, else NULL
  body TEXT NOT NULL                   -- public JSON, ready to be sent
);
CREATE INDEX event_time ON event (trashed, time);
CREATE INDEX event_type_time ON event (type, trashed, time);
CREATE INDEX event_span ON event (trashed, span, time) WHERE span IS NOT NULL;
CREATE INDEX event_modified ON event (modified);
CREATE INDEX event_large ON event (large) WHERE large IS NOT NULL;

CREATE TABLE event_stream (
  stream INTEGER NOT NULL,
  trashed INTEGER NOT NULL,
  time REAL NOT NULL,
  event INTEGER NOT NULL,
  span INTEGER,
  PRIMARY KEY (stream, trashed, time, event)
) WITHOUT ROWID;
CREATE INDEX event_stream_span ON event_stream (stream, trashed, span, time) WHERE span IS NOT NULL;

CREATE TABLE event_deletion (
  id TEXT PRIMARY KEY,
  deleted REAL NOT NULL,
  paths TEXT NOT NULL                  -- JSON array: for each stream it was in, the ids from that stream up to its root
) WITHOUT ROWID;
CREATE INDEX event_deletion_deleted ON event_deletion (deleted, id);

CREATE TABLE access (
  id TEXT PRIMARY KEY,
  token TEXT NOT NULL,
  type TEXT NOT NULL,
  name TEXT NOT NULL,
  deviceName TEXT NOT NULL,            -- '' for none
  createdBy TEXT NOT NULL,
  deleted REAL,
  body TEXT NOT NULL
);
CREATE UNIQUE INDEX access_token ON access (token) WHERE deleted IS NULL;
CREATE UNIQUE INDEX access_name ON access (type, name, deviceName) WHERE deleted IS NULL;
CREATE INDEX access_deleted ON access (deleted) WHERE deleted IS NOT NULL;

CREATE TABLE session (
  access TEXT PRIMARY KEY,             -- a personal access whose token is valid
  used REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE access_use (
  access TEXT PRIMARY KEY,
  lastUsed REAL NOT NULL
) WITHOUT ROWID;

CREATE TABLE access_calls (
  access TEXT NOT NULL,
  method TEXT NOT NULL,
  count INTEGER NOT NULL,
  PRIMARY KEY (access, method)
) WITHOUT ROWID;

CREATE TABLE password (
  number INTEGER PRIMARY KEY,          -- the highest is the one in force
  hash TEXT NOT NULL,
  created REAL NOT NULL
);

CREATE TABLE account_field (
  name TEXT PRIMARY KEY,               -- email, language, appId, referer, invitationToken, …
  value TEXT NOT NULL                  -- JSON
) WITHOUT ROWID;

CREATE TABLE profile (
  name TEXT PRIMARY KEY,               -- public, private, or app:<name of the access>
  body TEXT NOT NULL
) WITHOUT ROWID;
`
