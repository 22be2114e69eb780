/** The tables of the text index, and how they are written. */
import type { Database } from 'better-sqlite3'
import type { Event } from '../../schemas/event.js'
import { noteTypePrefix, extractWords } from './event-words.js'
import { splitWords } from './words.js'

/** Maximum number of words of a text in `event_word`; longer texts are scanned, because removing each word takes time. */
const maxIndexedWords = 128

/** The tables of the index, and a view of its words. */
const textTables = `
-- The sets of streams that events with texts are in, each of them a place. After streams have been merged, there may be
-- several of one set.
CREATE TABLE event_place (
  number INTEGER PRIMARY KEY,
  stream INTEGER NOT NULL,             -- the least of their numbers
  others TEXT                          -- JSON array of the others, ascending; NULL if there are none
);
CREATE INDEX event_place_streams ON event_place (stream, others);

CREATE TABLE event_text (
  start REAL NOT NULL,                 -- time of the event
  event INTEGER NOT NULL,
  words TEXT NOT NULL,                 -- each once, folded, a blank before each
  long INTEGER,                        -- 1 if they are too many for event_word, else NULL
  place INTEGER,                       -- with which event_word has them, too; NULL if with none
  PRIMARY KEY (start, event)
) WITHOUT ROWID;
CREATE INDEX event_text_long ON event_text (long) WHERE long IS NOT NULL;
CREATE INDEX event_text_unplaced ON event_text (place) WHERE place IS NULL;

CREATE VIRTUAL TABLE event_word USING fts5 (words, content = '', tokenize = 'ascii', detail = 'none', columnsize = 0);
INSERT INTO event_word (event_word, rank) VALUES ('secure-delete', 1);
CREATE VIRTUAL TABLE event_vocabulary USING fts5vocab (event_word, instance);

-- Of events with greater numbers only those are in the index that have a row in event_text.
CREATE TABLE event_text_end (number INTEGER NOT NULL);
INSERT INTO event_text_end (number) VALUES (0);
`

export const insertSql = 'INSERT INTO event_text (start, event, words, long, place) VALUES (?, ?, ?, ?, ?)'
export const addWordsSql = 'INSERT INTO event_word (rowid, words) VALUES (?, ?)'
export const removeWordsSql = `INSERT INTO event_word (event_word, rowid, words) VALUES ('delete', ?, ?)`
export const clearWordsSql = "INSERT INTO event_word (event_word) VALUES ('delete-all')"

/** Returns the value of `event_text.long` for these words. */
export function toLongFlag(words: string): 1 | null {
  let count = 0
  for (let at = words.indexOf(' '); at >= 0 && count <= maxIndexedWords; at = words.indexOf(' ', at + 1))
    count++
  return count > maxIndexedWords ? 1 : null
}

/** Lists the words under which a text is indexed: with and without its place; none for a long text. */
export function listIndexedWords(words: string, place: number | null): string[] {
  if (toLongFlag(words)) return []
  const all = splitWords(words)
  return place === null ? all : [...all, ...all.map(word => formatPlacedWord(word, place))]
}

/** Formats a word with a place. It cannot be mistaken for a word, as none contains a dot. */
export function formatPlacedWord(word: string, place: number): string {
  return `·${place}·${word}`
}

/** Returns the word of an indexed term, with or without a place. */
export function parseWord(term: string): string {
  return term.slice(term.lastIndexOf('·') + 1)
}

/** Recreates the tables of the index, empty: their former content is not trusted. */
export function recreateTextTables(db: Database): void {
  const tables = ['event_vocabulary', 'event_word', 'event_text', 'event_text_end', 'event_place']
  for (const table of tables) db.exec(`DROP TABLE IF EXISTS ${table}`)
  db.exec(textTables)
}

/** SQL that is true if a row `e` of `event` may hold text; others are neither parsed nor stored. */
export const holdsText = `stream > 0 AND (instr(body, '"description":') > 0 OR instr(body, '"attachments":') > 0
  OR (SELECT substr(name, 1, ${noteTypePrefix.length}) FROM event_type WHERE number = e.type) = '${noteTypePrefix}')`

/** Extracts the words of an event given as text; empty if it is invalid. */
export function extractBodyWords(body: string): string {
  try {
    return extractWords(JSON.parse(body) as Event)
  } catch {
    return ''
  }
}
