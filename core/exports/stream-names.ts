/** Names of streams, as far as the reader may see them. */
import { ReaderVersion, type Reader } from '../call/reader.js'
import { truncate } from './chunks.js'

/** Names of streams from the root to the stream itself; of a long path the end, after an ellipsis. */
export type Path = readonly string[]

/** Maximum number of streams whose names are cached. */
const maxCachedStreams = 1000
/** Maximum length of a path with separators, in characters: a table repeats it in each row. */
const maxPathLength = 1024

/** Finds the names of streams, and keeps them until the tree or the permissions change. */
export class StreamNames {
  readonly #known = new Map<string, Path>()
  #version: ReaderVersion | undefined

  /**
   * Returns the names of a stream and of its ancestors that may be listed, the stream's own last; its id if it may not
   * be listed.
   */
  path(reader: Reader, id: string): Path {
    if (this.#version?.hasChanged(reader) ?? true) {
      this.#known.clear()
      this.#version ??= new ReaderVersion(reader)
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
