/** Accounts that live elsewhere now. */

export const relocation = `
ALTER TABLE account ADD COLUMN relocatedTo TEXT; -- URL of the account's new place; NULL as long as it is here
`
