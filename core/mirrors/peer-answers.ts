/** What the server of another account answers: every part is checked, since nothing in it can be trusted. (docs/api/mirrors.md#limits) */
import type { MirrorError } from '../../schemas/mirrors/mirror.js'
import { getErrorId, type Endpoint, type PeerAnswer, type PeerCalls } from '../cmc/peers/peer-calls.js'
import { isPause } from '../cmc/peers/peer-pauses.js'
import { getKnownSize } from '../json/depth.js'
import { isObject } from '../validation/is-object.js'
import { maxTime, type Pass } from './progress.js'

/** Maximum length of an answer, in bytes. */
const maxPageBytes = 4 * 1024 * 1024
/** Maximum number of deletions that are read at a time. */
const maxDeletions = 1000

/** The other server says that the permission has ended. */
export class PermissionEnded extends Error {
  constructor(readonly status: number) {
    super('the permission has ended')
  }
}

/** The other server cannot be read at the moment. `retryAfter` in seconds. */
export class PeerFailed extends Error {
  constructor(
    readonly reason: MirrorError,
    readonly retryAfter = 0
  ) {
    super(reason.id)
  }
}

/** The other server gives nothing at the moment, whatever it is asked for. */
export class PeerAway extends PeerFailed {}

/** The answer is longer than {@link maxPageBytes}. */
export class PageTooLong extends Error {}

/** An object of an answer. */
export type Item = Readonly<Record<string, unknown>>

/** A page of events. */
export interface PeerPage {
  readonly events: readonly PeerEvent[]
  /** Time of the other server, in seconds. */
  readonly serverTime: number | undefined
  /** Whether it is long enough to be written in steps. */
  readonly isLong: boolean
}

/** An event of an answer. Its other members are not checked. */
export interface PeerEvent {
  readonly id: string
  readonly time: number
  readonly modified: number
  readonly item: Item
}

/**
 * Reads the streams that the access may see. Rejects with `PermissionEnded`, `PeerFailed` and `PageTooLong`.
 */
export async function readStreams(peers: PeerCalls, endpoint: Endpoint): Promise<readonly unknown[]> {
  const { streams } = await read(peers, endpoint, 'streams.get', { state: 'all' })
  return Array.isArray(streams) ? streams : refuse()
}

/** Reads a page of events. Rejects like {@link readStreams}, also for events out of order. */
export async function readPage(peers: PeerCalls, endpoint: Endpoint, pass: Pass): Promise<PeerPage> {
  const { limit, since, skip, toTime } = pass
  const body = await read(peers, endpoint, 'events.get', {
    state: 'all',
    fromTime: -maxTime,
    toTime,
    skip,
    limit,
    ...(since !== undefined && { modifiedSince: since })
  })
  const { events, meta } = body
  if (!Array.isArray(events)) refuse()
  const serverTime = isObject(meta) ? toNumber(meta['serverTime']) : undefined
  const page = events.slice(0, limit).map(toPeerEvent)
  let last = toTime
  for (const { time } of page) {
    if (time > last) refuse()
    last = time
  }
  return { events: page, serverTime, isLong: getKnownSize(body) > 0 }
}

/** Where the list of deletions goes on: those after a time in seconds, without a number of them. */
export interface DeletionPlace {
  readonly since: number
  readonly skip: number
}

/**
 * Reads deletions, the earliest first. `next`: where the list goes on. Malformed ones are omitted. Rejects
 * like {@link readStreams}.
 */
