/** The earlier states of accesses that were updated. (docs/spec/accesses.md#versions) */
import { buildCountingTriggers, type CountedColumns } from '../storage-triggers.js'

export const countedVersions: CountedColumns = { documents: { access_version: 'body' } }

export const accessVersions = `
CREATE TABLE access_version (
  access TEXT NOT NULL,                -- id of the access
  serial INTEGER NOT NULL,             -- number of the version; 0 before the first update
  body TEXT NOT NULL,                  -- JSON of the access as it was, without its token
  PRIMARY KEY (access, serial)
);
${buildCountingTriggers(countedVersions)}
`
