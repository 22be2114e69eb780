/** Rules, which tell people when a condition is met. (docs/api/rules.md) */

export const rules = `
CREATE TABLE rule (
  id TEXT PRIMARY KEY,
  access TEXT NOT NULL,                -- id of the access that created it
  body TEXT NOT NULL,                  -- JSON, see schemas/rule.ts
  state TEXT NOT NULL                  -- JSON, see RuleState in schemas/rule.ts
) WITHOUT ROWID;
`
