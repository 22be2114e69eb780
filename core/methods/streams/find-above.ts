/** `streams.findAbove`: what the streams above those of an access say of them. */
import { Type, type Static } from 'typebox'
import { readMeasureMark } from '../../../schemas/measures/measure.js'
import { closed } from '../../../schemas/scalars.js'
import type { StreamNode } from '../../../storage/streams/node.js'
import { endpointsOnly } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import type { Reader } from '../../call/reader.js'
import type { Listing, Page } from '../../json/json-text.js'
import { iterateAncestors } from '../../streams/tree.js'

/** A stream. `id`: only of one that is permitted. `above`: the index of its parent in the list; absent at a root. */
const StreamAbove = Type.Object({
  id: Type.Optional(Type.String()),
  name: Type.String(),
  mark: Type.Optional(Type.String()),
  above: Type.Optional(Type.Integer())
})
export type StreamAbove = Static<typeof StreamAbove>

/**
 * Returns each permitted stream whose parent the access may not list, and the streams above these up to the root, each after its parent
 * and once. Those are never shown, but a goal, for example, remains one for those who only see streams below. Errors: `invalid-method`
 * for all others.
 */
export const findAbove = method({
  id: 'streams.findAbove',
  summary: 'Get the streams above those of the access',
  params: Type.Object({}, closed),
  result: Type.Object({ above: Type.Array(StreamAbove) }),
  mode: 'read',
  isInternal: true,
  allow: endpointsOnly,
  run: ({ caller }) => ({ above: new AboveListing([...caller.names]) })
})

/** Maximum number of permitted streams and of characters of a page. */
const [maxIds, maxCharacters] = [1000, 64 * 1024]

/** Lists the streams page by page: thousands may be far below others with long names. */
class AboveListing implements Listing<Reader> {
  /** The places in the list of the streams that are not permitted, by their numbers. */
  readonly #places = new Map<number, number>()
  #at = 0
  #count = 0

  constructor(private readonly ids: readonly string[]) {}

  next({ caller, store: { streams } }: Reader): Page {
    const texts: string[] = []
    let length = 0
    const end = Math.min(this.ids.length, this.#at + maxIds)
    while (this.#at < end && length < maxCharacters) {
      const node = streams.find(this.ids[this.#at++]!)
      const parent = node?.parent
      if (!parent || caller.mayAt('list', parent)) continue
      for (const text of this.#list(node, parent)) {
        texts.push(text)
        length += text.length
      }
    }
    return { text: texts.join(','), count: 0, done: this.#at >= this.ids.length }
  }

  /** Returns the texts of a stream and of those above it that are not in the list yet. */
  *#list(node: StreamNode, parent: StreamNode): Generator<string, void, undefined> {
    const path: StreamNode[] = []
    let above: number | undefined
    for (const at of iterateAncestors(parent)) {
      above = this.#places.get(at.number)
      if (above !== undefined) break
      path.push(at)
    }
    for (const at of path.toReversed()) {
      yield toText(at, above)
      this.#places.set(at.number, (above = this.#count++))
    }
    yield toText(node, above, node.stream.id)
    this.#count++
  }
}

function toText(
  { stream: { clientData, name } }: StreamNode,
  above: number | undefined,
  id?: string
): string {
  return JSON.stringify({ id, name, mark: readMeasureMark(clientData), above })
}
