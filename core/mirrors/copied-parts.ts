/**
 * What belongs to copied events besides what lists of events tell: points and files. What remains to be read of an event is stored with the
 * event, in one transaction, and read afterwards, event by event, those waiting longest first. (docs/api/mirrors.md#points-and-files)
 */
import type { Event } from '../../schemas/event.js'
import type { Mirror } from '../../schemas/mirrors/mirror.js'
import type { MirrorPart } from '../../storage/mirrors/mirror-repository.js'
import type { Call } from '../call/method.js'
import { isSeries } from '../events/fields.js'
import { copyFilesOf, lacksFiles } from './copied-files.js'
import { CopiedPoints } from './copied-points.js'
import { getStore, loadMirror, writeCopy, type CopyContext } from './copy-context.js'
import { findOrigin } from './copied-streams.js'
import { OutOfTurn, PartBudget } from './part-budget.js'
import { findOutage, mayBeAway, PeerAway, PeerFailed } from './peer-answers.js'
import { PointsUnavailable } from './peer-points.js'

/** Seconds until the next attempt for one event, by the number of failures; afterwards it waits for the next comparison. */
const delays = [60, 600, 3600, 6 * 3600]

/** Records what remains to be read of an event that has been copied. */
export function noteParts({ now, services, store: { mirrors } }: Call, mirror: Mirror, event: Event): void {
  const { id, type } = event
  const part = { id, isDoubtful: 0, at: 0, next: now, failures: 0 } as const
  if (isSeries(type)) {
    const before = mirrors.findPart(mirror.id, { id, kind: 'points' })
    mirrors.putPart(mirror.id, { ...part, kind: 'points', ...(before && keepDoubt(before)) })
  }
  if (lacksFiles(services, event)) mirrors.putPart(mirror.id, { ...part, kind: 'files' })
  else mirrors.removePart(mirror.id, { id, kind: 'files' })
}

/** Returns what remains to be read again of points that have changed: of those that change all the time, it would never be read. */
function keepDoubt({ at, isDoubtful, next }: MirrorPart): Pick<MirrorPart, 'at' | 'isDoubtful'> {
  if (isDoubtful === 1 || isDoubtful === 2) return { at, isDoubtful: next === null ? 3 : 4 }
  return { at, isDoubtful }
}

/**
 * Reads the points or files that remain, one event after the other. Returns true once nothing is due, and false if the
 * budget of this contact is used up. An event that the peer refuses is postponed, and the next one is read. Rejects with
 * `PeerAway` if the peer is down: the event stays due, after those that are due already; if the peer asks not to be called for a
 * while, that counts as a failure of the event as well, since it may be for its sake.
 */
export async function copyParts(context: CopyContext, kind: MirrorPart['kind']): Promise<boolean> {
  const { clock } = context.services
  const budget = new PartBudget(clock, () => context.isStopped())
  for (;;) {
    const part = loadMirror(context) && findDue(context, kind)
    if (!part) return true
    let { at } = part
    try {
      if (kind === 'points') await copyPoints(context, part, budget)
      else await copyFiles(context, part, { budget, save: place => (at = place) })
    } catch (error) {
      if (error instanceof OutOfTurn) {
        // The other files of the event have their turn first: one may take a whole turn.
        if (kind === 'files') await savePart(context, { ...part, at, next: clock.now() })
        return false
      }
      if (error instanceof PeerAway) {
        // Reading this part may be what brings the peer down: the others are read first next time.
        if (error.retryAfter > 0) await postpone(context, { ...part, at }, error)
        else await savePart(context, { ...part, at, next: clock.now() })
        throw error
      }
      if (!(error instanceof PeerFailed)) throw error
      await postpone(context, kind === 'files' ? { ...part, at: 0 } : part, error)
    }
  }
}

/** Finds the part that is due first. */
export function findDue(context: CopyContext, kind: MirrorPart['kind']): MirrorPart | undefined {
  const store = getStore(context)
  return store.read(() => store.mirrors.findDuePart(context.id, kind, context.services.clock.now()))
}

