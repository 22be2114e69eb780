/** What an access grants on the tree of streams, worked out once for each version of the tree. */
import type { Access, EndedPermission } from '../../schemas/access.js'
import { isStreamPermission, type Level } from '../../schemas/permission.js'
import type { StreamRepository } from '../../storage/repositories/streams.js'
import { auditedAccess } from '../audit-ids.js'
import { allows, bounded, closes, lower, ranks } from './levels.js'
import { accountId, isAccountRoot, isSystemId } from '../system-ids.js'
import type { StreamNode } from '../../storage/streams/node.js'

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

/** What grants are made of. */
export type Granting = Partial<Pick<Access, 'id' | 'permissions' | 'endedPermissions'>>

/** Levels granted on streams; within the grants of whoever handed them on, where somebody did. */
export class Grants {
  /** Levels by stream id, as granted; `*` stands for every other stream. */
  readonly #byId: ReadonlyMap<string, Level>
  /** Permissions whose streams are gone. */
  readonly #ended: ReadonlyMap<string, EndedPermission>
  /** Accesses whose calls may be seen: streams of the audit are outside of the tree, and of what `*` stands for. */
  readonly #audited: ReadonlySet<string>
  #version: number | undefined
  #levels = new Map<StreamNode, Level | undefined>()
  #sight: Sight | undefined

  constructor(
    private readonly access: Granting = {},
    private readonly bound?: Grants
  ) {
    const byId = new Map<string, Level>()
    const audited = new Set<string>()
    for (const permission of access.permissions ?? []) {
      if (!isStreamPermission(permission)) continue
      const { streamId, level } = permission
      const id = auditedAccess(streamId)
      if (id !== undefined) {
        audited.add(id)
        continue
      }
      const other = byId.get(streamId)
      if (other === undefined || ranks[other] < ranks[level]) byId.set(streamId, level)
    }
    this.#byId = byId
    this.#audited = audited
    this.#ended = new Map((access.endedPermissions ?? []).map(ended => [ended.streamId, ended]))
  }

