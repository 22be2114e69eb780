/** The end of a mirror: its copy is erased, and a receipt says so. (docs/api/mirrors.md#ends) */
import type { Mirror, MirrorEnd } from '../../schemas/mirrors/mirror.js'
import type { StoredMirror } from '../../storage/mirrors/mirror-repository.js'
import type { Account } from '../../storage/platform/account.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Call } from '../call/method.js'
import type { Services } from '../call/services.js'
import { getOwnName } from '../cmc/names.js'
import { recordAction, writeAsService, writeStepsAsService } from '../cmc/service-calls.js'
import { ensureSigningKey } from '../oauth/keys.js'
import { signToken } from '../oauth/jwt.js'
import { getCounterparty } from '../permissions/peer-access.js'
import { endPermissions } from '../streams/ended-permissions.js'
import { listSubtree } from '../streams/tree.js'
import { eraseEvents } from './copied-events.js'
import { emptySeries } from './copied-points.js'
import { listOthers, removeStreams } from './copied-streams.js'
import { parseProgress } from './progress.js'

/** Number of events that are erased in one transaction, and of streams. */
const eraseLimit = 200
/** The media type of a receipt. */
const receiptType = 'erasure-receipt+jwt'

/**
 * Ends a mirror: from now on nothing is copied, permissions on the copy have ended, and the copy is erased as soon as
 * possible. Records the end in the audit. One that has ended is returned as it is.
 */
export function* endMirror(call: Call, stored: StoredMirror, reason: MirrorEnd): Steps<Mirror> {
  const { mirror } = stored
  if (mirror.state === 'erasing' || mirror.state === 'erased') return mirror
  const { error: _error, ...rest } = mirror
  const ended: Mirror = { ...rest, state: 'erasing', ended: { reason, time: call.now } }
  const { pass: _pass, ...progress } = parseProgress(stored)
  // The access may have been deleted.
  const farewell = getCounterparty(call.store.accesses.findEver(mirror.accessId))?.counterparty.apiEndpoint
  call.store.mirrors.put({
    mirror: ended,
    next: call.now,
    progress: JSON.stringify({ ...progress, erased: 0, ...(farewell !== undefined && { farewell }) })
  })
  const root = call.store.streams.find(mirror.streamId)
  if (root) yield* endPermissions(call, listSubtree(root), call.store.stamp(call.now))
  call.changes.add('timers')
  recordAction(call, 'mirrors.ended', { peer: mirror.person, accessId: mirror.accessId })
  return ended
}

/**
 * Erases the copy of a mirror that has ended, its streams and its events with points, files and versions, in
 * bounded steps, and signs the receipt. Does nothing for a mirror in another state. Records it in the audit.
 */
export async function eraseCopy(services: Services, account: Account, id: string): Promise<void> {
  const store = (): UserStore => services.accounts.openStore(account)
  for (let isDone = false; !isDone;) {
    await emptySeries(
      { account, id, services },
      store().mirrors.listUnseen(id, Number.MAX_SAFE_INTEGER, eraseLimit)
    )
    isDone = await writeStepsAsService(services, account, call => eraseSome(call, id))
  }
  const key = await ensureSigningKey(services, services.clock.now())
  await writeAsService(services, account, call => {
    const stored = call.store.mirrors.find(id)
    if (stored?.mirror.state !== 'erasing') return
    const { mirror } = stored
    const { now } = call
    const receipt = signToken(key, receiptType, {
      iss: services.config.publicUrl,
      iat: Math.floor(now),
      jti: mirror.id,
      sub: `${mirror.person.username}@${mirror.person.host}`,
      keeper: getOwnName(services.config, account.username),
      ended: mirror.ended,
      erasedEvents: parseProgress(stored).erased ?? 0,
      erased: now
    })
    const erased: Mirror = { ...mirror, state: 'erased', events: 0, erased: now, receipt }
    // Next, the owner is notified.
    call.store.mirrors.put({ ...stored, mirror: erased, next: now })
    recordAction(call, 'mirrors.erased', { peer: mirror.person, accessId: mirror.accessId })
    call.changes.add('timers')
  })
}

/** Returns whether nothing is left. */
function* eraseSome(call: Call, id: string): Steps<boolean> {
  const { mirrors, streams } = call.store
  const stored = mirrors.find(id)
  if (stored?.mirror.state !== 'erasing') return true
  const { mirror } = stored
  const ids = mirrors.listUnseen(id, Number.MAX_SAFE_INTEGER, eraseLimit)
  yield* eraseEvents(call, mirror, ids)
  if (ids.length > 0) {
    const progress = parseProgress(stored)
    const erased = (progress.erased ?? 0) + ids.length
    mirrors.put({ ...stored, progress: JSON.stringify({ ...progress, erased }) })
    return false
  }
  const nodes = listOthers(call, mirror, []).toReversed()
  const root = streams.find(mirror.streamId)
  yield* removeStreams(call, [...nodes, ...(root ? [root] : [])].slice(0, eraseLimit))
  return nodes.length < eraseLimit
}
