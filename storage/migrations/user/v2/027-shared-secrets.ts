/** Secrets that are handed over once. (docs/spec/shared-secrets.md) */
import { buildCountingTriggers, type CountedColumns } from '../../storage-triggers.js'

export const countedSecrets: CountedColumns = {
  documents: { shared_secret: 'body', shared_secret_value: 'value' }
}

export const sharedSecrets = `
CREATE TABLE shared_secret (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  access TEXT NOT NULL,                -- id of the access that created it, which may be gone
  created REAL NOT NULL,
  modified REAL NOT NULL,
  expires REAL NOT NULL,
  isPending INTEGER NOT NULL,          -- 1 as long as it has a value
  body TEXT NOT NULL                   -- JSON, see storage/shared-secrets/shared-secret-repository.ts
);
CREATE INDEX shared_secret_access ON shared_secret (access, number);
CREATE INDEX shared_secret_expires ON shared_secret (expires) WHERE isPending = 1;

CREATE TABLE shared_secret_value (     -- of pending secrets; erased with the first use
  secret INTEGER PRIMARY KEY,          -- number of the secret
  value TEXT NOT NULL                  -- see core/shared-secrets/sealing.ts
);
${buildCountingTriggers(countedSecrets)}
`
