/**
 * Summaries of the large chunks of series, for charts. Summaries of existing chunks, which may be gigabytes, are
 * computed when they are first requested.
 */
export const seriesSummaries = `
CREATE TABLE series_summary (
  chunk INTEGER PRIMARY KEY REFERENCES series_chunk (number) ON DELETE CASCADE,
  last REAL NOT NULL,                  -- as of the chunk: nothing here that does not follow from it
  count INTEGER NOT NULL,
  extremes TEXT NOT NULL,              -- JSON, see storage/series/summary.ts
  measures TEXT NOT NULL,
  parts TEXT
);
`
