/** Decides who is notified of which change, and with which message. (docs/spec/notifications.md#who-is-notified) */
import type { Access } from '../../schemas/access.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { formatWireId } from '../access-ids.js'
import type { ChangedItem, Path } from '../changed-item.js'
import type { Change, ChangeKind } from '../changes.js'
import type { Level } from '../../schemas/permission.js'
import type { Steps } from '../../storage/steps.js'
import type { StreamRepository } from '../../storage/repositories/streams.js'
import type { StreamNode } from '../../storage/streams/node.js'
import { getCreatorId } from './access.js'
import type { Grants } from './grants.js'
import { allows, hidesEvents } from './levels.js'
import { getEffectiveGrants } from './effective-grants.js'
import { activeId } from '../system-ids.js'

const messages = new Map<ChangeKind, string>([
  ['events', 'eventsChanged'],
  ['streams', 'streamsChanged'],
  ['accesses', 'accessesChanged'],
  ['username', 'accountChanged']
])

/** Returns the message that clients get for a change; `undefined` for kinds that stay within the service. */
export function getMessage({ kind }: Change): string | undefined {
  return messages.get(kind)
}

/**
 * Number of paths that are evaluated in a step: that takes well below a millisecond if their levels are cached, a few
 * milliseconds if they are not.
 */
const pathsPerStep = 200

/** A possible recipient of change notifications, with its current permissions. */
export class ChangeRecipient {
  readonly #grants: Grants
  /** Cached, since changed items may share streams. */
  readonly #levels = new Map<Path, Level | undefined>()
  #lastDecision: { readonly change: Change; readonly mayReceive: boolean } | undefined
  #count = 0
  #lastItems: { readonly change: Change; readonly items: readonly ReadableItem[] } | undefined
  #lastStreams: { readonly change: Change; readonly ids: ReadonlySet<string> } | undefined

  constructor(
    private readonly store: UserStore,
    private readonly access: Access
  ) {
    this.#grants = getEffectiveGrants(store, access).grants
  }

