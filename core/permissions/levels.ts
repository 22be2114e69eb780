/** Levels of permissions: what each level allows, and which level allows what two levels allow. */
import type { Level } from '../../schemas/permission.js'

/** An action on a stream, or on the events in it. */
export type Action = 'list' | 'read' | 'create' | 'contribute' | 'manage'

/** The levels that allow each action. `create-only` lists the stream and adds events, but reads no events. */
const levelsByAction: Readonly<Record<Action, ReadonlySet<Level>>> = {
  list: new Set(['read', 'create-only', 'contribute', 'manage']),
  read: new Set(['read', 'contribute', 'manage']),
  create: new Set(['create-only', 'contribute', 'manage']),
  contribute: new Set(['contribute', 'manage']),
  manage: new Set(['manage'])
}

/** Rank of each level: of several permissions on the same stream, the highest applies. */
export const ranks: Readonly<Record<Level, number>> = {
  none: 0,
  read: 1,
  'create-only': 2,
  contribute: 3,
  manage: 4
}

/** Returns whether a level allows an action. */
export function allows(level: Level | undefined, action: Action): boolean {
  return level !== undefined && levelsByAction[action].has(level)
}

/** Returns whether a level hides the events of a stream, even events that are in a readable stream as well. */
export function hidesEvents(level: Level | undefined): boolean {
  return level === 'none' || level === 'create-only'
}

/** Returns the level that allows what both levels allow. */
export function intersectLevels(a: Level, b: Level): Level {
  const [lowerLevel, higherLevel] = ranks[a] < ranks[b] ? [a, b] : [b, a]
  // `read` adds nothing, and `create-only` reads nothing.
  return lowerLevel === 'read' && higherLevel === 'create-only' ? 'none' : lowerLevel
}

/**
 * Limits a shared level to the level of the app that shared it (`holder`): what is hidden from the app stays
 * hidden, even where nothing was shared. Returns `undefined` if neither side grants or hides anything.
 */
export function limitLevel(level: Level | undefined, holder: Level | undefined): Level | undefined {
  if (hidesEvents(holder)) return 'none'
  if (level === undefined || level === 'none') return level
  return holder && intersectLevels(level, holder)
}
