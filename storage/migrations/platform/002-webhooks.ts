/** Accounts that may have webhooks, which are notified when the service starts. */

export const webhooks = `
CREATE TABLE webhook_account (
  account TEXT PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE
) WITHOUT ROWID;
`
