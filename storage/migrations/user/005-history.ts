/** What remains of events: earlier versions, and what deletions leave. */

export const history = `
CREATE TABLE event_version (
  event TEXT NOT NULL,                 -- id of the event, which may be deleted by now
  modified REAL NOT NULL,
  paths TEXT NOT NULL,                 -- as in event_deletion: where it was then
  body TEXT NOT NULL,                  -- public JSON
  UNIQUE (event, modified)
);

ALTER TABLE event_deletion ADD COLUMN integrity TEXT;  -- of id and time of deletion alone, as lists show them
ALTER TABLE event_deletion ADD COLUMN body TEXT;       -- public JSON of what is left, if that is more
`
