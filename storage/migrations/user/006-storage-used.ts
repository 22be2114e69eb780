/** How much the account stores: two sums, kept by triggers. */
import { countingTriggers, recountOf, type Counted } from '../storage-triggers.js'

export const counted: Counted = {
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
INSERT INTO storage_used (number, documents, attachments) SELECT 1, * FROM (${recountOf(counted)});
${countingTriggers(counted)}
`