/** Copies the files of one event that are missing. Rejects as {@link copyFilesOf} does. */
async function copyFiles(
  context: CopyContext,
  part: MirrorPart,
  turn: { readonly budget: PartBudget; readonly save: (at: number) => void }
): Promise<void> {
  await copyFilesOf(context, part.id, { from: part.at, ...turn })
  await writeCopy(context, ({ services, store }, { mirror }) => {
    const event = store.events.find(part.id)
    // The event may have got others in the meantime.
    if (!event || !lacksFiles(services, event)) store.mirrors.removePart(mirror.id, part)
  })
}

/**
 * Copies or compares the points of one event. Points that the peer cannot give wait for the next comparison. Rejects with `PeerAway` if the
 * peer is down, and with `PeerFailed` if it refuses only this event.
 */
async function copyPoints(context: CopyContext, part: MirrorPart, budget: PartBudget): Promise<void> {
  const store = getStore(context)
  const [holder, event] = store.read(() => [store.series.findHolder(part.id), store.events.find(part.id)])
  const remoteId = event && findOrigin(event)
  if (!holder || remoteId === undefined || !isSeries(holder.type)) return await removePart(context, part)
  const points = new CopiedPoints(context, holder, remoteId, budget)
  try {
    if (part.isDoubtful === 1 || part.isDoubtful === 2) await rereadPoints(context, part, { points, budget })
    else await comparePoints(context, part, points)
  } catch (error) {
    if (error instanceof PeerFailed) throw (await findOutage(context, error)) ?? error
    if (!(error instanceof PointsUnavailable)) throw error
    await savePart(context, { ...part, next: null })
  }
}

/** Compares points that have changed. What that cannot find out is read again after the next comparison of the whole copy. */
async function comparePoints(context: CopyContext, part: MirrorPart, points: CopiedPoints): Promise<void> {
  try {
    if (await points.compare()) return await removePart(context, part)
    const next = part.isDoubtful === 4 ? context.services.clock.now() : null
    await savePart(context, { ...part, isDoubtful: part.at > 0 ? 2 : 1, next, failures: 0 })
  } catch (error) {
    // Those that have waited longer have their turn first.
    if (error instanceof OutOfTurn) await savePart(context, { ...part, next: context.services.clock.now() })
    throw error
  }
}

/** Reads points again, as many as one turn allows; the others after the next comparison. */
async function rereadPoints(
  context: CopyContext,
  part: MirrorPart,
  { budget, points }: { readonly budget: PartBudget; readonly points: CopiedPoints }
): Promise<void> {
  const { isFresh } = budget
  let at = part.at
  try {
    await points.reread(at, place => (at = place))
    if (part.isDoubtful === 1) await removePart(context, part)
    else await savePart(context, { ...part, isDoubtful: 1, at: 0, next: null })
  } catch (error) {
    if (!(error instanceof OutOfTurn)) throw error
    await savePart(context, { ...part, at, next: isFresh ? null : context.services.clock.now() })
    if (!isFresh) throw error
  }
}

async function postpone(context: CopyContext, part: MirrorPart, failure: PeerFailed): Promise<void> {
  // A connection that was lost may have been that of a server that is there again.
  const delay = (mayBeAway(failure) ? [0, ...delays] : delays)[part.failures]
  const next = delay === undefined ? null : context.services.clock.now() + Math.max(delay, failure.retryAfter)
  await savePart(context, { ...part, next, failures: part.failures + 1 })
}

/** Stores a part, unless its event has been erased in the meantime: files are read while contacts are made. */
async function savePart(context: CopyContext, part: MirrorPart): Promise<void> {
  await writeCopy(context, ({ store: { mirrors } }, { mirror }) => {
    if (mirrors.findEvent(mirror.id, part.id)) mirrors.putPart(mirror.id, part)
  })
}

async function removePart(context: CopyContext, part: MirrorPart): Promise<void> {
  await writeCopy(context, ({ store }, { mirror }) => store.mirrors.removePart(mirror.id, part))
}
