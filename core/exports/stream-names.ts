/** Names of streams, as far as the reader may see them. */
import { Footing, type Reader } from '../call/reader.js'
import { truncate } from './pieces.js'

/** Names of streams from the root to the stream itself: of long ones the last, after an ellipsis. */
export type Path = readonly string[]

/** Streams whose names are remembered. */
const maxCachedStreams = 1000
/** Characters of a path, with separators: a table repeats it in each row. */
const maxPathLength = 1024

export class StreamNames {
  readonly #known = new Map<string, Path>()
  #footing: Footing | undefined

  /** The names of a stream and of those above it that may be listed, the stream's own last; its id if it may not be. */
  path(reader: Reader, id: string): Path {
    if (this.#footing?.hasChanged(reader) ?? true) {
      this.#known.clear()
      this.#footing ??= new Footing(reader)
    }
    let path = this.#known.get(id)
    if (!path) {
      if (this.#known.size >= maxCachedStreams) this.#known.clear()
      this.#known.set(id, (path = buildPath(reader, id)))
    }
    return path
  }
}

function buildPath({ caller, store: { streams } }: Reader, id: string): Path {
  const names: string[] = []
  let room = maxPathLength
  for (let node = streams.find(id); node && caller.mayAt('list', node); node = node.parent) {
    const name = truncate(node.stream.name, maxPathLength)
    room -= name.length + 3
    if (room < 0 && names.length > 0) return ['…', ...names.toReversed()]
    names.push(name)
  }
  return names.length === 0 ? [id] : names.toReversed()
}
