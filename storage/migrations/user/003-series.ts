/** High-frequency series: points in chunks of text below their holder events. (docs/decisions/0014-series-are-chunks-of-text.md) */

export const series = `
CREATE TABLE series (
  event INTEGER PRIMARY KEY REFERENCES event (number) ON DELETE CASCADE,
  columns TEXT NOT NULL,               -- JSON array of the names of the cells after deltaTime: only grows, at its end
  until REAL NOT NULL,                 -- greatest deltaTime
  loose INTEGER NOT NULL,              -- small chunks at the end that have not been merged yet
  written REAL NOT NULL,               -- time of the last write,
  writer TEXT NOT NULL,                -- and who did it
  behind INTEGER NOT NULL              -- 1 while the holder event does not show the last write yet
);
CREATE INDEX series_behind ON series (behind) WHERE behind = 1;

CREATE TABLE series_chunk (
  number INTEGER PRIMARY KEY,
  event INTEGER NOT NULL REFERENCES series (event) ON DELETE CASCADE,
  first REAL NOT NULL,                 -- deltaTimes of the first and last row: chunks of a series never overlap
  last REAL NOT NULL,
  count INTEGER NOT NULL,
  width INTEGER NOT NULL,              -- cells of each row, deltaTime included
  fine INTEGER NOT NULL,               -- 1 if some deltaTime is not a whole number of milliseconds
  extremes TEXT,                       -- of large chunks, as JSON: the rows with the least and greatest numbers of each column
  points TEXT NOT NULL                 -- the rows as JSON, joined by commas
);
CREATE UNIQUE INDEX series_chunk_first ON series_chunk (event, first);
`
