/** The destinations to which the user has agreed that an app's access is delivered; removed with the access. */
export const accessConsent = `
CREATE TABLE access_consent (
  access TEXT NOT NULL,
  returnTo TEXT NOT NULL,              -- origin, or scheme, of where the person is sent back to; '' for nowhere
  origin TEXT NOT NULL,                -- origin of the page that asked; '' for a program
  network TEXT NOT NULL,               -- from where it asked
  agreed REAL NOT NULL,
  PRIMARY KEY (access, returnTo, origin, network)
) WITHOUT ROWID;

CREATE TRIGGER access_consent_ends AFTER UPDATE OF deleted ON access WHEN NEW.deleted IS NOT NULL BEGIN
  DELETE FROM access_consent WHERE access = NEW.id;
END;
`
