/** The changes of a call: collected while it runs, published once they are durable. (docs/spec/notifications.md#messages) */
import type { Access } from '../schemas/access.js'
import type { Event } from '../schemas/event.js'
import type { StreamNode } from '../storage/streams/node.js'
import type { Account } from '../storage/platform/account.js'
import { countCharacters, type ChangedAccess, type ChangedItem, type Path } from './changed-item.js'
import { PathTrie } from './path-trie.js'

/** Kinds of changes, in the order of notification. The last four stay within the service: `timers` is what is due at certain times. */
export const changeKinds = [
  'streams',
  'events',
  'accesses',
  'username',
  'account',
  'followedSlices',
  'sessions',
  'timers'
] as const
export type ChangeKind = (typeof changeKinds)[number]

/** A change: what kind of item, and where. Can be evaluated without the store, and sent as JSON. */
export interface Change {
  readonly kind: ChangeKind
  /**
   * For each changed item, or for each of its states (before and after), the paths of all streams that it was in at the
   * same time; `undefined` if these are too many: then anything may have changed.
   */
  readonly places: readonly (readonly Path[])[] | undefined
  /** Accesses that the change is about (created, deleted, signed out, …). */
  readonly accessIds: readonly string[]
  /** The items themselves, if they are events or accesses and there are not too many of them. */
  readonly items?: readonly ChangedItem[]
}

/** Where streams are looked up while a call runs. */
interface StreamLookup {
  /** Finds a stream by its id. */
  find(id: string): StreamNode | undefined
}

/** An item that was added to the changes of a call. */
interface Note {
  readonly kind: ChangeKind
  readonly item: ChangedItem
  readonly accessId: string | undefined
  /** Characters of the item's content. */
  readonly characters: number
}

interface ChangedItems {
  /** `undefined` once there were too many. */
  readonly places: Map<string, readonly Path[]> | undefined
  readonly accessIds: Set<string>
  /** `undefined` once there were too many, or items without details. */
  items: ChangedItem[] | undefined
  /** Stream ids besides those in the trie: see {@link Changes.size}. */
  size: number
  readonly trie: PathTrie
}

function createNoted(): ChangedItems {
  return { places: new Map(), accessIds: new Set(), items: [], size: 0, trie: new PathTrie() }
}

/** Maximum number of items of a kind whose details are kept. */
const maxItems = 500
/** Size of the changes of a kind from which no further places are kept, and those that were are dropped. */
const maxSize = 500_000
/** Characters that take as much memory as a stream id. */
const charactersPerId = 32

/** The changes of one call: at most one of each kind. */
export class Changes {
  /** The first item. Most calls change at most one item: creating maps for it would take a microsecond. */
  #first: Note | undefined
  /** All items, as soon as a second item has been added. */
  #byKind: Map<ChangeKind, ChangedItems> | undefined

  constructor(private readonly streams: StreamLookup) {}

  /**
   * Adds the change of an item that is in all of these streams. Call it before and after an item moves, and before an
   * item is removed.
   */
  add(kind: ChangeKind, streamIds: Iterable<string> = [], accessId?: string): void {
    this.#addNote({ kind, item: this.#createItem(streamIds), accessId, characters: 0 })
  }

  /** Adds a state of an event: call it before and after an update, and before the event is removed. */
  addEvent(event: Pick<Event, 'streamIds' | 'time' | 'type' | 'trashed' | 'content' | 'clientData'>): void {
    if (this.isAnywhere('events')) return
    const { clientData, content, streamIds, time, trashed = false, type } = event
    const characters = countCharacters(event)
    // A content of `null` is stored as none.
    const data = characters === undefined ? undefined : { content: content ?? undefined, clientData }
    const item = this.#createItem(streamIds, { type, trashed, time, data })
    this.#addNote({ kind: 'events', item, accessId: undefined, characters: characters ?? 0 })
  }

  /** Adds an access with permissions on these streams. */
  addAccess(
    { id, type }: Pick<Access, 'id' | 'type'>,
    streamIds: Iterable<string>,
    update?: ChangedAccess['update']
  ): void {
    if (this.isAnywhere('accesses')) return void this.#byKind?.get('accesses')?.accessIds.add(id)
    const item = this.#createItem(streamIds, undefined, { id, type, ...(update && { update }) })
    this.#addNote({ kind: 'accesses', item, accessId: id, characters: 0 })
  }

  /** Returns whether further changes of a kind add nothing but the ids of accesses. Their streams need not be looked up. */
  isAnywhere(kind: ChangeKind): boolean {
    const noted = this.#byKind?.get(kind)
    return noted !== undefined && !noted.places
  }

  /** Whether further events add nothing but their streams. */
  get hasManyEvents(): boolean {
    const noted = this.#byKind?.get('events')
    return noted !== undefined && noted.items === undefined
  }

  #addNote(note: Note): void {
    if (this.isEmpty) {
      this.#first = note
      return
    }
    if (this.#first) this.#collect(this.#first)
    this.#first = undefined
    this.#collect(note)
  }

