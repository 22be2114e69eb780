/**
 * Counts calls without a valid token in the current hour: the first calls of an hour have a record each, the others are
 * only counted.
 */
export const auditStrangers = `
CREATE TABLE audit_strangers (
  number INTEGER PRIMARY KEY CHECK (number = 1),
  body TEXT NOT NULL                   -- JSON, see storage/audit/anonymous-callers.ts
);
`
