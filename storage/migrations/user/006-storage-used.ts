/** How much the account stores: two sums, kept by triggers. */
import { buildCountingTriggers, buildRecountSql, type CountedColumns } from '../storage-triggers.js'

export const counted: CountedColumns = {
  documents: {
    event: 'body',
    event_version: 'body',
    event_deletion: 'body',
    stream: 'body',
    access: 'body',
    webhook: 'body',
    profile: 'body',
    account_field: 'value',
    series_chunk: 'points'
  },
  attachments: { attachment: 'size' }
}

export const storageUsed = `
CREATE TABLE storage_used (
  number INTEGER PRIMARY KEY CHECK (number = 1),
  documents INTEGER NOT NULL,
  attachments INTEGER NOT NULL
);
INSERT INTO storage_used (number, documents, attachments) SELECT 1, * FROM (${buildRecountSql(counted)});
${buildCountingTriggers(counted)}
`
