/** Accounts that may have webhooks: those to look into at a start. */

export const webhooks = `
CREATE TABLE webhook_account (
  account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE
) WITHOUT ROWID;
`
