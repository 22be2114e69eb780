/** The caller and its permissions: all permissions are decided here. */
import type { Access } from '../../schemas/access.js'
import type { Level, Permission } from '../../schemas/permission.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { formatWireId } from '../access-ids.js'
import { fail } from '../errors.js'
import { Grants } from './grants.js'
import type { VisibleStreams } from './visible-streams.js'
import { allows, hidesEvents, type Action } from './levels.js'
import { noGrants, getEffectiveGrants } from './effective-grants.js'
import { isFollowedId, isSystemId } from '../system-ids.js'
import type { StreamNode } from '../../storage/streams/node.js'

export type { VisibleStreams } from './visible-streams.js'
export type { Action } from './levels.js'

/** The access behind a call. Without an access (before sign-in) nothing is allowed. */
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

  /** Whether the caller is the user, signed in: false for a call without an access. */
  get isPersonal(): boolean {
    return this.access?.type === 'personal'
  }

  /** The access's id. Throws `invalid-access-token` for a call without an access. */
  get accessId(): string {
    return this.access?.id ?? fail('invalid-access-token')
  }

  /**
   * The value of `createdBy` and `modifiedBy` of events, streams and so on: the access's id, the same for all its
   * versions, and, if there is one, the caller id.
   */
  get signature(): string {
    return this.access ? this.#sign(this.access.id) : 'system'
  }

  /** The value of `createdBy` and `modifiedBy` of accesses, which names the version of the caller's access. */
  get versionedSignature(): string {
    return this.access ? this.#sign(formatWireId(this.access)) : 'system'
  }

  #sign(id: string): string {
    return this.callerId === undefined ? id : `${id} ${this.callerId}`
  }

  /** Ids of the streams whose level may differ from their parent's. Empty for personal accesses, which may do everything. */
  get names(): ReadonlySet<string> {
    return this.#grants.names
  }

  /**
   * Returns the level on a stream: granted on itself, else on its nearest ancestor, else on `*`; `undefined` without a
   * grant.
   */
  level(streamId: string): Level | undefined {
    return this.isPersonal ? 'manage' : this.#grants.level(this.store.streams, streamId)
  }

  /**
   * Returns whether the action is allowed on a stream; `*` stands for actions outside every stream, such as
   * adding a root stream. Copies of other accounts' streams cannot be changed, nor can tag streams be managed
   * by others than the user.
   */
  may(action: Action, streamId: string): boolean {
    const { streams } = this.store
    if (isReadOnly(action, streamId)) return false
    if (!this.isPersonal)
      return allows(this.#grants.level(streams, streamId), action) && !this.#isReservedTag(action, streamId)
    if (!isSystemId(streamId)) return true
    const node = streams.find(streamId)
    return !node || this.mayAt(action, node)
  }

  /** Does the same as {@link may}, for a stream that has been looked up already. */
  mayAt(action: Action, node: StreamNode): boolean {
    if (isReadOnly(action, node.stream.id)) return false
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
   * Returns whether a deleted stream could be listed, by the ids on its former path: itself first, its root last. `at`:
   * when it was deleted, in seconds.
   */
  couldList(path: readonly string[], at?: number): boolean {
    return this.isPersonal || allows(this.#grants.levelOnPath(this.store.streams, path, at), 'list')
  }

  /**
   * Returns whether an event in these streams may be read: one of the streams has to be readable, and no stream may be
   * closed to the caller (`none` or `create-only`).
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

  /**
   * Returns whether the first stream of an event is that of a hidden account field, or of a field that no longer
   * exists.
   */
  #isHidden(streamId: string): boolean {
    if (!isSystemId(streamId) || isFollowedId(streamId)) return false
    return this.store.streams.find(streamId)?.system?.isHidden ?? true
  }

  /**
   * Returns whether the action is reserved: tag streams belong to the service, and only the account's owner may manage
   * them; others only tag events.
   */
  #isReservedTag(action: Action, streamId: string): boolean {
    return action === 'manage' && this.store.streams.isTagId(streamId)
  }

  /**
   * Returns whether an event as it was at a time (in seconds) could be read, by the paths that its streams
   * had then.
   */
  couldReadEvent(paths: readonly (readonly string[])[], at?: number): boolean {
    if (this.isPersonal) return true
    const levels = paths.map(path => this.#grants.levelOnPath(this.store.streams, path, at))
    return levels.some(level => allows(level, 'read')) && !levels.some(hidesEvents)
  }

  /**
   * Returns whether the audit of an access may be read: the caller's own audit unless that is switched off, and granted
   * audits. (docs/spec/audit.md#reading)
   */
  mayAudit(accessId: string): boolean {
    return this.isPersonal || this.#grants.mayAudit(accessId)
  }

  /** The events that may be read, for lists: the same rule as {@link mayReadEvent}. Cached per version of the tree. */
  get visibility(): VisibleStreams {
    return this.isPersonal ? { everything: true } : this.#grants.getVisibleStreams(this.store.streams)
  }

  /**
   * Returns whether these permissions lie within the caller's own permissions, so that the caller may grant them to
   * others.
   */
  covers(permissions: readonly Permission[]): boolean {
    return this.isPersonal || this.#grants.covers(this.store.streams, new Grants({ permissions }))
  }

  /**
   * Returns whether the token still identifies this very access in `store`, unchanged; a session must also be
   * there.
   */
  isCurrent(store: UserStore): boolean {
    const { access } = this
    return (
      this.store === store &&
      access !== undefined &&
      store.accesses.findByToken(access.token) === access &&
      (access.type !== 'personal' || store.sessions.lastUse(access.id) !== undefined)
    )
  }

  /**
   * Returns whether the feature is switched off for this access (e.g. `selfRevoke`), or for the app that
   * shared it.
   */
  isForbidden(feature: string): boolean {
    return this.#grants.isForbidden(feature)
  }
}

/** Returns whether the action would change a copy of another account's stream. (docs/api/mirrors.md#the-copy) */
function isReadOnly(action: Action, streamId: string): boolean {
  return action !== 'read' && action !== 'list' && isFollowedId(streamId)
}
