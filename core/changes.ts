/** The changes of a call: collected while it runs, published once they are durable. (docs/spec/notifications.md#messages) */
import type { StreamNode } from '../storage/streams/node.js'

/** Kinds of changes, in the order of notification. The last three stay within the service. */
export const changeKinds = ['streams', 'events', 'accesses', 'account', 'followedSlices', 'sessions'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** A stream as the ids from itself up to its root, at the time of the change; `*` stands by itself. */
export type Path = readonly string[]

/** A change: what kind of item, and where. Can be evaluated without the store, and sent as JSON. */
export interface Change {
  readonly kind: ChangeKind
  /**
   * For each changed item, or for each of its states (before and after), the paths of all streams that it was in at the
   * same time.
   */
  readonly places: readonly (readonly Path[])[]
  /** Accesses that the change is about (created, deleted, signed out, …). */
  readonly accessIds: readonly string[]
}

/** Where streams are looked up while a call runs. */
export interface StreamLookup {
  find(id: string): StreamNode | undefined
}

/** An item that has changed: the paths of its streams, and perhaps the access that the change is about. */
interface ChangedItem {
  readonly kind: ChangeKind
  readonly paths: readonly Path[]
  readonly accessId: string | undefined
}

interface ChangedItems {
  readonly places: Map<string, readonly Path[]>
  readonly accessIds: Set<string>
}

interface PathNode {
  path: Path | undefined
  readonly number: number
  children: Map<string, PathNode> | undefined
}

/** The changes of one call: at most one of each kind. */
export class Changes {
  /** The first item. Most calls change at most one item: creating maps for it would take a microsecond. */
  #first: ChangedItem | undefined
  /** All items, as soon as a second item has been added. */
  #byKind: Map<ChangeKind, ChangedItems> | undefined
  #size = 0
  /** Trie of paths, so that each is stored once, however many items are in its stream. */
  #root: PathNode | undefined
  #nodeCount = 0

  constructor(private readonly streams: StreamLookup) {}

  /**
   * Adds the change of an item that is in all of these streams. Call it before and after an item moves, and before an
   * item is removed.
   */
  add(kind: ChangeKind, streamIds: Iterable<string> = [], accessId?: string): void {
    const paths: Path[] = []
    for (const id of streamIds) paths.push(this.#findPath(id))
    const note = { kind, paths, accessId }
    if (this.isEmpty) {
      this.#first = note
      return
    }
    if (this.#first) this.#collect(this.#first)
    this.#first = undefined
    this.#collect(note)
  }

  /** Number of stream ids in the stored paths, a measure of memory. */
  get size(): number {
    return this.#first ? countIds(this.#first.paths) : this.#size
  }

  get isEmpty(): boolean {
    return this.#first === undefined && this.#byKind === undefined
  }

  /** Lists the changes, at most one of each kind. */
  list(): Change[] {
    if (this.#first) return [toChange(this.#first)]
    return changeKinds.flatMap(kind => {
      const noted = this.#byKind?.get(kind)
      return noted ? [{ kind, places: [...noted.places.values()], accessIds: [...noted.accessIds] }] : []
    })
  }

  /** Adds an item to the changes of its kind, unless an item in the same streams has been added. */
  #collect({ accessId, kind, paths }: ChangedItem): void {
    const byKind = (this.#byKind ??= new Map<ChangeKind, ChangedItems>())
    let noted = byKind.get(kind)
    if (!noted) byKind.set(kind, (noted = { places: new Map(), accessIds: new Set() }))
    const kept = paths.map(path => this.#storePath(path))
    // Items in the same streams are noted once; a stream that has moved in between has another path.
    const key = kept.map(({ number }) => number).join()
    if (kept.length > 0 && !noted.places.has(key)) {
      noted.places.set(
        key,
        kept.map(({ path }) => path)
      )
      this.#size += kept.length
    }
    if (accessId !== undefined) noted.accessIds.add(accessId)
  }

  /** Returns the stored copy of a path, and its number: equal paths are stored once. */
  #storePath(path: Path): { readonly path: Path; readonly number: number } {
    let kept = (this.#root ??= { path: undefined, number: 0, children: undefined })
    // Level by level from the root: whole paths as keys may be a hundred times as long.
    for (let at = path.length - 1; at >= 0; at--) {
      const children: Map<string, PathNode> = (kept.children ??= new Map())
      const id = path[at]!
      let next = children.get(id)
      if (!next)
        children.set(id, (next = { path: undefined, number: ++this.#nodeCount, children: undefined }))
      kept = next
    }
    if (!kept.path) {
      kept.path = path
      this.#size += path.length
    }
    return kept as { path: Path; number: number }
  }

  #findPath(id: string): Path {
    const path: string[] = []
    for (let node = this.streams.find(id); node; node = node.parent) path.push(node.stream.id)
    return path.length > 0 ? path : [id]
  }
}

function toChange({ accessId, kind, paths }: ChangedItem): Change {
  return {
    kind,
    places: paths.length > 0 ? [paths] : [],
    accessIds: accessId === undefined ? [] : [accessId]
  }
}

/** Returns number of stream ids in paths, and of paths. */
function countIds(paths: readonly Path[]): number {
  return paths.reduce((sum, path) => sum + path.length, paths.length)
}

/** Called with a change of a user's data once it is on disk. */
export type ChangeListener = (username: string, change: Change) => void

/** Publishes changes to listeners, within the process or across processes. */
export interface ChangeBus {
  publish(username: string, changes: Changes): void
  /** Returns the function that ends the subscription. */
  subscribe(listener: ChangeListener): () => void
}

export class LocalChangeBus implements ChangeBus {
  readonly #listeners = new Set<ChangeListener>()

  constructor(private readonly onError: (error: unknown) => void) {}

  publish(username: string, changes: Changes): void {
    if (changes.isEmpty || this.#listeners.size === 0) return
    for (const change of changes.list())
      for (const listener of this.#listeners) {
        try {
          listener(username, change)
        } catch (error) {
          this.onError(error)
        }
      }
  }

  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
