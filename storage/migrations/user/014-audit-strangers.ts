/** How many calls came without a valid token in the present hour: so many of them have a record, the others are counted. */
export const auditStrangers = `
CREATE TABLE audit_strangers (
  number INTEGER PRIMARY KEY CHECK (number = 1),
  body TEXT NOT NULL                   -- JSON, see storage/audit/anonymous-callers.ts
);
`
