/** What exports are made of: pieces of text, produced as the client takes them. */
import type { Reader } from '../call/reader.js'

/** Who reads at the moment. Whatever produces pieces looks here each time that it reads, and keeps nothing of it. */
export interface Turn {
  reader: Reader
  /** Events read since the last page. */
  count: number
}

/** Pieces of a text, none of which splits a surrogate pair. An empty one lets others get on. */
export type Pieces = Generator<string, void, undefined>
