/** The levels that an access grants on the stream tree, computed once per version of the tree. */
import type { EndedPermission } from '../../schemas/access.js'
import {
  features,
  findSetting,
  isStreamPermission,
  type Level,
  type Permission
} from '../../schemas/permission.js'
import type { StreamRepository } from '../../storage/repositories/streams.js'
import { getAuditedAccess } from '../audit-ids.js'
import { allows, limitLevel, hidesEvents, intersectLevels, ranks } from './levels.js'
import { DerivedDataCache } from './derived-data-cache.js'
import type { VisibleStreams } from './visible-streams.js'
import { accountId, getSecretsStreamId, isOwnRoot, isSecretsStreamId, isSystemId } from '../system-ids.js'
import type { StreamNode } from '../../storage/streams/node.js'

/** The parts of an access that its grants are computed from. */
interface GrantSource {
  readonly id?: string
  readonly permissions?: readonly Permission[] | undefined
  readonly endedPermissions?: readonly EndedPermission[] | undefined
}

/** Limits the levels and visible streams cached for all accesses together, in streams: about 50 bytes each. */
const levelCache = new DerivedDataCache(2_000_000)

/** Levels granted on streams, limited to the grants of the app that shared them, if any. */
export class Grants {
  /** Levels by stream id, as granted; `*` stands for every other stream. */
  readonly #byId: ReadonlyMap<string, Level>
  /** Permissions that ended when their streams were deleted. */
  readonly #endedById: ReadonlyMap<string, EndedPermission>
  /** Accesses whose audit may be read: audit streams are outside the tree, and `*` does not cover them. */
  readonly #audited: ReadonlySet<string>
  #version: number | undefined
  #levels = new Map<StreamNode, Level | undefined>()
  #visibleStreams: VisibleStreams | undefined

  constructor(
    private readonly access: GrantSource = {},
    private readonly limit?: Grants
  ) {
    const byId = new Map<string, Level>()
    const audited = new Set<string>()
    for (const permission of access.permissions ?? []) {
      if (!isStreamPermission(permission)) continue
      const { streamId, level } = permission
      const id = getAuditedAccess(streamId)
      if (id !== undefined) {
        audited.add(id)
        continue
      }
      const other = byId.get(streamId)
      if (other === undefined || ranks[other] < ranks[level]) byId.set(streamId, level)
    }
    this.#byId = byId
    this.#audited = audited
    this.#endedById = new Map((access.endedPermissions ?? []).map(ended => [ended.streamId, ended]))
  }

