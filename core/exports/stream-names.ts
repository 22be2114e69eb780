/** Names of streams, as far as the reader may see them. */
import { readMeasureMark } from '../../schemas/measures/measure.js'
import { ReaderVersion, type Reader } from '../call/reader.js'
import { truncate } from './chunks.js'

/** Names of streams from the root to the stream itself; of a long path the end, after an ellipsis. */
export type Path = readonly string[]

/** Names of a stream and of those above it, and the measure that one of them is marked with. */
export interface StreamPlace {
  readonly path: Path
  /** The mark of the nearest stream that has one, and its index in the path. */
  readonly mark?: { readonly measure: string; readonly at: number } | undefined
}

/** Maximum number of streams whose names are cached. */
const maxCachedStreams = 1000
/** Maximum length of a path with separators, in characters: a table repeats it in each row. */
const maxPathLength = 1024

/** Finds the names of streams, and keeps them until the tree or the permissions change. */
export class StreamNames {
  readonly #known = new Map<string, StreamPlace>()
  #version: ReaderVersion | undefined

  /**
   * Returns the names of a stream and of its ancestors that may be listed, the stream's own last; its id if it may not
   * be listed.
   */
  path(reader: Reader, id: string): Path {
    return this.place(reader, id).path
  }

  /** Returns these names, and the measure that the nearest marked stream among the named ones holds. */
  place(reader: Reader, id: string): StreamPlace {
    if (this.#version?.hasChanged(reader) ?? true) {
      this.#known.clear()
      this.#version ??= new ReaderVersion(reader)
    }
    let place = this.#known.get(id)
    if (!place) {
      if (this.#known.size >= maxCachedStreams) this.#known.clear()
      this.#known.set(id, (place = findPlace(reader, id)))
    }
    return place
  }
}

function findPlace({ caller, store: { streams } }: Reader, id: string): StreamPlace {
  const names: string[] = []
  const marks: (string | undefined)[] = []
  let room = maxPathLength
  for (let node = streams.find(id); node && caller.mayAt('list', node); node = node.parent) {
    const name = truncate(node.stream.name, maxPathLength)
    room -= name.length + 3
    if (room < 0 && names.length > 0) {
      names.push('…')
      break
    }
    names.push(name)
    marks.push(readMeasureMark(node.stream.clientData))
  }
  return names.length === 0 ? { path: [id] } : toPlace(names, marks)
}

/** Returns a place by the names of its streams and their marks, from the stream itself to the root. */
export function toPlace(names: readonly string[], marks: readonly (string | undefined)[]): StreamPlace {
  const index = marks.findIndex(mark => mark !== undefined)
  const mark = index < 0 ? undefined : { measure: marks[index]!, at: names.length - 1 - index }
  return { path: names.toReversed(), mark }
}