  /**
   * The memory that the changes take, counted in stream ids: those in the stored paths, and the contents of items as if they
   * were ids.
   */
  get size(): number {
    if (this.#first) return countIds(this.#first.item.paths) + countIdsOf(this.#first)
    let sum = 0
    for (const { size, trie } of this.#byKind?.values() ?? []) sum += size + trie.size
    return sum
  }

  /** Number of items that scopes with conditions are compared with. */
  get itemCount(): number {
    if (this.#first) return 1
    let count = 0
    for (const { items } of this.#byKind?.values() ?? []) count += items?.length ?? 0
    return count
  }

  /** Whether nothing has changed. */
  get isEmpty(): boolean {
    return this.#first === undefined && this.#byKind === undefined
  }

  /** Lists the changes, at most one of each kind. */
  list(): Change[] {
    if (this.#first) return [toChange(this.#first)]
    return changeKinds.flatMap(kind => {
      const noted = this.#byKind?.get(kind)
      if (!noted) return []
      const { accessIds, items, places } = noted
      const paths = places && [...places.values()]
      return [{ kind, places: paths, accessIds: [...accessIds], ...(items && { items }) }]
    })
  }

  /** Adds an item to the changes of its kind. Its streams are stored unless an item in the same streams has been added. */
  #collect(note: Note): void {
    const { accessId, item, kind } = note
    const byKind = (this.#byKind ??= new Map<ChangeKind, ChangedItems>())
    let noted = byKind.get(kind)
    if (!noted) byKind.set(kind, (noted = createNoted()))
    if (accessId !== undefined) noted.accessIds.add(accessId)
    if (!noted.places) return
    const { trie } = noted
    const kept = item.paths.map(path => trie.store(path))
    // Items in the same streams are noted once; a stream that has moved in between has another path.
    const key = kept.map(({ number }) => number).join()
    let paths = noted.places.get(key)
    if (!paths) {
      paths = kept.map(({ path }) => path)
      if (kept.length > 0) {
        noted.places.set(key, paths)
        noted.size += kept.length
      }
      if (noted.places.size > 1 && noted.size + trie.size > maxSize)
        return void byKind.set(kind, {
          ...createNoted(),
          places: undefined,
          items: undefined,
          accessIds: noted.accessIds
        })
    }
    this.#keepItem(noted, note, paths)
  }

  /** Keeps the details of an item, or drops those of all items once there are too many. */
  #keepItem(noted: ChangedItems, note: Note, paths: readonly Path[]): void {
    if (!noted.items) return
    if (hasDetails(note) && noted.items.length < maxItems) {
      noted.items.push({ ...note.item, paths })
      noted.size += countIdsOf(note)
    } else noted.items = undefined
  }

  /**
   * Creates an item with the present paths of its streams, own id first; a stream that does not exist has only its
   * id.
   */
  #createItem(
    streamIds: Iterable<string>,
    event?: ChangedItem['event'],
    access?: ChangedItem['access']
  ): ChangedItem {
    const paths: Path[] = []
    let trashedIds: string[] | undefined
    for (const id of streamIds) {
      const path: string[] = []
      let isTrashed = false
      for (let node = this.streams.find(id); node; node = node.parent) {
        path.push(node.stream.id)
        isTrashed ||= node.stream.trashed === true
      }
      paths.push(path.length > 0 ? path : [id])
      if (isTrashed) (trashedIds ??= []).push(id)
    }
    return { paths, trashedIds: trashedIds ?? noIds, event, access }
  }
}

const noIds: readonly string[] = []

function toChange(note: Note): Change {
  const { accessId, item, kind } = note
  const places = item.paths.length > 0 ? [item.paths] : []
  const accessIds = accessId === undefined ? [] : [accessId]
  return hasDetails(note) ? { kind, places, accessIds, items: [item] } : { kind, places, accessIds }
}

function hasDetails({ item: { access, event } }: Note): boolean {
  return access !== undefined || event !== undefined
}

/** Returns the memory of an item's details, in stream ids. */
function countIdsOf(note: Note): number {
  return hasDetails(note) ? 1 + Math.ceil(note.characters / charactersPerId) : 0
}

/** Returns number of stream ids in paths, and of paths. */
function countIds(paths: readonly Path[]): number {
  return paths.reduce((sum, path) => sum + path.length, paths.length)
}

/** The account of a change. Its id identifies it: callers may know it by different names. */
export type ChangedAccount = Pick<Account, 'id' | 'username'>

/** Called with a change of a user's data once it is on disk. */
type ChangeListener = (account: ChangedAccount, change: Change) => void

/** Publishes changes to listeners, within the process or across processes. */
export interface ChangeBus {
  /** Calls listeners with each change; must be called once the changes are durable. Never throws. */
  publish(account: ChangedAccount, changes: Changes): void
  /** Returns the function that ends the subscription. */
  subscribe(listener: ChangeListener): () => void
}

/** Publishes changes within this process: calls listeners at once, and passes what they throw to `onError`. */
export class LocalChangeBus implements ChangeBus {
  readonly #listeners = new Set<ChangeListener>()

  constructor(private readonly onError: (error: unknown) => void) {}

  publish(account: ChangedAccount, changes: Changes): void {
    if (changes.isEmpty || this.#listeners.size === 0) return
    for (const change of changes.list())
      for (const listener of this.#listeners) {
        try {
          listener(account, change)
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
