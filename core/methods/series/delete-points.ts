/** `hfs.deletePoints`: removes the points of a range below their holder event. (docs/spec/series.md#deleting-points) */
import { Type, type Static } from 'typebox'
import { Event } from '../../../schemas/event.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import type { Holder } from '../../../storage/repositories/series.js'
import type { Range } from '../../../storage/series/page.js'
import { anyAccess } from '../../auth/allow.js'
import { authenticate } from '../../auth/authenticate.js'
import { method, type Call } from '../../call/method.js'
import { toPublicEvent } from '../../events/public-event.js'
import { updateHolder } from '../../series/holder-updater.js'
import { requireReducibleHolder } from '../../series/holder.js'
import { noteRemovedPoints } from '../../series/touched-points.js'
import { bounds, assertRangeOrder, resolveRange } from '../../series/listing.js'
import { omitNulls } from '../../validation/omit-nulls.js'

const Params = Type.Object({ id: Identifier, ...bounds }, closed)

/**
 * Removes the points that `hfs.get` with the same bounds returns. Many points are removed in several writes, beginning
 * with the earliest points, with other work in between: a crash leaves the beginning of the range removed.
 */
export const deletePoints = method({
  id: 'hfs.deletePoints',
  summary: 'Delete points of a series',
  params: Params,
  result: Type.Object({
    status: Type.Literal('ok'),
    removed: Type.Integer({ minimum: 0 }),
    event: Event
  }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccess,
  prepare: removeAllButLast,
  run(call, params, before = 0) {
    const { caller, changes, now, store } = call
    const { holder, range } = findTarget(call, params)
    const writing = { writer: caller.signature, written: now }
    noteRemovedPoints(store, holder, range)
    let removed = before
    for (let isDone = false; !isDone;) {
      const removal = store.series.remove(holder.number, range, writing)
      removed += removal.count
      isDone = removal.isDone
    }
    const behind = store.series.findOutdated(holder.number)
    const text = behind ? updateHolder(store, behind, changes) : store.events.findText(holder.id)!.body
    store.series.removeIfEmpty(holder.number)
    return { status: 'ok', removed, event: toPublicEvent(call, text) }
  }
})

/** Removes points in several writes, until one write can remove the rest; returns the number of removed points. */
async function removeAllButLast(call: Call, params: Static<typeof Params>): Promise<number> {
  let removed = 0
  for (;;) {
    const { store } = refreshCall(call)
    if (!store.read(() => isLarge(call, params))) return removed
    removed += await store.write(() => {
      const present = refreshCall(call)
      const { holder, range } = findTarget(present, params)
      const writing = { writer: present.caller.signature, written: call.now }
      noteRemovedPoints(present.store, holder, range)
      return present.store.series.remove(holder.number, range, writing).count
    }, call.caller.accessId)
  }
}

function isLarge(call: Call, params: Static<typeof Params>): boolean {
  const present = refreshCall(call)
  const { holder, range } = findTarget(present, params)
  return present.store.series.spansManyChunks(holder.number, range)
}

/** Re-reads the call's state after an await. */
function refreshCall(call: Call): Call {
  const { account, services, credentials } = call
  const store = services.accounts.openStore(account)
  if (call.caller.isCurrent(store)) return call
  return {
    ...call,
    store,
    caller: authenticate({ services, account, store, credentials, now: services.clock.now(), isUse: false })
  }
}

function findTarget(call: Call, params: Static<typeof Params>): { holder: Holder; range: Range } {
  const given = omitNulls(params)
  assertRangeOrder(given)
  const holder = requireReducibleHolder(call, given.id)
  return { holder, range: resolveRange(given, holder, call.now) }
}