export async function readDeletions(
  peers: PeerCalls,
  endpoint: Endpoint,
  { since, skip }: DeletionPlace
): Promise<{
  readonly deletions: readonly { readonly id: string; readonly deleted: number }[]
  readonly next: DeletionPlace
  readonly isLast: boolean
}> {
  const { eventDeletions = [] } = await read(peers, endpoint, 'events.get', {
    // No event has this type.
    types: ['coffer/none'],
    state: 'all',
    fromTime: maxTime,
    toTime: maxTime,
    skip,
    limit: maxDeletions,
    sortAscending: true,
    modifiedSince: since,
    includeDeletions: true
  })
  if (!Array.isArray(eventDeletions)) refuse()
  const deletions = eventDeletions.slice(0, maxDeletions).flatMap((each: unknown) => {
    if (!isObject(each)) return []
    const { id, deleted } = each
    const time = toNumber(deleted)
    return typeof id === 'string' && time !== undefined && time > since ? [{ id, deleted: time }] : []
  })
  const last = deletions.reduce((latest, { deleted }) => Math.max(latest, deleted), since)
  const isLast = eventDeletions.length < maxDeletions || deletions.length === 0
  if (isLast) return { deletions, isLast, next: { since: last, skip: 0 } }
  // More may have been made at the time of the last one.
  const before = deletions.reduce(
    (time, { deleted }) => (deleted < last ? Math.max(time, deleted) : time),
    since
  )
  const count = deletions.filter(({ deleted }) => deleted > before).length
  return { deletions, isLast, next: { since: before, skip: before === since ? skip + count : count } }
}

async function read(
  peers: PeerCalls,
  endpoint: Endpoint,
  method: 'events.get' | 'streams.get',
  params: object
): Promise<PeerAnswer['body']> {
  const answer = await peers.call(endpoint, method, params, maxPageBytes)
  if (answer.status === 200) return answer.body
  if (hasEnded(answer)) throw new PermissionEnded(answer.status)
  throw toError(answer)
}

/**
 * Returns what an answer without a result means: `PageTooLong`, or `PeerFailed`. Whether the permission has ended shows in lists of events: a
 * single one may only have been deleted or moved.
 */
export function toError({ problem, retryAfter, status }: PeerAnswer): PageTooLong | PeerFailed {
  if (problem === 'too-long') return new PageTooLong()
  const ids = { internal: 'internal-address', timeout: 'timeout', unreachable: 'unreachable' } as const
  return new PeerFailed(problem ? { id: ids[problem] } : { id: 'refused', status }, retryAfter)
}

/** Statuses that may be those of a whole server, or of the proxy before it, rather than of one event. */
const awayStatuses: ReadonlySet<number> = new Set([301, 401, 429, 502, 503, 504])

/**
 * Finds out whether a failure is that of the whole server, by asking it whether it answers at all. Returns `undefined` if it does: then the
 * failure is that of one event. A server that asks not to be called for a while is not asked. Never rejects.
 */
export async function findOutage(
  { endpoint, peers }: { readonly endpoint: Endpoint; readonly peers: PeerCalls },
  failure: PeerFailed
): Promise<PeerAway | undefined> {
  if (!mayBeAway(failure)) return undefined
  const { reason, retryAfter } = failure
  if (retryAfter > 0 && isPause(reason.status ?? 0)) return new PeerAway(reason, retryAfter)
  const answer = await peers.call(endpoint, 'getAccessInfo')
  const error = answer.status === 200 ? undefined : toError(answer)
  return error instanceof PeerFailed && mayBeAway(error)
    ? new PeerAway(error.reason, error.retryAfter)
    : undefined
}

/** Returns whether a failure may be that of the whole server: there was no answer, or none of its own. */
export function mayBeAway({ reason: { id, status } }: PeerFailed): boolean {
  if (id === 'refused') return awayStatuses.has(status ?? 0)
  return id === 'internal-address' || id === 'timeout' || id === 'unreachable'
}

/** Returns whether an answer says that the permission has ended. Whatever else goes wrong is no reason to erase anything. */
function hasEnded(answer: PeerAnswer): boolean {
  const { status } = answer
  if (status !== 401 && status !== 403 && status !== 410) return false
  const id = getErrorId(answer)
  return id === 'invalid-access-token' || id === 'forbidden'
}

function toPeerEvent(item: unknown): PeerEvent {
  if (!isObject(item)) refuse()
  const { id } = item
  const [time, modified] = [toNumber(item['time']), toNumber(item['modified'])]
  if (typeof id !== 'string' || id === '' || id.length > 1024) refuse()
  if (time === undefined || modified === undefined || Math.abs(time) > maxTime) refuse()
  return { id, time, modified, item }
}

function toNumber(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function refuse(): never {
  throw new PeerFailed({ id: 'odd-response' })
}
