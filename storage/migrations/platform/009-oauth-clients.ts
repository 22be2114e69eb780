/** OAuth clients that have registered themselves. (docs/api/oauth.md#registering-a-client) */
export const oauthClients = `
CREATE TABLE oauth_client (
  id TEXT PRIMARY KEY,
  used REAL NOT NULL,                  -- when it was last used, or made, in seconds
  body TEXT NOT NULL                   -- JSON, without its secret: only a digest of that
) WITHOUT ROWID;
CREATE INDEX oauth_client_used ON oauth_client (used);
`
