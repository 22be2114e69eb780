/** Who calls, and what they may touch: the only place where permissions are decided. (service.md, Access; supplement 13) */
import type { Access } from '../schemas/access.js'
import type { Level, Permission } from '../schemas/permission.js'
import type { StreamNode } from '../storage/repositories/streams.js'
import type { UserStore } from '../storage/user-store.js'
import { fail } from './errors.js'
import { isSystemId } from './system-ids.js'
import { allows, Grants, grantsOf, type Action, type Sight } from './grants.js'

export type { Action, Sight } from './grants.js'

const nothing = new Grants()

/** The access behind a call; without one (before sign-in) it may touch nothing. */
export class Caller {
  readonly #grants: Grants

  constructor(
    private readonly store: UserStore,
    readonly access: Access | undefined,
    readonly callerId?: string
  ) {
    this.#grants = access ? grantsOf(access) : nothing
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

  /** The levels granted, by stream id. Personal accesses hold none: they may do everything. */
  get granted(): ReadonlyMap<string, Level> {
    return this.#grants.byId
  }

  /** The level on a stream: granted on itself, else on the nearest stream above, else on `*`. `undefined` if none is. */
  level(streamId: string): Level | undefined {
    return this.isPersonal ? 'manage' : this.#grants.level(this.store.streams, streamId)
  }

  /** Whether the action is allowed on a stream; `*` asks for what lies outside every stream, such as adding a root. */
  may(action: Action, streamId: string): boolean {
    if (!this.isPersonal) return allows(this.#grants.level(this.store.streams, streamId), action)
    if (!isSystemId(streamId)) return true
    const node = this.store.streams.find(streamId)
    return !node || this.mayAt(action, node)
  }

  /** As {@link may}, for a stream at hand. */
  mayAt(action: Action, node: StreamNode): boolean {
    if (!this.isPersonal) return allows(this.#grants.levelAt(this.store.streams, node), action)
    // Nobody sees what is hidden. Who may change it is said elsewhere: an owner is told more than that he may not.
    return !node.system?.isHidden || (action !== 'list' && action !== 'read')
  }

  /** Raises `forbidden` unless the action is allowed on every one of the streams. */
  must(action: Action, ...streamIds: readonly string[]): void {
    for (const id of streamIds) if (!this.may(action, id)) fail('forbidden')
  }

  /** Whether a stream that is gone could be listed, by the ids on its former path: itself first, its root last. */
  couldList(path: readonly string[]): boolean {
    return this.isPersonal || allows(this.#grants.levelOnPath(path), 'list')
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

  /** As {@link mayReadEvent}, for an event that is gone, by the former paths of its streams. */
  couldReadEvent(paths: readonly (readonly string[])[]): boolean {
    if (this.isPersonal) return true
    const levels = paths.map(path => this.#grants.levelOnPath(path))
    return (
      levels.some(level => allows(level, 'read')) &&
      levels.every(level => level === undefined || allows(level, 'read'))
    )
  }

  /** Whether the calls made with an access may be seen: its own, unless that is switched off, and those granted. (supplement 19.3) */
  mayAudit(accessId: string): boolean {
    if (this.isPersonal) return true
    return accessId === this.access?.id ? !this.isForbidden('selfAudit') : this.#grants.audited.has(accessId)
  }

  /** Which events may be read, for lists: the same rule as {@link mayReadEvent}. Kept for each version of the tree. */
  get sight(): Sight {
    return this.isPersonal ? { everything: true } : this.#grants.sight(this.store.streams)
  }

  /** Whether these permissions are a part of the caller's own: it may hand them on. */
  covers(permissions: readonly Permission[]): boolean {
    if (this.isPersonal) return true
    const others = new Grants(permissions)
    return (
      this.#grants.covers(this.store.streams, others) && [...others.audited].every(id => this.mayAudit(id))
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

  /** The same caller, in the store as it is now: the file may have been closed and opened again since. */
  in(store: UserStore): Caller {
    if (store === this.store || !this.access) return this
    // What was worked out for this access is about the streams of its own store.
    return new Caller(store, { ...this.access }, this.callerId)
  }

  /** Whether the feature is switched off for this access (e.g. `selfRevoke`). */
  isForbidden(feature: string): boolean {
    return (this.access?.permissions ?? []).some(
      p => 'feature' in p && p.feature === feature && p.setting === 'forbidden'
    )
  }
}
