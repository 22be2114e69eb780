/** Brings the copy of one mirror up to date: streams, deletions, then events, page by page. (docs/api/mirrors.md#how-it-is-kept-up-to-date) */
import type { StoredMirror } from '../../storage/mirrors/mirror-repository.js'
import type { Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import { applyEvent, eraseEvents, getCopiedEventId, listLeaving } from './copied-events.js'
import { copyParts } from './copied-parts.js'
import { emptySeries } from './copied-points.js'
import {
  getStore,
  loadMirror,
  saveProgress,
  writeCopy,
  writeCopyInSteps,
  type CopyContext
} from './copy-context.js'
import { findOutdated, insertRoot, listOthers, planStreams, writeStream } from './copied-streams.js'
import {
  PageTooLong,
  PeerFailed,
  readDeletions,
  readPage,
  readStreams,
  type PeerPage
} from './peer-answers.js'
import { createRemovalWork } from '../streams/removal-work.js'
import { limitWait } from '../time.js'
import { removeOthers } from './removed-streams.js'
import { endPass, getFirstDeletion, pageLimit, parseProgress, startPass, type Pass } from './progress.js'

/** Number of pages, and seconds, after which other mirrors have their turn: a slow server must not hold its slot. */
const maxPages = 20
const maxSeconds = 30
/** Number of streams that are written in one transaction, and of events that are erased. */
const writeLimit = 200
/** Maximum number of events of a copy, and of events of a pass that are omitted because they are too large. */
const maxEvents = 2_000_000
const maxTooLarge = 1000
/** Maximum number of events of a page that may have one time: a server may repeat the same page forever. */
const maxAtOneTime = 100_000
/** Number of pages between two counts. */
const countedPages = 50
/** Seconds between two comparisons of the whole copy, if it is small, and if it has more than {@link manyEvents}. */
const comparisonSeconds = 86_400
const longComparisonSeconds = 7 * 86_400
const manyEvents = 100_000
/** The same after other streams have become visible. */
const doubtSeconds = 600

/**
 * Copies what has changed, for some pages or seconds at most. Returns whether the copy is up to date; false if
 * there is more. Rejects with `PermissionEnded`, `PeerFailed` and `PageTooLong`. Also rejects if the copy
 * would exceed the quota or the number of streams: see `toFailure` in `outcomes.ts`.
 */
export async function copyMirror(context: CopyContext): Promise<boolean> {
  return (await copyEvents(context)) && (await copyParts(context, 'points'))
}

/**
 * Copies pages until the copy is up to date, or the limit of time or pages is reached. Returns whether it is up to
 * date.
 */
async function copyEvents(context: CopyContext): Promise<boolean> {
  if (!(await copyStreams(context))) return false
  const { clock } = context.services
  const end = clock.now() + maxSeconds
  if (!(await copyDeletions(context, end))) return false
  let hasReadChanges = false
  for (let pages = 0; pages < maxPages && !context.isStopped() && clock.now() < end; pages++) {
    const state = loadMirror(context)
    if (!state) return true
    const progress = parseProgress(state)
    let { pass } = progress
    if (!pass) {
      const isFull = needsComparison(state, clock.now())
      if (!isFull && hasReadChanges) return await sweep(context)
      hasReadChanges ||= !isFull
      pass = isFull ? startPass() : startPass(progress.cursor)
      if (isFull) await beginComparison(context, pass)
    }
    await copyPage(context, pass)
  }
  return false
}

/**
 * Makes the streams those that may be seen now; the others are removed, with events that are in no other.
 * Returns false if the mirror has ended.
 */
async function copyStreams(context: CopyContext): Promise<boolean> {
  const state = loadMirror(context)
  if (!state) return false
  const { mirror } = state
  const wanted = planStreams(mirror, await readStreams(context.peers, context.endpoint))
  const store = context.services.accounts.openStore(context.account)
  if (!store.read(() => store.streams.find(mirror.streamId)))
    await writeCopy(context, call => insertRoot(call, mirror))
  const outdated = store.read(() => findOutdated({ store }, wanted))
  for (let at = 0; at < outdated.length && !context.isStopped(); at += writeLimit)
    await writeCopy(context, (call, stored) => {
      const part = outdated.slice(at, at + writeLimit)
      const isNew = part.some(each => !call.store.streams.find(each.id))
      for (const each of part) writeStream(call, each)
      if (isNew) saveProgress(call, stored, { ...parseProgress(stored), isDoubtful: true })
    })
  const others = store.read(() => listOthers({ store }, mirror, wanted)).toReversed()
  await removeOthers(context, mirror, others)
  return loadMirror(context) !== undefined
}

/** Erases what has been deleted since the last contact, until a time in seconds. Returns false if there is more. */
async function copyDeletions(context: CopyContext, end: number): Promise<boolean> {
  const { clock } = context.services
  for (let pages = 0; pages < maxPages && !context.isStopped() && clock.now() < end; pages++) {
    const state = loadMirror(context)
    const { deletedCursor: since, deletedSkip = 0 } = state ? parseProgress(state) : {}
    // Until the first comparison, deleted events are not seen at all.
    if (since === undefined) return true
    const place = { since, skip: deletedSkip }
    const { deletions, isLast, next } = await readDeletions(context.peers, context.endpoint, place)
    const copies = deletions.map(({ id }) => getCopiedEventId({ id: context.id }, id))
    await emptySeries(context, copies)
    if (deletions.length > 0)
      await writeCopyInSteps(context, function* (call, stored) {
        yield* eraseEvents(call, stored.mirror, copies)
        if (next.skip > maxAtOneTime) throw new PeerFailed({ id: 'too-many-events' })
        saveProgress(call, stored, {
          ...parseProgress(stored),
          deletedCursor: next.since,
          deletedSkip: next.skip
        })
      })
    if (isLast) return true
  }
  return false
}

/**
 * Returns whether the whole copy is to be compared with what is there: at first, then once a day or week, sooner after other streams have become
 * visible.
 */
function needsComparison(stored: StoredMirror, now: number): boolean {
  const { cursor, isDoubtful, isSweeping } = parseProgress(stored)
  if (cursor === undefined) return true
  if (isSweeping === true) return false
  const { events, lastComparison = 0 } = stored.mirror
  const interval = events > manyEvents ? longComparisonSeconds : comparisonSeconds
  const wait = isDoubtful === true ? doubtSeconds : interval
  return limitWait(lastComparison + wait, now, wait) <= now
}

/** Records that a comparison has begun. */
async function beginComparison(context: CopyContext, pass: Pass): Promise<void> {
  await writeCopy(context, (call, stored) => {
    const { isDoubtful: _doubt, ...progress } = parseProgress(stored)
    saveProgress(call, stored, { ...progress, comparison: progress.comparison + 1, pass })
  })
}

/** Copies one page of events. */
async function copyPage(context: CopyContext, pass: Pass): Promise<void> {
  let page: PeerPage
  try {
    page = await readPage(context.peers, context.endpoint, pass)
  } catch (error) {
    if (!(error instanceof PageTooLong)) throw error
    return await readLess(context, pass)
  }
  // Most contacts find no change: nothing is written then.
  if (pass.since !== undefined && pass.pages === 0 && page.events.length === 0) return
  await emptySeries(context, listLeavingOf(context, page))
  const write = (call: Call, stored: StoredMirror): Steps<void> => writePage(call, stored, page, pass)
  await writeCopyInSteps(context, write, page.isLong)
}

/** Writes what a page changes, and where the pass goes on. */
function* writePage(call: Call, stored: StoredMirror, page: PeerPage, pass: Pass): Steps<void> {
  const { mirror } = stored
  const progress = parseProgress(stored)
  const turn = { pass: progress.comparison, addWork: createRemovalWork(call.store) }
  let skipped = 0
  for (const event of page.events) {
    if ((yield* applyEvent(call, mirror, event, turn)) === 'skipped') skipped++
    yield
  }
  const isCounted = pass.pages % countedPages === countedPages - 1
  if (isCounted && call.store.mirrors.countEvents(mirror.id) > maxEvents)
    throw new PeerFailed({ id: 'too-many-events' })
  const next = advance(pass, page, call.now)
  if (next.skip > maxAtOneTime) throw new PeerFailed({ id: 'too-many-events' })
  const isFull = page.events.length >= pass.limit
  if (isFull) saveProgress(call, stored, { ...progress, pass: next }, { skipped: mirror.skipped + skipped })
  else finishPass(call, stored, next, skipped)
}

/** Lists events of a page that will be erased with their points. */
function listLeavingOf(context: CopyContext, { events }: PeerPage): string[] {
  const [stored, store] = [loadMirror(context), getStore(context)]
  return stored ? store.read(() => listLeaving({ store }, stored.mirror, events)) : []
}

/** Returns where a pass goes on after a page. */
function advance(pass: Pass, { events, serverTime }: PeerPage, now: number): Pass {
  const toTime = events.at(-1)?.time ?? pass.toTime
  const atEnd = events.filter(({ time }) => time === toTime).length
  return {
    ...pass,
    toTime,
    skip: atEnd + (toTime === pass.toTime ? pass.skip : 0),
    startedAt: pass.startedAt ?? serverTime ?? now,
    latest: events.reduce((latest, { modified }) => Math.max(latest, modified), pass.latest),
    pages: pass.pages + 1,
    // Smaller after a page that was too long.
    limit: Math.min(2 * pass.limit, pageLimit)
  }
}

/** Records the end of a pass. After a comparison, what has changed since is read before anything is erased. */
function finishPass(call: Call, stored: StoredMirror, pass: Pass, skipped: number): void {
  const { pass: _pass, ...progress } = parseProgress(stored)
  const { mirror } = stored
  if (pass.since !== undefined)
    return saveProgress(
      call,
      stored,
      { ...progress, cursor: endPass(progress, pass) },
      { skipped: mirror.skipped + skipped }
    )
  const cursor = progress.cursor ?? endPass(progress, pass)
  const deletedCursor = progress.deletedCursor ?? getFirstDeletion(pass)
  saveProgress(
    call,
    stored,
    { ...progress, cursor, deletedCursor, isSweeping: true },
    { state: 'live', lastComparison: call.now, skipped: mirror.skipped + skipped }
  )
  call.store.mirrors.wakeParts(mirror.id, call.now)
}

/** Goes on with smaller pages; passes over an event that alone is too long. Throws `PeerFailed` after too many of these. */
async function readLess(context: CopyContext, pass: Pass): Promise<void> {
  await writeCopy(context, (call, stored) => {
    const progress = parseProgress(stored)
    const { mirror } = stored
    if (pass.limit > 1) {
      const smaller = { ...pass, limit: Math.ceil(pass.limit / 4), pages: pass.pages + 1 }
      return saveProgress(call, stored, { ...progress, pass: smaller })
    }
    if (mirror.skipped >= maxTooLarge) throw new PeerFailed({ id: 'too-large' })
    const next = {
      ...pass,
      skip: pass.skip + 1,
      startedAt: pass.startedAt ?? call.now,
      pages: pass.pages + 1
    }
    saveProgress(call, stored, { ...progress, pass: next }, { skipped: mirror.skipped + 1 })
  })
}

/** Erases what the last comparison has not seen. Returns whether all is done; false if the service stops. */
async function sweep(context: CopyContext): Promise<boolean> {
  const state = loadMirror(context)
  if (!state || parseProgress(state).isSweeping !== true) return true
  while (!context.isStopped()) {
    await emptySeries(context, listUnseen(context))
    const isDone = await writeCopyInSteps(context, function* (call, stored) {
      const { isSweeping, ...progress } = parseProgress(stored)
      if (isSweeping !== true) return true
      const { mirror } = stored
      const ids = call.store.mirrors.listUnseen(mirror.id, progress.comparison, writeLimit)
      yield* eraseEvents(call, mirror, ids)
      if (ids.length < writeLimit) saveProgress(call, stored, progress)
      return ids.length < writeLimit
    })
    if (isDone !== false) return true
  }
  return false
}

/** Lists events that the last comparison has not seen. */
function listUnseen(context: CopyContext): string[] {
  const stored = loadMirror(context)
  if (!stored) return []
  const { mirrors } = getStore(context)
  return mirrors.listUnseen(context.id, parseProgress(stored).comparison, writeLimit)
}
