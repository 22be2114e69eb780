/** Who calls, and what they may touch: the only place where permissions are decided. (service.md, Access; supplement 13) */
import type { Access } from '../schemas/access.js'
import { isStreamPermission, type Level } from '../schemas/permission.js'
import type { StreamNode } from '../storage/repositories/streams.js'
import type { UserStore } from '../storage/user-store.js'
import { fail } from './errors.js'

/** What one may want to do with a stream, or with the events in it. */
export type Action = 'list' | 'read' | 'create' | 'contribute' | 'manage'

/** Which levels allow what. `create-only` sees the stream itself and adds events; it reads none. */
const allowed: Readonly<Record<Action, ReadonlySet<Level>>> = {
  list: new Set(['read', 'create-only', 'contribute', 'manage']),
  read: new Set(['read', 'contribute', 'manage']),
  create: new Set(['create-only', 'contribute', 'manage']),
  contribute: new Set(['contribute', 'manage']),
  manage: new Set(['manage'])
}

/** The access behind a call; without one (before sign-in) it may touch nothing. */
export class Caller {
  /** Levels by stream id, as granted; `*` stands for every other stream. */
  readonly #granted = new Map<string, Level>()

  constructor(
    private readonly store: UserStore,
    readonly access: Access | undefined,
    readonly callerId?: string
  ) {
    for (const permission of access?.permissions ?? [])
      if (isStreamPermission(permission)) this.#granted.set(permission.streamId, permission.level)
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
    return this.#granted
  }

  /** The level on a stream: granted on itself, else on the nearest stream above, else on `*`. `undefined` if none is. */
  level(streamId: string): Level | undefined {
    if (this.isPersonal) return 'manage'
    for (let node: StreamNode | undefined = this.store.streams.find(streamId); node; node = node.parent) {
      const level = this.#granted.get(node.stream.id)
      if (level) return level
    }
    // A permission may name a stream that is gone, or not there yet.
    return this.#granted.get(streamId) ?? this.#granted.get('*')
  }

  /** Whether the action is allowed on a stream; `*` asks for what lies outside every stream, such as adding a root. */
  may(action: Action, streamId: string): boolean {
    const level = streamId === '*' ? this.#rootLevel() : this.level(streamId)
    return level !== undefined && allowed[action].has(level)
  }

  /** Raises `forbidden` unless the action is allowed on every one of the streams. */
  must(action: Action, ...streamIds: readonly string[]): void {
    for (const id of streamIds) if (!this.may(action, id)) fail('forbidden')
  }

  /**
   * Whether an event in these streams may be read: one of them has to be readable, and none may be closed to the caller
   * (`none` or `create-only`).
   */
  mayReadEvent(streamIds: readonly string[]): boolean {
    return streamIds.some(id => this.may('read', id)) && !streamIds.some(id => this.#isClosed(id))
  }

  /** Whether the token still stands for this very access in `store`. */
  isCurrent(store: UserStore): boolean {
    return (
      this.store === store &&
      this.access !== undefined &&
      store.accesses.findByToken(this.access.token) === this.access
    )
  }

  /** Whether the feature is switched off for this access (e.g. `selfRevoke`). */
  isForbidden(feature: string): boolean {
    return (this.access?.permissions ?? []).some(
      p => 'feature' in p && p.feature === feature && p.setting === 'forbidden'
    )
  }

  #isClosed(streamId: string): boolean {
    const level = this.level(streamId)
    return level === 'none' || level === 'create-only'
  }

  #rootLevel(): Level | undefined {
    return this.isPersonal ? 'manage' : this.#granted.get('*')
  }
}
