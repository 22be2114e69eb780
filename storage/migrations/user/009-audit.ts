/**
 * The audit: a record for each call, each bound to the one before it by a hash. Records are found by their time, and by
 * blocks of them: an index entry for each record would cost as much to write as the record itself.
 */
export const audit = `
CREATE TABLE audit_word (
  number INTEGER PRIMARY KEY,          -- by which records refer to it
  text TEXT NOT NULL UNIQUE            -- access-<access id> or action-<method id>
);

CREATE TABLE audit_record (
  at INTEGER PRIMARY KEY,              -- time in microseconds, growing strictly
  access INTEGER NOT NULL,
  action INTEGER NOT NULL,
  detail TEXT NOT NULL,                -- JSON array, see storage/audit/record.ts
  hash BLOB NOT NULL                   -- SHA-256 over the hash before it and this record
);

CREATE TABLE audit_block (             -- where the records of a word are: it occurs between these times
  word INTEGER NOT NULL,
  until INTEGER NOT NULL,
  since INTEGER NOT NULL,
  PRIMARY KEY (word, until)
) WITHOUT ROWID;

CREATE TABLE audit_state (
  number INTEGER PRIMARY KEY CHECK (number = 1),
  at INTEGER NOT NULL,                 -- time and hash of the last record that has been removed:
  hash BLOB NOT NULL,                  -- the first one that is left is bound to it
  indexed INTEGER NOT NULL             -- time of the last record that belongs to a block
);
INSERT INTO audit_state (number, at, hash, indexed) VALUES (1, 0, X'', 0);
`
