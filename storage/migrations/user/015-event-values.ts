/**
 * Types and numbers in the index of streams, so that samples and counts can be computed without reading the events. The
 * whole table is written again, in its order: extending the rows one by one would take twice as long.
 */
import type { Database } from 'better-sqlite3'
import { extractNumbers, type ContentNumbers } from '../../content-numbers.js'

const table = `
CREATE TABLE event_stream_new (
  stream INTEGER NOT NULL,
  trashed INTEGER NOT NULL,
  time REAL NOT NULL,
  event INTEGER NOT NULL,
  span INTEGER,
  type INTEGER,
  home INTEGER,                        -- the event's first stream, if it is in several; NULL if this is its only one
  value REAL,                          -- its content, if that is a number
  fields TEXT,                         -- JSON of the numbers in its content, see storage/content-numbers.ts
  PRIMARY KEY (stream, trashed, time, event)
) WITHOUT ROWID;
`

/**
 * The numbers in events. Each event is read once, since it may be several megabytes long and in thousands of streams.
 * Texts of numbers are read by JavaScript, as they are when events are written: SQLite may round the last bit
 * otherwise.
 */
const values = `
CREATE TEMP TABLE event_value (event INTEGER PRIMARY KEY, value REAL, fields TEXT);
INSERT INTO event_value
SELECT e.number,
  CASE WHEN NOT json_valid(e.body) THEN NULL
    WHEN json_type(e.body, '$.content') IN ('integer', 'real') THEN value_in(e.body -> '$.content') END,
  CASE WHEN NOT json_valid(e.body) THEN NULL
    WHEN json_type(e.body, '$.content') = 'object' THEN fields_in(e.body -> '$.content') END
FROM event e;
`

const rows = `
INSERT INTO event_stream_new
SELECT l.stream, l.trashed, l.time, l.event, l.span, e.type, CASE WHEN e.others IS NOT NULL THEN e.stream END, v.value, v.fields
FROM event_stream l CROSS JOIN event e ON e.number = l.event CROSS JOIN event_value v ON v.event = l.event
ORDER BY l.stream, l.trashed, l.time, l.event;
`

const change = `
DROP TABLE event_value;
DROP TABLE event_stream;
ALTER TABLE event_stream_new RENAME TO event_stream;
CREATE INDEX event_stream_span ON event_stream (stream, trashed, span, time) WHERE span IS NOT NULL;
`

/**
 * Stores what {@link extractNumbers} returns. If that function returns more in a later version, another migration has
 * to store that.
 */
export function eventValues(db: Database): void {
  db.function('value_in', { directOnly: true }, text => numbersIn(text).value)
  db.function('fields_in', { directOnly: true }, text => numbersIn(text).fields)
  db.exec(table + values + rows + change)
}

function numbersIn(text: unknown): ContentNumbers {
  return extractNumbers(JSON.parse(text as string))
}
