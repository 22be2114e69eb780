/** Who calls, and what they may touch: the only place where permissions are decided. */
import type { Access } from '../../schemas/access.js'
import type { Level, Permission } from '../../schemas/permission.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { fail } from '../errors.js'
import { Grants, type Sight } from './grants.js'
import { allows, type Action } from './levels.js'
import { nothing, standingOf } from './standing.js'
import { isSystemId } from '../system-ids.js'
import type { StreamNode } from '../../storage/streams/node.js'

export type { Sight } from './grants.js'
export type { Action } from './levels.js'

/** The access behind a call; without one (before sign-in) it may touch nothing. */
export class Caller {
  readonly #grants: Grants
  /** When what the caller may do has been changed by a write to an access, in seconds. */
  readonly modified: number

  constructor(
    private readonly store: UserStore,
    readonly access: Access | undefined,
    readonly callerId?: string
  ) {
    const { grants, modified } = access ? standingOf(store, access) : nothing
    this.#grants = grants
    this.modified = modified
  }

  get isPersonal(): boolean {
    return this.access?.type === 'personal'
  }

  /** The access's id. A call without an access has none. */
  get accessId(): string {
    return this.access?.id ?? fail('invalid-access-token')
  }

  /** What goes into `createdBy` and `modifiedBy`: the access's id and, if there is one, the caller id. */
  get signature(): string {
    if (!this.access) return 'system'
    return this.callerId === undefined ? this.access.id : `${this.access.id} ${this.callerId}`
  }

  /** Ids of streams at which levels may differ from those above. Personal accesses have none: they may do everything. */
  get names(): ReadonlySet<string> {
    return this.#grants.names
  }

  /** The level on a stream: granted on itself, else on the nearest stream above, else on `*`. `undefined` if none is. */
  level(streamId: string): Level | undefined {
    return this.isPersonal ? 'manage' : this.#grants.level(this.store.streams, streamId)
  }

  /** Whether the action is allowed on a stream; `*` asks for what lies outside every stream, such as adding a root. */
  may(action: Action, streamId: string): boolean {
    const { streams } = this.store
    if (!this.isPersonal)
      return allows(this.#grants.level(streams, streamId), action) && !this.#isTagKept(action, streamId)
    if (!isSystemId(streamId)) return true
    const node = streams.find(streamId)
    return !node || this.mayAt(action, node)
  }

  /** As {@link may}, for a stream at hand. */
  mayAt(action: Action, node: StreamNode): boolean {
    if (!this.isPersonal)
      return (
        allows(this.#grants.levelAt(this.store.streams, node), action) &&
        !this.#isTagKept(action, node.stream.id)
      )
    // Nobody sees what is hidden. Who may change it is said elsewhere: an owner is told more than that he may not.
    return !node.system?.isHidden || (action !== 'list' && action !== 'read')
  }

  /** Raises `forbidden` unless the action is allowed on every one of the streams. */
  must(action: Action, ...streamIds: readonly string[]): void {
    for (const id of streamIds) if (!this.may(action, id)) fail('forbidden')
  }

  /**
   * Whether a stream that is gone could be listed, by the ids on its former path: itself first, its root last. `at`: when
   * it went.
   */
  couldList(path: readonly string[], at?: number): boolean {
    return this.isPersonal || allows(this.#grants.levelOnPath(this.store.streams, path, at), 'list')
  }

  /**
   * Whether an event in these streams may be read: one of them has to be readable, and none may be closed to the caller
   * (`none` or `create-only`).
   */
  mayReadEvent(streamIds: readonly string[]): boolean {
    if (this.isPersonal) return !this.#isHidden(streamIds[0] ?? '')
    let isReadable = false
    for (const id of streamIds) {
      const level = this.level(id)
      if (allows(level, 'read')) isReadable = true
      else if (level !== undefined) return false
    }
    return isReadable
  }

  /** Whether the first stream of an event is that of a hidden account field, or of one that is no more. */
  #isHidden(streamId: string): boolean {
    return isSystemId(streamId) && (this.store.streams.find(streamId)?.system?.isHidden ?? true)
  }

  /** Streams of tags are the service's own: nobody but their owner does more to them than tag events. */
  #isTagKept(action: Action, streamId: string): boolean {
    return action === 'manage' && this.store.streams.isTagId(streamId)
  }

  /** As {@link mayReadEvent}, for an event as it was at a time, by the former paths of its streams. */
  couldReadEvent(paths: readonly (readonly string[])[], at?: number): boolean {
    if (this.isPersonal) return true
    const levels = paths.map(path => this.#grants.levelOnPath(this.store.streams, path, at))
    return (
      levels.some(level => allows(level, 'read')) &&
      levels.every(level => level === undefined || allows(level, 'read'))
    )
  }

  /** Whether the calls made with an access may be seen: its own, unless that is switched off, and those granted. (docs/spec/audit.md#reading) */
  mayAudit(accessId: string): boolean {
    return this.isPersonal || this.#grants.mayAudit(accessId)
  }

  /** Which events may be read, for lists: the same rule as {@link mayReadEvent}. Kept for each version of the tree. */
  get sight(): Sight {
    return this.isPersonal ? { everything: true } : this.#grants.sight(this.store.streams)
  }

  /** Whether these permissions are a part of the caller's own: it may hand them on. */
  covers(permissions: readonly Permission[]): boolean {
    return (
      this.isPersonal ||
      this.#grants.covers(this.store.streams, new Grants({ permissions: [...permissions] }))
    )
  }

  /** Whether the token still stands for this very access in `store`. */
  isCurrent(store: UserStore): boolean {
    const { access } = this
    return (
      this.store === store &&
      access !== undefined &&
      store.accesses.findByToken(access.token) === access &&
      (access.type !== 'personal' || store.sessions.lastUse(access.id) !== undefined)
    )
  }

  /** Whether the feature is switched off for this access (e.g. `selfRevoke`). */
  isForbidden(feature: string): boolean {
    return this.#grants.isForbidden(feature)
  }
}
