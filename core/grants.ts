/** What an access grants on the tree of streams, worked out once for each version of the tree. (supplement 13.3, 26) */
import type { Access } from '../schemas/access.js'
import { isStreamPermission, type Level, type Permission } from '../schemas/permission.js'
import { auditedAccess } from './audit/ids.js'
import type { StreamNode, StreamRepository } from '../storage/repositories/streams.js'
import { accountId, isAccountRoot } from './system-ids.js'

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

const ranks: Readonly<Record<Level, number>> = {
  none: 0,
  read: 1,
  'create-only': 2,
  contribute: 3,
  manage: 4
}

/** Whether a level allows an action. */
export function allows(level: Level | undefined, action: Action): boolean {
  return level !== undefined && allowed[action].has(level)
}

/** What an access can see of the events, as numbers of streams. */
export type Sight =
  | { readonly everything: true }
  | {
      readonly everything: false
      /** An event has to be in one of these. */
      readonly readable: ReadonlySet<number>
      /** An event must be in none of these (`none`, `create-only`), even if it is in a readable one as well. */
      readonly closed: ReadonlySet<number>
      /** Everything is readable but the values of account fields. */
      readonly isOwn?: true
    }

/** Levels granted on streams. */
export class Grants {
  /** Levels by stream id, as granted; `*` stands for every other stream. */
  readonly byId: ReadonlyMap<string, Level>
  /** Accesses whose calls may be seen: streams of the audit are outside of the tree, and of what `*` stands for. */
  readonly audited: ReadonlySet<string>
  #version: number | undefined
  #levels = new Map<StreamNode, Level | undefined>()
  #sight: Sight | undefined

  constructor(permissions: readonly Permission[] = []) {
    const byId = new Map<string, Level>()
    const audited = new Set<string>()
    for (const permission of permissions) {
      if (!isStreamPermission(permission)) continue
      const { streamId, level } = permission
      const access = auditedAccess(streamId)
      if (access !== undefined) {
        audited.add(access)
        continue
      }
      const other = byId.get(streamId)
      if (other === undefined || ranks[other] < ranks[level]) byId.set(streamId, level)
    }
    this.byId = byId
    this.audited = audited
  }

  /** The level on a stream: granted on itself, else on the nearest stream above, else on `*`. */
  level(streams: StreamRepository, streamId: string): Level | undefined {
    const node = streams.find(streamId)
    // A permission may name a stream that is gone, or not there yet.
    return node ? this.levelAt(streams, node) : this.levelOnPath([streamId])
  }

  levelAt(streams: StreamRepository, node: StreamNode): Level | undefined {
    if (node.number < 0) return this.#accountLevel(node)
    this.#refresh(streams)
    const levels = this.#levels
    if (levels.has(node)) return levels.get(node)
    const passed: StreamNode[] = []
    let level = this.byId.get('*')
    for (let at: StreamNode | undefined = node; at; at = at.parent) {
      const granted = this.byId.get(at.stream.id)
      if (granted === undefined && !levels.has(at)) {
        passed.push(at)
        continue
      }
      level = granted ?? levels.get(at)
      levels.set(at, level)
      break
    }
    for (const at of passed) levels.set(at, level)
    return level
  }

  /** The level on a stream that is gone, from the ids on its former path: itself first, its root last. */
  levelOnPath(path: readonly string[]): Level | undefined {
    for (const id of path) {
      const level = this.byId.get(id)
      if (level !== undefined) return level
    }
    const root = path.at(-1) ?? '*'
    if (!isAccountRoot(root)) return this.byId.get('*')
    return root === accountId ? 'none' : undefined
  }

  /**
   * The level on a stream of the account: granted by name, else none at all; `*` does not reach there. What marks values
   * is neither open nor closed to anybody. (supplement 13.3)
   */
  #accountLevel({ parent, stream, system }: StreamNode): Level | undefined {
    if (system?.kind === 'mark') return undefined
    if (system?.isHidden) return 'none'
    for (
      let at = { parent, stream } as Pick<StreamNode, 'parent' | 'stream'> | undefined;
      at;
      at = at.parent
    ) {
      const granted = this.byId.get(at.stream.id)
      if (granted !== undefined) return granted
    }
    return 'none'
  }

  /** What events can be read. */
  sight(streams: StreamRepository): Sight {
    this.#refresh(streams)
    return (this.#sight ??= this.#look(streams))
  }

  /**
   * Whether whoever holds these grants may hand out those others: on each stream at most the level held there. Levels
   * change only at streams that one of the two names, so looking at those (and at `*`) is enough. It finds as well
   * what the others would inherit from above where these are narrower. `create-only` cannot be handed on.
   */
  covers(streams: StreamRepository, others: Grants): boolean {
    for (const id of [...others.byId.keys(), ...this.byId.keys()]) {
      const wanted = others.level(streams, id)
      if (wanted === undefined) continue
      const held = this.level(streams, id)
      if (held === undefined || ranks[held] < ranks[wanted]) return false
      if (held === 'create-only' && wanted !== 'none') return false
    }
    return true
  }

  #look(streams: StreamRepository): Sight {
    const readable = new Set<number>()
    const closed = new Set<number>()
    let isOwn = true
    for (const node of streams.list()) {
      const { number } = node
      const level = this.levelAt(streams, node)
      const isAccount = number < 0
      if (allows(level, 'read')) readable.add(number)
      // Values of account fields are in no streams of the user's: nothing has to be closed on their account.
      else if (level !== undefined && !isAccount) closed.add(number)
      if (readable.has(number) === isAccount) isOwn = false
    }
    return { everything: false, readable, closed, ...(isOwn && { isOwn }) }
  }

  #refresh(streams: StreamRepository): void {
    if (this.#version === streams.version) return
    this.#version = streams.version
    this.#levels = new Map()
    this.#sight = undefined
  }
}

const known = new WeakMap<Access, Grants>()

/** The grants of an access; worked out once for each access object, which the store keeps until accesses change. */
export function grantsOf(access: Access): Grants {
  let grants = known.get(access)
  if (!grants) known.set(access, (grants = new Grants(access.permissions)))
  return grants
}
