/**
 * The index of texts: the words of each event, in order of time, and an index of the words.
 * (docs/decisions/0018-search-in-texts.md)
 */

/** The tables are created empty: events are indexed once the file is in use. */
export const textSearch = `
CREATE TABLE event_text (
  start REAL NOT NULL,                 -- time of the event
  event INTEGER NOT NULL,
  words TEXT NOT NULL,                 -- each once, folded, a blank before each
  long INTEGER,                        -- 1 if they are too many for event_word, else NULL
  PRIMARY KEY (start, event)
) WITHOUT ROWID;
CREATE INDEX event_text_long ON event_text (long) WHERE long IS NOT NULL;

CREATE VIRTUAL TABLE event_word USING fts5 (words, content = '', tokenize = 'ascii', detail = 'none', columnsize = 0);
INSERT INTO event_word (event_word, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE event_vocabulary USING fts5vocab (event_word, instance);

-- Of events with greater numbers only those are in the index that have a row in event_text.
CREATE TABLE event_text_end (number INTEGER NOT NULL);
INSERT INTO event_text_end (number) VALUES (0);
`
