/**
 * The actions of operators: which accounts are suspended or have a quota of their own, and the activity log, to which
 * rows are only added.
 */

export const operators = `
ALTER TABLE account ADD COLUMN suspended REAL;   -- since when (seconds) an operator lets nobody use it; NULL while it is open
ALTER TABLE account ADD COLUMN quota INTEGER;    -- bytes that it may store, 0 for any number; NULL for what the settings say

CREATE TABLE operator_deed (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  time REAL NOT NULL,
  method TEXT NOT NULL,
  operator TEXT,                       -- id of the operator's account; NULL for the holder of the key
  target TEXT,                         -- id of the account concerned: its name would outlive it
  detail TEXT NOT NULL,                -- JSON: what was asked for
  error TEXT,                          -- id of the error where it was refused; NULL where it was done
  ip TEXT NOT NULL
);
CREATE TRIGGER operator_deed_stays BEFORE UPDATE ON operator_deed
BEGIN
  SELECT raise(ABORT, 'What operators did cannot be changed');
END;
`
