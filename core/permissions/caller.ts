/** The caller and its permissions: the only place where permissions are decided. */
import type { Access } from '../../schemas/access.js'
import type { Level, Permission } from '../../schemas/permission.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { fail } from '../errors.js'
import { Grants, type VisibleStreams } from './grants.js'
import { allows, hidesEvents, type Action } from './levels.js'
import { noGrants, getEffectiveGrants } from './effective-grants.js'
import { isSystemId } from '../system-ids.js'
import type { StreamNode } from '../../storage/streams/node.js'

export type { VisibleStreams } from './grants.js'
export type { Action } from './levels.js'

/** The access behind a call. Without one (before sign-in) nothing is allowed. */
export class Caller {
  readonly #grants: Grants
  /** When the caller's permissions last changed through a write to an access, in seconds. */
  readonly modified: number

  constructor(
    private readonly store: UserStore,
    readonly access: Access | undefined,
    readonly callerId?: string
  ) {
    const { grants, modified } = access ? getEffectiveGrants(store, access) : noGrants
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

  /** The value of `createdBy` and `modifiedBy`: the access's id and, if there is one, the caller id. */
  get signature(): string {
    if (!this.access) return 'system'
    return this.callerId === undefined ? this.access.id : `${this.access.id} ${this.callerId}`
  }

  /** Ids of the streams whose level may differ from their parent's. Empty for personal accesses, which may do everything. */
  get names(): ReadonlySet<string> {
    return this.#grants.names
  }

  /** The level on a stream: granted on itself, else on its nearest ancestor, else on `*`; `undefined` without any. */
  level(streamId: string): Level | undefined {
    return this.isPersonal ? 'manage' : this.#grants.level(this.store.streams, streamId)
  }

  /** Whether the action is allowed on a stream; `*` stands for what is outside every stream, such as adding a root. */
  may(action: Action, streamId: string): boolean {
    const { streams } = this.store
    if (!this.isPersonal)
      return allows(this.#grants.level(streams, streamId), action) && !this.#isReservedTag(action, streamId)
    if (!isSystemId(streamId)) return true
    const node = streams.find(streamId)
    return !node || this.mayAt(action, node)
  }

  /** As {@link may}, for a stream that has been looked up already. */
  mayAt(action: Action, node: StreamNode): boolean {
    if (!this.isPersonal)
      return (
        allows(this.#grants.levelAt(this.store.streams, node), action) &&
        !this.#isReservedTag(action, node.stream.id)
      )
    // Hidden streams can be neither listed nor read. Writes are checked elsewhere, with a more precise error.
    return !node.system?.isHidden || (action !== 'list' && action !== 'read')
  }

  /** Throws `forbidden` unless the action is allowed on every one of the streams. */
  must(action: Action, ...streamIds: readonly string[]): void {
    for (const id of streamIds) if (!this.may(action, id)) fail('forbidden')
  }

  /**
   * Whether a deleted stream could be listed, by the ids on its former path: itself first, its root last. `at`: when it
   * was deleted, in seconds.
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
      else if (hidesEvents(level)) return false
    }
    return isReadable
  }

  /** Whether the first stream of an event is that of a hidden account field, or of a field that no longer exists. */
  #isHidden(streamId: string): boolean {
    return isSystemId(streamId) && (this.store.streams.find(streamId)?.system?.isHidden ?? true)
  }

  /** Tag streams belong to the service: only the account's owner may manage them; others just tag events. */
  #isReservedTag(action: Action, streamId: string): boolean {
    return action === 'manage' && this.store.streams.isTagId(streamId)
  }

  /** As {@link mayReadEvent}, for an event as it was at a time, by the former paths of its streams. */
  couldReadEvent(paths: readonly (readonly string[])[], at?: number): boolean {
    if (this.isPersonal) return true
    const levels = paths.map(path => this.#grants.levelOnPath(this.store.streams, path, at))
    return levels.some(level => allows(level, 'read')) && !levels.some(hidesEvents)
  }

  /** Whether the audit of an access may be read: the caller's own unless switched off, and those granted. (docs/spec/audit.md#reading) */
  mayAudit(accessId: string): boolean {
    return this.isPersonal || this.#grants.mayAudit(accessId)
  }

  /** The events that may be read, for lists: the same rule as {@link mayReadEvent}. Cached per version of the tree. */
  get visibility(): VisibleStreams {
    return this.isPersonal ? { everything: true } : this.#grants.getVisibleStreams(this.store.streams)
  }

  /** Whether these permissions lie within the caller's own, so that it may grant them to others. */
  covers(permissions: readonly Permission[]): boolean {
    return (
      this.isPersonal ||
      this.#grants.covers(this.store.streams, new Grants({ permissions: [...permissions] }))
    )
  }

  /** Whether the token still identifies this very access in `store`. */
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
