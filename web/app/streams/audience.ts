/** Determines which accesses may see a stream, and how that changes when it is moved or deleted. (docs/spec/accesses.md#levels) */
import { getEnd } from '../data/access-facts.js'
import type { Access, Level } from '../data/model.js'
import type { Tree } from '../data/tree.js'

/** An access and its level on a stream. */
interface StreamAccess {
  readonly access: Access
  readonly level: Level
}

/** Accesses that gain or lose permission to read a stream. */
interface AudienceChange {
  readonly gains: readonly Access[]
  readonly loses: readonly Access[]
}

/**
 * Returns the level of an access on a stream: the level of the nearest ancestor with a permission, else the level on all
 * streams.
 */
function getLevel({ permissions }: Access, path: readonly string[]): Level {
  for (const id of [...path.toReversed(), '*']) {
    const level = permissions.find(each => 'streamId' in each && each.streamId === id)
    if (level && 'level' in level) return level.level
  }
  return 'none'
}

/**
 * Returns the accesses with a level on a stream, without the user's own sessions and ended ones. `path`: ids from the root; `now`
 * in seconds.
 */
export function listStreamAccesses(
  accesses: readonly Access[],
  path: readonly string[],
  now: number
): readonly StreamAccess[] {
  return accesses
    .filter(access => isActive(access, now))
    .map(access => ({ access, level: getLevel(access, path) }))
    .filter(({ level }) => level !== 'none')
}

/**
 * Returns which accesses gain or lose permission to read a stream that moves from one path to another. Ended
 * accesses and sessions are skipped. `now` in seconds.
 */
export function compareAudience(
  accesses: readonly Access[],
  before: readonly string[],
  after: readonly string[],
  now: number
): AudienceChange {
  const own = accesses.filter(access => isActive(access, now))
  return {
    gains: own.filter(access => !mayRead(access, before) && mayRead(access, after)),
    loses: own.filter(access => mayRead(access, before) && !mayRead(access, after))
  }
}

/**
 * Returns the accesses with permissions on one of these streams, which end when the streams are deleted.
 * Skips the user's sessions and ended accesses. `now` in seconds.
 */
export function listNamingAccesses(
  accesses: readonly Access[],
  ids: readonly string[],
  now: number
): readonly Access[] {
  const streamIds = new Set(ids)
  return accesses.filter(
    access =>
      isActive(access, now) &&
      access.permissions.some(
        each => 'streamId' in each && streamIds.has(each.streamId) && each.level !== 'none'
      )
  )
}

/**
 * Returns the ids from the root to a stream, which is included. Empty for the root, and for an unknown
 * stream.
 */
export function getPathIds(tree: Tree | undefined, id: string | null): readonly string[] {
  return id === null ? [] : (tree?.getPath(id).map(each => each.id) ?? [])
}

/** Returns whether an access may read a stream. */
function mayRead(access: Access, path: readonly string[]): boolean {
  return !['none', 'create-only'].includes(getLevel(access, path))
}

function isActive(access: Access, now: number): boolean {
  return access.type !== 'personal' && getEnd(access) > now
}