  /** Ids of streams at which levels may differ from those above; `*` among them. */
  get names(): ReadonlySet<string> {
    return new Set([...this.#byId.keys(), ...this.#ended.keys(), ...(this.bound?.names ?? [])])
  }

  /** The level on a stream: granted on itself, else on the nearest stream above, else on `*`. */
  level(streams: StreamRepository, streamId: string): Level | undefined {
    const node = streams.find(streamId)
    if (node) return this.levelAt(streams, node)
    // One of the service's that is no more is nobody's.
    if (isSystemId(streamId)) return 'none'
    // A permission may name a stream that is gone, or not there yet.
    const own = this.#byId.get(streamId) ?? this.#turned(streamId, false, this.#byId.get('*'))
    return this.bound ? bounded(own, this.bound.level(streams, streamId)) : own
  }

  levelAt(streams: StreamRepository, node: StreamNode): Level | undefined {
    const own = node.number < 0 ? this.#accountLevel(node) : this.#levelAt(streams, node)
    return this.bound ? bounded(own, this.bound.levelAt(streams, node)) : own
  }

  /**
   * The level on a stream from the ids on its path: itself first, its root last. It may be gone: with `at`, the time of
   * what is left of it, permissions count that were about that very stream, and not about another one of its id.
   */
  levelOnPath(streams: StreamRepository, path: readonly string[], at?: number): Level | undefined {
    const own = this.#onPath(streams, path, at)
    return this.bound ? bounded(own, this.bound.levelOnPath(streams, path, at)) : own
  }

  /** What events can be read. */
  sight(streams: StreamRepository): Sight {
    this.#refresh(streams)
    return (this.#sight ??= this.#look(streams))
  }

  /** Whether the calls made with an access may be seen: its own, unless that is switched off, and those granted. */
  mayAudit(accessId: string): boolean {
    if (accessId === this.access.id) return !this.isForbidden('selfAudit')
    return this.#audited.has(accessId) && (!this.bound || this.bound.mayAudit(accessId))
  }

  /** Whether the feature is switched off (e.g. `selfRevoke`): for the access itself, or for whoever handed it on. */
  isForbidden(feature: string): boolean {
    const { permissions = [] } = this.access
    const isOff = permissions.some(p => 'feature' in p && p.feature === feature && p.setting === 'forbidden')
    return isOff || this.bound?.isForbidden(feature) === true
  }

  /**
   * Whether whoever holds these grants may hand out those others: on each stream at most the level held there. Levels
   * change only at streams that one of the two names, so looking at those (and at `*`) is enough. It finds as well
   * what the others would inherit from above where these are narrower. `create-only` cannot be handed on.
   */
  covers(streams: StreamRepository, others: Grants): boolean {
    const ended = [...this.#ended.keys()].filter(id => streams.find(id))
    for (const id of new Set([...others.names, ...this.#byId.keys(), ...ended])) {
      const wanted = others.level(streams, id)
      if (wanted === undefined) continue
      const held = this.level(streams, id)
      if (held === undefined || ranks[held] < ranks[wanted]) return false
      if (held === 'create-only' && wanted !== 'none') return false
    }
    return [...others.#audited].every(id => this.mayAudit(id))
  }

  #levelAt(streams: StreamRepository, node: StreamNode): Level | undefined {
    this.#refresh(streams)
    const levels = this.#levels
    const passed: StreamNode[] = []
    let level = this.#byId.get('*')
    for (let at: StreamNode | undefined = node; at; at = at.parent) {
      if (levels.has(at)) {
        level = levels.get(at)
        break
      }
      passed.push(at)
      const { parent, stream } = at
      const granted = this.#byId.get(stream.id)
      const isAstray = granted === undefined && isTagAstray(streams, stream.id, parent?.stream.id)
      if (granted === undefined && !isAstray && !this.#ended.has(stream.id)) continue
      level = granted ?? this.#turned(stream.id, isAstray, parent ? this.#levelAt(streams, parent) : level)
      break
    }
    for (const at of passed) levels.set(at, level)
    return level
  }

  #onPath(streams: StreamRepository, path: readonly string[], at: number | undefined): Level | undefined {
    const root = path.at(-1)
    // What was in a stream of the service's that is no more.
    if (root === undefined || (isSystemId(root) && !streams.find(root))) return 'none'
    const all = isAccountRoot(root) ? (root === accountId ? 'none' : undefined) : this.#byId.get('*')
    for (const [index, id] of path.entries()) {
      const level = this.#named(streams, id, at)
      if (level !== undefined) return level
      const above = path.slice(index + 1)
      const isAstray = isTagAstray(streams, id, above[0])
      if (!isAstray && !this.#ended.has(id)) continue
      return this.#turned(id, isAstray, above.length > 0 ? this.#onPath(streams, above, at) : all)
    }
    return all
  }

  /** The level on a stream that does not just inherit that above it. */
  #turned(id: string, isAstray: boolean, above: Level | undefined): Level | undefined {
    const all = this.#byId.get('*')
    const hidden = closes(above) && above !== all ? 'none' : all
    const inherited = isAstray ? hidden : above
    const ended = this.#ended.get(id)
    // It gives nothing any more, but what it took away stays away.
    return ended && inherited ? lower(ended.level, inherited) : inherited
  }

  /** The level granted on the stream that had this id at a time; without one: on the one that has it, or had it last. */
  #named(streams: StreamRepository, id: string, at: number | undefined): Level | undefined {
    const node = streams.find(id)
    const granted = this.#byId.get(id)
    if (granted !== undefined) {
      if (at === undefined || !node || node.stream.created <= at) return granted
      // It is about a younger stream: what it hides is hidden all the same.
      return closes(granted) ? 'none' : undefined
    }
    const ended = this.#ended.get(id)
    if (!ended) return undefined
    const isAbout = at === undefined ? !node : ended.since <= at && at <= ended.until
    return isAbout ? ended.level : undefined
  }

  /**
   * The level on a stream of the account: granted by name, else none at all; `*` does not reach there. What marks values
   * is neither open nor closed to anybody. (docs/spec/accesses.md#account-streams)
   */
  #accountLevel({ parent, stream, system }: StreamNode): Level | undefined {
    if (system?.kind === 'mark') return undefined
    if (system?.isHidden) return 'none'
    for (
      let at = { parent, stream } as Pick<StreamNode, 'parent' | 'stream'> | undefined;
      at;
      at = at.parent
    ) {
      const granted = this.#byId.get(at.stream.id)
      if (granted !== undefined) return granted
    }
    return 'none'
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
    // What the settings do without is in no tree, and nobody's.
    for (const number of streams.strays) closed.add(number)
    isOwn &&= streams.strays.size === 0
    return { everything: false, readable, closed, ...(isOwn && { isOwn }) }
  }

  #refresh(streams: StreamRepository): void {
    if (this.#version === streams.version) return
    this.#version = streams.version
    this.#levels = new Map()
    this.#sight = undefined
  }
}

/**
 * Whether a stream of tags lies in one that is none. What everybody tags comes into it, so levels on the streams above do
 * not reach it, but for those that hide.
 */
function isTagAstray(streams: StreamRepository, id: string, parentId: string | undefined): boolean {
  return parentId !== undefined && streams.isTagId(id) && !streams.isTagId(parentId)
}
