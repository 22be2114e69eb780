/**
 * Summaries of the large chunks of series, for charts. Those of chunks that are there already, which may be gigabytes, are
 * made when they are first asked for.
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