  /** Ids of the streams whose level may differ from their parent's, including `*`. */
  get names(): ReadonlySet<string> {
    return new Set([...this.#byId.keys(), ...this.#endedById.keys(), ...(this.limit?.names ?? [])])
  }

  /**
   * Returns the level on a stream: granted on itself, else on its nearest ancestor, else on `*`; `undefined`
   * without a grant. The stream may be missing. On system streams that are missing, it is `none`.
   */
  level(streams: StreamRepository, streamId: string): Level | undefined {
    const node = streams.find(streamId)
    if (node) return this.levelAt(streams, node)
    if (isSecretsStreamId(streamId)) return this.#secretsLevel(streamId)
    // A system stream that no longer exists is open to no access.
    if (isSystemId(streamId)) return 'none'
    // A permission may name a stream that has been deleted or does not exist yet.
    const own = this.#byId.get(streamId) ?? this.#inheritedLevel(streamId, false, this.#byId.get('*'))
    return this.limit ? limitLevel(own, this.limit.level(streams, streamId)) : own
  }

  /** Returns the level on a stream, at most that of the app that shared it; `undefined` without a grant. */
  levelAt(streams: StreamRepository, node: StreamNode): Level | undefined {
    const own = node.number < 0 ? this.#accountLevel(node) : this.#levelAt(streams, node)
    return this.limit ? limitLevel(own, this.limit.levelAt(streams, node)) : own
  }

  /**
   * Returns the level on a stream from the ids on its path: itself first, its root last. The stream may have been
   * deleted: with `at`, the time of the record about it (seconds), only permissions on that very stream count, not
   * permissions on another stream with the same id.
   */
  levelOnPath(streams: StreamRepository, path: readonly string[], at?: number): Level | undefined {
    const [id = ''] = path
    if (isSecretsStreamId(id)) return this.#secretsLevel(id)
    const own = this.#levelOnPath(streams, path, at)
    return this.limit ? limitLevel(own, this.limit.levelOnPath(streams, path, at)) : own
  }

  /** Returns the events that can be read. Cached until the tree changes. */
  getVisibleStreams(streams: StreamRepository): VisibleStreams {
    this.#dropOutdatedLevels(streams)
    return (this.#visibleStreams ??= this.#computeVisibleStreams(streams))
  }

  /**
   * Returns whether the audit of an access may be read: the access's own audit unless that is switched off
   * (`selfAudit`), and granted audits.
   */
  mayAudit(accessId: string): boolean {
    if (accessId === this.access.id) return !this.isForbidden('selfAudit')
    return this.#audited.has(accessId) && (!this.limit || this.limit.mayAudit(accessId))
  }

  /**
   * Returns whether the feature is switched off (e.g. `selfRevoke`): for the access itself, or for the app that shared
   * it.
   */
  isForbidden(feature: string): boolean {
    const setting = findSetting(this.access.permissions ?? [], feature)
    return setting === 'forbidden' || this.limit?.isForbidden(feature) === true
  }

  /**
   * Returns whether the holder of these grants may pass on `others`: on each stream at most the level held there.
   * Levels change only at streams named by either side, so checking these streams (and `*`) is enough; that also
   * catches levels that `others` would inherit where these grants are narrower. `create-only` cannot be passed on, and
   * a feature that is forbidden here cannot be allowed there.
   */
  covers(streams: StreamRepository, others: Grants): boolean {
    const ended = [...this.#endedById.keys()].filter(id => streams.find(id))
    for (const id of new Set([...others.names, ...this.#byId.keys(), ...ended])) {
      const wanted = others.level(streams, id)
      if (wanted === undefined) continue
      const held = this.level(streams, id)
      if (held === undefined || ranks[held] < ranks[wanted]) return false
      if (held === 'create-only' && wanted !== 'none') return false
    }
    const granted = others.access.permissions ?? []
    if (features.some(each => this.isForbidden(each) && findSetting(granted, each) === 'allowed'))
      return false
    return [...others.#audited].every(id => this.mayAudit(id))
  }

  /**
   * Computes the level on a stream without the limit of the sharing app. Caches the levels of all ancestors that it
   * passes.
   */
  #levelAt(streams: StreamRepository, node: StreamNode): Level | undefined {
    this.#dropOutdatedLevels(streams)
    const levels = this.#levels
    const passed: StreamNode[] = []
    // `*` does not cover copies of other accounts' streams.
    let level = isOwnRoot(node.stream.id) ? this.#byId.get('*') : undefined
    for (let at: StreamNode | undefined = node; at; at = at.parent) {
      if (levels.has(at)) {
        level = levels.get(at)
        break
      }
      passed.push(at)
      const { parent, stream } = at
      const granted = this.#byId.get(stream.id)
      const isMisplaced = granted === undefined && isMisplacedTag(streams, stream.id, parent?.stream.id)
      if (granted === undefined && !isMisplaced && !this.#endedById.has(stream.id)) continue
      level =
        granted ??
        this.#inheritedLevel(stream.id, isMisplaced, parent ? this.#levelAt(streams, parent) : level)
      break
    }
    for (const at of passed) levels.set(at, level)
    return level
  }

  /**
   * Does for {@link levelOnPath} what {@link #levelAt} does for existing streams: without the limit of the sharing app.
   */
  #levelOnPath(
    streams: StreamRepository,
    path: readonly string[],
    at: number | undefined
  ): Level | undefined {
    const root = path.at(-1)
    // The path leads to a system stream that no longer exists.
    if (root === undefined || (isSystemId(root) && !streams.find(root))) return 'none'
    const all = isOwnRoot(root) ? this.#byId.get('*') : root === accountId ? 'none' : undefined
    for (const [index, id] of path.entries()) {
      const level = this.#grantedLevel(streams, id, at)
      if (level !== undefined) return level
      const above = path.slice(index + 1)
      const isMisplaced = isMisplacedTag(streams, id, above[0])
      if (!isMisplaced && !this.#endedById.has(id)) continue
      return this.#inheritedLevel(
        id,
        isMisplaced,
        above.length > 0 ? this.#levelOnPath(streams, above, at) : all
      )
    }
    return all
  }

  /** Returns the level inherited by a stream with an ended permission, or by a misplaced tag stream. */
  #inheritedLevel(id: string, isMisplaced: boolean, above: Level | undefined): Level | undefined {
    const all = this.#byId.get('*')
    const hidden = hidesEvents(above) && above !== all ? 'none' : all
    const inherited = isMisplaced ? hidden : above
    const ended = this.#endedById.get(id)
    // An ended permission grants nothing, but what it withheld stays withheld.
    return ended && inherited ? intersectLevels(ended.level, inherited) : inherited
  }

  /**
   * Returns the level granted on the stream that had this id at the time `at`; without `at`, on the stream
   * that has the id or had it last. Returns `undefined` without a grant.
   */
  #grantedLevel(streams: StreamRepository, id: string, at: number | undefined): Level | undefined {
    const node = streams.find(id)
    const granted = this.#byId.get(id)
    if (granted !== undefined) {
      if (at === undefined || !node || node.stream.created <= at) return granted
      // The permission is about a newer stream with this id, but what it hides stays hidden.
      return hidesEvents(granted) ? 'none' : undefined
    }
    const ended = this.#endedById.get(id)
    if (!ended) return undefined
    const isAbout = at === undefined ? !node : ended.since <= at && at <= ended.until
    return isAbout ? ended.level : undefined
  }

  /**
   * Returns the level on a stream of shared secrets, which are outside the tree: an access reads its own, whatever it has
   * been granted.
   */
  #secretsLevel(streamId: string): Level {
    return this.access.id !== undefined && streamId === getSecretsStreamId(this.access.id) ? 'read' : 'none'
  }

  /**
   * Returns the level on an account stream: granted by name on it or an ancestor, else `none`; `*` does not cover
   * account streams. Streams that only mark values have no level: they neither open nor close an event.
   * (docs/spec/accesses.md#account-streams)
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

  /** Determines for each stream whether its events may be read, and whether it hides them. */
  #computeVisibleStreams(streams: StreamRepository): VisibleStreams {
    const readable = new Set<number>()
    const closed = new Set<number>()
    let isAllButAccountFields = true
    for (const node of streams.list()) {
      const { number } = node
      const level = this.levelAt(streams, node)
      const isAccount = number < 0
      if (allows(level, 'read')) readable.add(number)
      // Values of account fields are never in the user's own streams, so nothing has to be closed because of them.
      else if (level !== undefined && !isAccount) closed.add(number)
      if (readable.has(number) === isAccount) isAllButAccountFields = false
    }
    // System streams that the settings no longer define are in no tree, and open to no access.
    for (const number of streams.undefinedNumbers) closed.add(number)
    isAllButAccountFields &&= streams.undefinedNumbers.size === 0
    return { everything: false, readable, closed, ...(isAllButAccountFields && { isAllButAccountFields }) }
  }

  /** Drops the cached levels and visible streams, to make room for others. */
  dropCache(): void {
    this.#version = undefined
    this.#levels = new Map()
    this.#visibleStreams = undefined
  }

  #dropOutdatedLevels(streams: StreamRepository): void {
    if (this.#version === streams.version) return
    levelCache.register(this, streams.count)
    this.#version = streams.version
    this.#levels = new Map()
    this.#visibleStreams = undefined
  }
}

/**
 * Returns whether a tag stream lies below a stream that is no tag stream. Any event with the tag is in it, so of its
 * ancestors' levels it inherits only those that hide events.
 */
function isMisplacedTag(streams: StreamRepository, id: string, parentId: string | undefined): boolean {
  return parentId !== undefined && streams.isTagId(id) && !streams.isTagId(parentId)
}