  /**
   * Returns whether the recipient may be notified of a change: personal accesses of every change, other
   * accesses of the changes that their permissions cover. In steps, since the change may affect very many
   * streams; the result is cached. An access is also notified of changes of itself.
   */
  *mayReceive(change: Change): Steps<boolean> {
    if (this.#lastDecision?.change !== change)
      this.#lastDecision = { change, mayReceive: yield* this.#decide(change) }
    return this.#lastDecision.mayReceive
  }

  *#decide({ accessIds, kind, places }: Change): Steps<boolean> {
    if (this.access.type === 'personal') return true
    if (!places || (kind === 'accesses' && accessIds.includes(this.access.id))) return true
    for (const paths of places) if (yield* this.#covers(kind, paths)) return true
    return false
  }

  /**
   * Returns the streams in which the recipient may be notified of a change, with all their ancestors, since a change in
   * a stream is also a change below its ancestors. In steps, and cached: up to a thousand scopes look this up.
   */
  *listVisibleStreams(change: Change): Steps<ReadonlySet<string>> {
    if (this.#lastStreams?.change !== change)
      this.#lastStreams = { change, ids: yield* this.#findVisibleStreams(change) }
    return this.#lastStreams.ids
  }

  *#findVisibleStreams({ kind, places = [] }: Change): Steps<ReadonlySet<string>> {
    const ids = new Set<string>()
    for (const paths of places) {
      if (this.access.type !== 'personal' && !(yield* this.#covers(kind, paths))) continue
      for (const path of paths) {
        if (this.#countStep) yield
        if (this.#mayList(path)) for (const id of path) ids.add(id)
      }
    }
    return ids
  }

  /**
   * Lists the changed events that the recipient could read, with their streams. If a change does not say which events, there is
   * one item, without an event, for each combination of streams in which they are. In steps, and cached.
   */
  *listReadable(change: Change): Steps<readonly ReadableItem[]> {
    if (this.#lastItems?.change !== change)
      this.#lastItems = { change, items: yield* this.#findReadable(change) }
    return this.#lastItems.items
  }

  /** Returns the changed items that the recipient may read, in steps. Without items, places stand for unknown ones. */
  *#findReadable({ items, places = [] }: Change): Steps<ReadableItem[]> {
    const readable: ReadableItem[] = []
    const known = new Map<readonly Path[], ReadableItem | undefined>()
    for (const item of items ?? places.map(toUnknownItem)) {
      // Items in the same streams share their sets, unless a stream was trashed in between.
      const other = item.trashedIds.length === 0 ? known.get(item.paths) : undefined
      const found = other ? { ...other, item } : yield* this.#toReadable(item)
      if (item.trashedIds.length === 0) known.set(item.paths, found)
      if (found) readable.push(found)
      yield
    }
    return readable
  }

  /** Returns an item with its streams; `undefined` unless the recipient could read it. */
  *#toReadable(item: ChangedItem): Steps<ReadableItem | undefined> {
    const all = new StreamIds()
    const readable = new StreamIds()
    for (const path of item.paths) {
      if (this.#countStep) yield
      const level = this.#readLevel(path)
      if (hidesEvents(level)) return undefined
      const isTrashed = item.trashedIds.includes(path[0]!)
      all.add(path, isTrashed)
      if (allows(level, 'read')) readable.add(path, isTrashed)
    }
    return readable.withTrashed.own.size > 0 ? { item, all, readable } : undefined
  }

  /** Returns whether a query of the recipient may name a stream: as for reading events, others count as unknown. */
  mayReference(id: string): boolean {
    if (id === activeId) return true
    const { streams } = this.store
    if (this.access.type === 'personal') return streams.find(id)?.system?.isHidden !== true
    return allows(this.#grants.level(streams, id), 'list')
  }

  /** Returns the level for reading events: hidden account fields are hidden from the user as well. */
  #readLevel(path: Path): Level | undefined {
    if (this.access.type !== 'personal') return this.#getLevel(path)
    return this.store.streams.find(path[0]!)?.system?.isHidden ? 'none' : 'manage'
  }

  /**
   * Returns whether a stream has moved to where the access has a different level, even a stream that the access cannot
   * see: the move may hide or reveal events that are in other streams as well. In steps.
   */
  *mayChangeVisibility({ kind, places }: Change): Steps<boolean> {
    if (kind !== 'streams') return false
    if (!places) return true
    const levels = new Map<string | undefined, Level | undefined>()
    for (const paths of places)
      for (const path of paths) {
        if (this.#countStep) yield
        const level = this.#getLevel(path)
        if (levels.has(path[0]) && levels.get(path[0]) !== level) return true
        levels.set(path[0], level)
      }
    return false
  }

  /** Returns whether one of these streams may be listed (`create-only` counts). */
  *#covers(kind: ChangeKind, paths: readonly Path[]): Steps<boolean> {
    // An event that is also in a `none` stream is invisible, and so are its changes.
    const canHide = kind === 'events'
    let isCovered = false
    for (const path of paths) {
      if (this.#countStep) yield
      if (canHide && this.#getLevel(path) === 'none') return false
      isCovered ||= this.#mayList(path)
      if (isCovered && !canHide) return true
    }
    return isCovered
  }

  /** Counts an evaluated path; true once per step. */
  get #countStep(): boolean {
    this.#count = (this.#count + 1) % pathsPerStep
    return this.#count === 0
  }

  #mayList(path: Path): boolean {
    return this.access.type === 'personal' || allows(this.#getLevel(path), 'list')
  }

  /** Returns the level on the stream that has or had this path; `undefined` without a permission. */
  #getLevel(path: Path): Level | undefined {
    const { streams } = this.store
    const node = getNodeAt(streams, path)
    if (node) return this.#grants.levelAt(streams, node)
    if (this.#levels.has(path)) return this.#levels.get(path)
    const level = this.#grants.levelOnPath(streams, path)
    this.#levels.set(path, level)
    return level
  }
}

/** The payload of `accessUpdated`: the id of the new version, and its number. */
interface AccessUpdated {
  readonly type: 'access-updated'
  readonly accessId: string
  readonly serial: number
}

/**
 * Lists the accesses with a new version of which an access is notified: personal accesses of all, others of themselves
 * and of those that they created.
 */
export function* listUpdates({ items = [], kind }: Change, { id, type }: Access): Iterable<AccessUpdated> {
  if (kind !== 'accesses') return
  for (const { access } of items) {
    if (!access?.update) continue
    const { creatorId, serial } = access.update
    if (type === 'personal' || access.id === id || creatorId === id)
      yield { type: 'access-updated', accessId: formatWireId({ id: access.id, serial }), serial }
  }
}

/** Returns an item of which only the streams are known. */
function toUnknownItem(paths: readonly Path[]): ChangedItem {
  return { paths, trashedIds: [], event: undefined, access: undefined }
}

/** Ids of streams, by themselves and with their ancestors. */
interface IdSets {
  readonly own: Set<string>
  readonly within: Set<string>
}

/** The streams of an item: all, and those that were not in the trash. */
class StreamIds {
  readonly withTrashed: IdSets = { own: new Set(), within: new Set() }
  readonly live: IdSets = { own: new Set(), within: new Set() }

  add(path: Path, isTrashed: boolean): void {
    for (const { own, within } of isTrashed ? [this.withTrashed] : [this.withTrashed, this.live]) {
      own.add(path[0]!)
      for (const id of path) within.add(id)
    }
  }
}

/** A changed event that a recipient could read: the streams that it was in, and those of them that are readable. */
export interface ReadableItem {
  readonly item: ChangedItem
  readonly all: StreamIds
  readonly readable: StreamIds
}

/** Returns whether an access may read less after a change: it was changed, or streams were moved or deleted. In steps. */
export function* mayNarrow(
  { accessIds, kind, places }: Change,
  { access, store }: { readonly access: Access; readonly store: UserStore }
): Steps<boolean> {
  if (kind === 'accesses') return accessIds.includes(access.id) || accessIds.includes(getCreatorId(access))
  if (kind !== 'streams') return false
  if (!places) return true
  let count = 0
  for (const paths of places)
    for (const path of paths) {
      if (!getNodeAt(store.streams, path)) return true
      if (++count % pathsPerStep === 0) yield
    }
  return false
}

interface CachedNode {
  readonly streams: StreamRepository
  readonly version: number
  readonly node: StreamNode | undefined
}

const cachedNodes = new WeakMap<Path, CachedNode>()

/**
 * Returns the user's stream at a path; `undefined` if the stream has moved or been deleted. Cached for all recipients:
 * levels on streams are cached, levels on paths are not, and there may be thousands of paths a hundred levels deep.
 */
function getNodeAt(streams: StreamRepository, path: Path): StreamNode | undefined {
  let place = cachedNodes.get(path)
  if (place?.streams !== streams || place.version !== streams.version) {
    place = { streams, version: streams.version, node: findNodeAt(streams, path) }
    cachedNodes.set(path, place)
  }
  return place.node
}

/** Returns the stream that has this path now; `undefined` if it was moved or deleted. */
function findNodeAt(streams: StreamRepository, path: Path): StreamNode | undefined {
  const node = streams.find(path[0] ?? '')
  if (!node || node.number < 0) return undefined
  let at: StreamNode | undefined = node
  for (const id of path) {
    if (at?.stream.id !== id) return undefined
    at = at.parent
  }
  return at ? undefined : node
}
