/** Which unique values are certain: those in doubt are looked up in the account's file. (storage/platform/unique-index.ts) */

export const uniqueFields = `
ALTER TABLE unique_field ADD COLUMN inDoubt INTEGER NOT NULL DEFAULT 0;  -- 1 while the account's file is being changed
CREATE INDEX unique_field_doubt ON unique_field (account) WHERE inDoubt = 1;
`
