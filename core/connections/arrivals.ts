/** Counts what arrives from a connection. */
import type { Arrivals } from '../../schemas/connection.js'

/** Maximum length of the names of all kinds that are counted, in characters. */
const maxNamesLength = 100_000
/** Maximum length of a name, in characters. */
const maxNameLength = 200
/** Counts kinds for which there is no room. */
const otherKinds = '…'
const maxMessageLength = 500
/** Maximum number of bodies that wait for a mapping, and of their characters. */
const maxWaiting = 20
const maxWaitingLength = 100_000

/** The state of a connection from which nothing has arrived. */
export const noArrivals: Arrivals = {
  lastHeard: null,
  received: 0,
  notUnderstood: {},
  waiting: [],
  lastProblem: null
}

/**
 * Returns the arrivals with a request added. `notUnderstood`: numbers of items that were not stored, by kind.
 * Kinds for which there is no room are counted together as `…`.
 */
export function addArrivals(
  before: Arrivals,
  now: number,
  received: number,
  notUnderstood: ReadonlyMap<string, number>
): Arrivals {
  return {
    ...before,
    lastHeard: now,
    received: before.received + received,
    notUnderstood: addCounts(before.notUnderstood, notUnderstood)
  }
}

/**
 * Returns the arrivals with a failed request, whose message is cut after 500 characters, as the last problem.
 */
export function addProblem(
  before: Arrivals,
  time: number,
  { id, message }: { readonly id: string; readonly message: string }
): Arrivals {
  return {
    ...before,
    lastHeard: time,
    lastProblem: { time, id, message: message.slice(0, maxMessageLength) }
  }
}

/** Adds bodies that wait for a mapping. Bodies for which there is no room are counted as not understood. */
export function addWaiting(before: Arrivals, now: number, bodies: readonly unknown[]): Arrivals {
  const waiting = [...before.waiting]
  let length = JSON.stringify(waiting).length
  let excess = 0
  for (const body of bodies) {
    length += JSON.stringify(body).length
    if (waiting.length < maxWaiting && length <= maxWaitingLength) waiting.push({ time: now, body })
    else excess++
  }
  const missed = new Map(excess > 0 ? [['body', excess]] : [])
  return { ...before, waiting, notUnderstood: addCounts(before.notUnderstood, missed) }
}

/** Returns the counts with others added. Names are truncated, and counted together once all names are too long. */
function addCounts(
  before: Arrivals['notUnderstood'],
  added: ReadonlyMap<string, number>
): Arrivals['notUnderstood'] {
  if (added.size === 0) return before
  const counts = new Map(Object.entries(before))
  let length = 0
  for (const name of counts.keys()) length += name.length
  for (const [given, count] of added) {
    let name = given.slice(0, maxNameLength)
    if (!counts.has(name) && length + name.length > maxNamesLength) name = otherKinds
    if (!counts.has(name)) length += name.length
    counts.set(name, (counts.get(name) ?? 0) + count)
  }
  return Object.fromEntries(counts)
}
