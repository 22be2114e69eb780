/** Who may see a stream, and what changes for them when it moves or goes. (docs/spec/accesses.md#levels) */
import type { Access, Level } from '../data/model.js'
import type { Tree } from '../data/tree.js'

/** An access, and its level on a stream. */
export interface Seer {
  readonly access: Access
  readonly level: Level
}

/** Who gains and who loses sight of something. */
export interface SightChange {
  readonly gains: readonly Access[]
  readonly loses: readonly Access[]
}

/** Returns the level of an access on a stream: that of the nearest stream on its path that the access names, else that on all. */
export function levelOn({ permissions }: Access, path: readonly string[]): Level {
  for (const id of [...path.toReversed(), '*']) {
    const level = permissions.find(each => 'streamId' in each && each.streamId === id)
    if (level && 'level' in level) return level.level
  }
  return 'none'
}

/** Returns whoever else may do something with a stream: not the person's own sessions, nor what has ended. `path`: ids from the root. */
export function seersOf(accesses: readonly Access[], path: readonly string[], now: number): readonly Seer[] {
  return accesses
    .filter(access => isInForce(access, now))
    .map(access => ({ access, level: levelOn(access, path) }))
    .filter(({ level }) => level !== 'none')
}

/** Returns who gains or loses the sight of a stream that moves from one path to another. */
export function sightChange(
  accesses: readonly Access[],
  before: readonly string[],
  after: readonly string[],
  now: number
): SightChange {
  const own = accesses.filter(access => isInForce(access, now))
  return {
    gains: own.filter(access => !sees(access, before) && sees(access, after)),
    loses: own.filter(access => sees(access, before) && !sees(access, after))
  }
}

/** Returns the accesses that name a stream or one below it, whose permission ends when it is deleted. */
export function namedBy(accesses: readonly Access[], ids: readonly string[], now: number): readonly Access[] {
  const named = new Set(ids)
  return accesses.filter(
    access =>
      isInForce(access, now) &&
      access.permissions.some(each => 'streamId' in each && named.has(each.streamId) && each.level !== 'none')
  )
}

/** Ids from the root down to a stream, and the stream itself. */
export function idsTo(tree: Tree | undefined, id: string | null): readonly string[] {
  return id === null ? [] : (tree?.pathOf(id).map(each => each.id) ?? [])
}

/** Whether an access reads what is in a stream. */
function sees(access: Access, path: readonly string[]): boolean {
  return !['none', 'create-only'].includes(levelOn(access, path))
}

function isInForce({ deleted, expires, type }: Access, now: number): boolean {
  return type !== 'personal' && deleted === undefined && (expires ?? Infinity) > now
}
