/** What exports are made of: chunks of text, produced as the client takes them. */
import type { Reader } from '../call/reader.js'
import { isHighSurrogate } from '../json/json-text.js'

/** The current reader. Generators read it again before each access to the store, and keep nothing of it. */
export interface ReadContext {
  reader: Reader
  /** Events and data points read since the last page. */
  count: number
  /** Whether a large event is in memory until its last chunk has been taken. */
  isHolding?: boolean
  /** Whether the large event must be written without yielding, since too many others are in memory. */
  mustWriteAtOnce?: boolean
}

/** Chunks of text, none of which splits a surrogate pair. An empty one lets other work run. */
export type Chunks = Generator<string, void, undefined>

/** Maximum length of a chunk, in characters. */
export const chunkSize = 32 * 1024

/** Cuts a text into chunks of at most `size` characters. */
export function* cutText(text: string, size = chunkSize): Chunks {
  for (let from = 0; from < text.length;) {
    const to = findPieceEnd(text, from, size)
    yield text.slice(from, to)
    from = to
  }
}

/** Truncates text to `max` characters, ending in an ellipsis. The result keeps nothing else in memory. */
export function truncate(text: string, max: number): string {
  if (text.length <= max) return text
  return Buffer.from(`${text.slice(0, findPieceEnd(text, 0, max - 1))}…`).toString()
}

function findPieceEnd(text: string, from: number, size: number): number {
  const to = Math.min(from + size, text.length)
  return to < text.length && isHighSurrogate(text.charCodeAt(to - 1)) ? to - 1 : to
}
