/** Forms: questionnaires that users answer. (docs/api/forms.md) */

export const forms = `
CREATE TABLE form (
  id TEXT PRIMARY KEY,
  access TEXT NOT NULL,                -- id of the access that created it
  body TEXT NOT NULL                   -- JSON, see schemas/plans/form.ts
) WITHOUT ROWID;
`
