/** When accounts are to be deleted at the wish of their owners. */

export const accountDeletion = `
ALTER TABLE account ADD COLUMN deletion REAL;    -- when (seconds) it is to be deleted, closed until then; NULL while it is open
CREATE INDEX account_deletion ON account (deletion) WHERE deletion IS NOT NULL;
`
