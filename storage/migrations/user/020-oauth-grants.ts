/** OAuth clients that hold an access, and the refresh tokens by which they prolong it. (docs/api/oauth.md) */
export const oauthGrants = `
CREATE TABLE oauth_grant (
  number INTEGER PRIMARY KEY,
  access TEXT NOT NULL,
  family TEXT UNIQUE,                  -- digest of what its refresh tokens have in common; NULL if there are none
  refresh TEXT,                        -- digest of the refresh token in force
  expires REAL,                        -- until when it can be used, in seconds
  body TEXT NOT NULL                   -- JSON, see storage/oauth/oauth-grants.ts
);
CREATE INDEX oauth_grant_access ON oauth_grant (access);

CREATE TRIGGER oauth_grant_ends AFTER UPDATE OF deleted ON access WHEN NEW.deleted IS NOT NULL BEGIN
  DELETE FROM oauth_grant WHERE access = NEW.id;
END;
`
