/** Reminders, and each time at which one was due. (docs/api/reminders.md) */

export const reminders = `
CREATE TABLE reminder (
  id TEXT PRIMARY KEY,
  access TEXT NOT NULL,                -- id of the access that created it
  next REAL,                           -- when it is next due by its schedule, in seconds; NULL if never
  body TEXT NOT NULL                   -- JSON, see schemas/plans/reminder.ts
) WITHOUT ROWID;
CREATE INDEX reminder_next ON reminder (next) WHERE next IS NOT NULL;

CREATE TABLE reminder_occurrence (
  reminder TEXT NOT NULL,
  due REAL NOT NULL,                   -- seconds, as all times here
  day INTEGER NOT NULL,                -- days since 1970, in the zone of the reminder
  state TEXT NOT NULL,                 -- open, later, done, skipped
  answered REAL,
  event TEXT,                          -- id of the event that "done" has created
  told INTEGER NOT NULL,               -- number of times that the user was told
  repeats INTEGER NOT NULL,            -- how often it may be told again
  next REAL,                           -- when to tell next; NULL if never
  PRIMARY KEY (reminder, due)
) WITHOUT ROWID;
CREATE INDEX reminder_occurrence_next ON reminder_occurrence (next) WHERE next IS NOT NULL;
`
