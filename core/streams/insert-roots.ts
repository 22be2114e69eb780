/** Inserts streams that are not stored among the roots of the tree, which is JSON text already. */
import type { Static } from 'typebox'
import type { StreamTree } from '../../schemas/stream.js'
import type { Reader } from '../call/reader.js'
import { JsonText, type TextListing } from '../json/json-text.js'

type Tree = Static<typeof StreamTree>

/** Streams to insert before the first root, and after the last one. Their ids and names must be ASCII. */
export interface InsertedRoots {
  readonly first: readonly Tree[]
  readonly last: readonly Tree[]
}

/** Returns the roots with others inserted; the same object if there are none. */
export function insertRoots(
  roots: JsonText | TextListing<Reader>,
  { first, last }: InsertedRoots
): JsonText | TextListing<Reader> {
  if (first.length + last.length === 0) return roots
  const before = (text: string): string => insertFirst(text, first)
  const after = (text: string): string => insertLast(text, last)
  // The added text is ASCII: the excess does not change.
  if (roots instanceof JsonText) return new JsonText(after(before(roots.text)), roots.excess)
  let hasBegun = false
  return {
    isText: true,
    set present(present: TextListing<Reader>['present']) {
      roots.present = present
    },
    next(reader) {
      const page = roots.next(reader)
      const begun = hasBegun ? page.text : before(page.text)
      hasBegun = true
      return { ...page, text: page.done ? after(begun) : begun }
    }
  }
}

/** Inserts streams at the beginning of a list, of which the text holds at least the opening bracket. */
function insertFirst(text: string, added: readonly Tree[]): string {
  if (added.length === 0) return text
  const others = text.slice(1)
  return `[${formatItems(added)}${others === ']' ? '' : ','}${others}`
}

/** Inserts streams at the end of a list, of which the text holds at least the closing bracket. */
function insertLast(text: string, added: readonly Tree[]): string {
  if (added.length === 0) return text
  const others = text.slice(0, -1)
  return `${others}${others === '[' ? '' : ','}${formatItems(added)}]`
}

function formatItems(streams: readonly Tree[]): string {
  return streams.map(stream => JSON.stringify(stream)).join(',')
}
