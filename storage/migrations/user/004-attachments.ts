/** Attachments of events. Their bytes are separate files. */

export const attachments = `
CREATE TABLE attachment (
  id TEXT PRIMARY KEY,
  event INTEGER NOT NULL REFERENCES event (number) ON DELETE CASCADE,
  size INTEGER NOT NULL                -- bytes
) WITHOUT ROWID;
CREATE INDEX attachment_event ON attachment (event);

CREATE TABLE orphan (
  id TEXT PRIMARY KEY                  -- an attachment that no event has any more; its bytes are still to be removed
) WITHOUT ROWID;
`
