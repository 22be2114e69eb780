/** Names of streams, as far as the reader may see them. */
import type { Event } from '../../schemas/event.js'
import { readMeasureMark } from '../../schemas/measures/measure.js'
import type { StreamNode } from '../../storage/streams/node.js'
import { ReaderVersion, type Reader } from '../call/reader.js'
import { iterateAncestors } from '../streams/tree.js'
import { isFollowedId } from '../system-ids.js'
import { truncate } from './chunks.js'

/** Names of streams from the root to the stream itself; of a long path the end, after an ellipsis. */
export type Path = readonly string[]

/** Names of a stream and of those above it, and the measure that one of them is marked with. */
export interface StreamPlace {
  readonly path: Path
  /** The mark of the nearest stream that has one, and its index in the path; -1 if it is not in the path. */
  readonly mark?: { readonly measure: string; readonly at: number } | undefined
  /** Names of the other streams above, which are never shown: a goal remains one for those who only see streams below. */
  readonly above: Path
  /** Whether the streams are a copy of another account: the one at the root has the name of that user. */
  readonly isCopied?: true
}

/** Maximum number of streams whose names are cached. */
const maxCachedStreams = 1000
/** Maximum length of a path with separators, in characters: a table repeats it in each row. */
const maxPathLength = 1024

/** Maximum number of streams of an event that are considered: it may be in thousands. */
const maxPlaces = 20

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

  /** Returns the places of an event's first streams that may be listed, at most 20; that of the first one if there is none. */
  places(reader: Reader, { streamIds }: Pick<Event, 'streamIds'>): StreamPlace[] {
    return selectIds(streamIds, id => reader.caller.may('list', id)).map(id => this.place(reader, id))
  }

  /** Returns these names, and the measure that the nearest marked stream holds, whether it may be listed or not. */
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

/**
 * Returns the first ids of an event's streams that the reader sees, at most 20: others tell nothing about the event. The first id if
 * there is none.
 */
export function selectIds(ids: readonly string[], isSeen: (id: string) => boolean): string[] {
  const seen: string[] = []
  for (const id of ids) {
    if (seen.length === maxPlaces) break
    if (isSeen(id)) seen.push(id)
  }
  return seen.length === 0 ? [ids[0] ?? ''] : seen
}

function findPlace({ caller, store: { streams } }: Reader, id: string): StreamPlace {
  const names: string[] = []
  const found = streams.find(id)
  let room = maxPathLength
  let isCut = false
  for (let node = found; node && caller.mayAt('list', node); node = node.parent) {
    const name = truncate(node.stream.name, maxPathLength)
    room -= name.length + 3
    isCut = room < 0 && names.length > 0
    if (isCut) break
    names.push(name)
  }
  const place = toPlace(id, found ? listAncestors(found) : [], names)
  if (!isCut) return place
  const { mark, path } = place
  return { ...place, path: ['…', ...path], mark: mark && { ...mark, at: mark.at < 0 ? -1 : mark.at + 1 } }
}

/** What a stream says of the events in it and below. */
export interface NamedStream {
  readonly name: string
  /** The measure that it is marked with. */
  readonly mark?: string | undefined
}

/** Returns what a stream and those above say, up to the root. */
export function listAncestors(node: StreamNode): NamedStream[] {
  return Array.from(iterateAncestors(node), ({ stream: { clientData, name } }) => {
    const mark = readMeasureMark(clientData)
    return mark === undefined ? { name } : { name, mark }
  })
}

/**
 * Returns the place of a stream. `streams`: the stream and all above it, up to the root. `names`: the names that are shown, of the
 * first of these; the id if there is none.
 */
export function toPlace(id: string, streams: readonly NamedStream[], names: readonly string[]): StreamPlace {
  const path = names.length === 0 ? [id] : names.toReversed()
  const index = streams.findIndex(({ mark }) => mark !== undefined)
  const at = index < names.length ? path.length - 1 - index : -1
  return {
    path,
    mark: index < 0 ? undefined : { measure: streams[index]!.mark!, at },
    above: streams.slice(names.length).map(({ name }) => name),
    ...(isFollowedId(id) && { isCopied: true as const })
  }
}
