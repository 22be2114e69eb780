/** Names of streams, as far as the reader may see them. */
import { Footing, type Reader } from '../call/reader.js'

/** Names of streams from the root to the stream itself. */
export type Path = readonly string[]

/** Streams whose names are remembered. */
const remembered = 1000

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
      if (this.#known.size >= remembered) this.#known.clear()
      this.#known.set(id, (path = pathOf(reader, id)))
    }
    return path
  }
}

function pathOf({ caller, store: { streams } }: Reader, id: string): Path {
  const names: string[] = []
  for (let node = streams.find(id); node && caller.mayAt('list', node); node = node.parent)
    names.unshift(node.stream.name)
  return names.length === 0 ? [id] : names
}
