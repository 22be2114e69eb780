/** What a call changed, and who wants to know: collected while it runs, published once it is durable. (docs/spec/notifications.md#messages) */
import type { StreamNode } from '../storage/streams/node.js'

/** Kinds of changes, in the order in which they are told. The last three stay within the service. */
export const changeKinds = ['streams', 'events', 'accesses', 'account', 'followedSlices', 'sessions'] as const
export type ChangeKind = (typeof changeKinds)[number]

/** A stream by its ids from itself up to its root, as they were when the change was made; `*` stands by itself. */
export type Path = readonly string[]

/** One change: what kind of thing, and where. It needs no store to be judged, and can be sent as JSON. */
export interface Change {
  readonly kind: ChangeKind
  /** One place for each thing, or state of a thing, that changed: all the streams it was in at the same time. */
  readonly places: readonly (readonly Path[])[]
  /** Accesses that the change is about (created, deleted, signed out, …). */
  readonly accessIds: readonly string[]
}

/** Where streams are looked up while a call runs. */
export interface StreamLookup {
  find(id: string): StreamNode | undefined
}

interface Noted {
  readonly places: Map<string, readonly Path[]>
  readonly accessIds: Set<string>
}

interface Kept {
  path: Path | undefined
  readonly number: number
  below: Map<string, Kept> | undefined
}

/** The changes of one call: at most one of each kind. */
export class Changes {
  /** Most calls change nothing. */
  #noted: Map<ChangeKind, Noted> | undefined
  #size = 0
  /** Each path is kept once, however many things there are in its stream: they may be in thousands each. */
  #top: Kept | undefined
  #count = 0

  constructor(private readonly streams: StreamLookup) {}

  /**
   * Notes that something changed which is in all of these streams. A thing that moves is noted twice, before and after;
   * what is removed is noted before.
   */
  add(kind: ChangeKind, streamIds: Iterable<string> = [], accessId?: string): void {
    const byKind = (this.#noted ??= new Map<ChangeKind, Noted>())
    let noted = byKind.get(kind)
    if (!noted) byKind.set(kind, (noted = { places: new Map(), accessIds: new Set() }))
    const paths = Array.from(streamIds, id => this.#keep(this.#pathOf(id)))
    // Things in the same streams count once; streams that have moved in between have another path.
    const key = paths.map(({ number }) => number).join()
    if (paths.length > 0 && !noted.places.has(key)) {
      noted.places.set(
        key,
        paths.map(({ path }) => path)
      )
      this.#size += paths.length
    }
    if (accessId !== undefined) noted.accessIds.add(accessId)
  }

  /** Ids of streams in the paths that are kept: what it takes of memory. */
  get size(): number {
    return this.#size
  }

  get isEmpty(): boolean {
    return this.#noted === undefined
  }

  list(): Change[] {
    return changeKinds.flatMap(kind => {
      const noted = this.#noted?.get(kind)
      return noted ? [{ kind, places: [...noted.places.values()], accessIds: [...noted.accessIds] }] : []
    })
  }

  #keep(path: Path): { readonly path: Path; readonly number: number } {
    let kept = (this.#top ??= { path: undefined, number: 0, below: undefined })
    // From the root on: whole paths as keys may be a hundred times as long.
    for (let at = path.length - 1; at >= 0; at--) {
      const below: Map<string, Kept> = (kept.below ??= new Map())
      const id = path[at]!
      let next = below.get(id)
      if (!next) below.set(id, (next = { path: undefined, number: ++this.#count, below: undefined }))
      kept = next
    }
    if (!kept.path) {
      kept.path = path
      this.#size += path.length
    }
    return kept as { path: Path; number: number }
  }

  #pathOf(id: string): Path {
    const path: string[] = []
    for (let node = this.streams.find(id); node; node = node.parent) path.push(node.stream.id)
    return path.length > 0 ? path : [id]
  }
}

/** Hears of a change of a user's data after it is on disk. */
export type ChangeListener = (username: string, change: Change) => void

/** Carries changes to whoever listens. This one works within the process; another may reach across processes. */
export interface ChangeBus {
  publish(username: string, changes: Changes): void
  /** Answers the function that ends the subscription. */
  subscribe(listener: ChangeListener): () => void
}

export class LocalChangeBus implements ChangeBus {
  readonly #listeners = new Set<ChangeListener>()

  constructor(private readonly onTrouble: (error: unknown) => void) {}

  publish(username: string, changes: Changes): void {
    if (changes.isEmpty || this.#listeners.size === 0) return
    for (const change of changes.list())
      for (const listener of this.#listeners) {
        try {
          listener(username, change)
        } catch (error) {
          this.onTrouble(error)
        }
      }
  }

  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
