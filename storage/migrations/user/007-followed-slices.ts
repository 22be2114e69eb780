/** Slices of other accounts that the user follows. */
import { buildCountingTriggers, type CountedColumns } from '../storage-triggers.js'

export const countedSlices: CountedColumns = { documents: { followed_slice: 'body' } }

export const followedSlices = `
CREATE TABLE followed_slice (
  id TEXT PRIMARY KEY,
  body TEXT NOT NULL,                  -- public JSON
  name TEXT GENERATED ALWAYS AS (json_extract(body, '$.name')) VIRTUAL,
  url TEXT GENERATED ALWAYS AS (json_extract(body, '$.url')) VIRTUAL,
  accessToken TEXT GENERATED ALWAYS AS (json_extract(body, '$.accessToken')) VIRTUAL
) WITHOUT ROWID;
CREATE UNIQUE INDEX followed_slice_name ON followed_slice (name);
CREATE UNIQUE INDEX followed_slice_url ON followed_slice (url, accessToken);
${buildCountingTriggers(countedSlices)}
`
