/** Calls that the service makes on its own behalf, and what it writes in them. */
import type { Access } from '../../schemas/access.js'
import type { Event } from '../../schemas/event.js'
import type { Account } from '../../storage/platform/account.js'
import { writeSteps, type Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { createCall, type Call } from '../call/method.js'
import type { Services } from '../call/services.js'
import type { Changes } from '../changes.js'
import { beginWrite } from '../dispatch/run-write.js'
import { createId } from '../ids.js'
import { Caller } from '../permissions/caller.js'
import { listStreamIds } from '../permissions/access.js'
import { isObject } from '../validation/is-object.js'
import { addTags } from '../streams/tags.js'
import type { Person } from '../permissions/peer-access.js'

/** Creates a call of the service itself. */
export function createServiceCall(services: Services, account: Account, store: UserStore): Call {
  const credentials = { ip: '127.0.0.1', via: 'http' } as const
  const now = services.clock.now()
  return createCall({ services, credentials, now }, { account, caller: new Caller(store, undefined), store })
}

/** Runs work of the service in one transaction, and publishes its changes once they are on disk. It may exceed the quota. */
export async function writeAsService<T>(
  services: Services,
  account: Account,
  work: (call: Call) => T
): Promise<T> {
  // oxlint-disable-next-line require-yield -- the work is one step
  return await writeStepsAsService(services, account, function* (call) {
    return work(call)
  })
}

/** Like {@link writeAsService}, for work that may pause: at once, but in steps if it throws `NeedsSteps`. */
export async function writeStepsAsService<T>(
  services: Services,
  account: Account,
  work: (call: Call) => Steps<T>
): Promise<T> {
  return await write(services, account, { mayExceedQuota: true }, work)
}

/**
 * Like {@link writeStepsAsService}, for what counts like what users write themselves; in steps if it `isLong`. Rejects with
 * `user-intervention-required` if it would exceed the quota.
 */
export async function writeWithinQuota<T>(
  services: Services,
  account: Account,
  work: (call: Call) => Steps<T>,
  isLong = false
): Promise<T> {
  return await write(services, account, { isLong }, work)
}

/**
 * Runs work in a transaction on behalf of the service, and publishes its changes once they are durable. Rejects with
 * what the work throws; then nothing is stored.
 */
async function write<T>(
  services: Services,
  account: Account,
  {
    isLong = false,
    mayExceedQuota = false
  }: { readonly isLong?: boolean; readonly mayExceedQuota?: boolean },
  work: (call: Call) => Steps<T>
): Promise<T> {
  let changes: Changes | undefined
  const stepsIn = function* (store: UserStore): Steps<T> {
    const call = createServiceCall(services, account, store)
    changes = call.changes
    const finish = beginWrite(mayExceedQuota ? { mayExceedQuota } : {}, call)
    const value = yield* work(call)
    yield* finish(true)
    return value
  }
  const result = await writeSteps(services.accounts.openStore(account), stepsIn, { isLong })
  services.bus.publish(account, changes!)
  return result
}

/** What {@link insertEvent} writes. */
interface NewEvent {
  readonly id?: string
  readonly streamId: string
  readonly type: string
  readonly content: object
  /** Members of the content that only some callers see. */
  readonly secrets?: object
}

/**
 * Inserts an event of the service, with the tags that its content yields. Checks neither content nor stream.
 */
export function insertEvent(
  call: Call,
  { content, id = createId(), secrets, streamId, type }: NewEvent
): Event {
  const { caller, changes, now, services, store } = call
  const at = store.stamp(now)
  const event = addTags(services, {
    id,
    streamIds: [streamId],
    streamId,
    time: now,
    type,
    content,
    created: at,
    createdBy: caller.signature,
    modified: at,
    modifiedBy: caller.signature
  })
  store.events.insert(event)
  if (secrets) store.cmc.setSecrets(id, secrets)
  changes.addEvent(event)
  return event
}

/** Changes members of an event's content; `undefined` removes one. Does nothing if the event is gone. */
export function amendContent(call: Call, id: string, changed: Readonly<Record<string, unknown>>): void {
  const { changes, now, store } = call
  const before = store.events.find(id)
  if (!before) return
  const content = { ...(isObject(before.content) ? before.content : {}), ...changed }
  const event: Event = {
    ...before,
    content: Object.fromEntries(Object.entries(content).filter(([, value]) => value !== undefined)),
    modified: store.stamp(now),
    modifiedBy: 'system'
  }
  changes.addEvent(before)
  store.events.amend(event)
  changes.addEvent(event)
}

/** Adds to the members of an event's content that only some callers see. */
export function addSecrets({ store }: Call, id: string, secrets: object): void {
  store.cmc.setSecrets(id, { ...store.cmc.findSecrets(id), ...secrets })
}

/** Inserts an access of the service. */
export function insertAccess(
  call: Call,
  access: Omit<Access, 'created' | 'createdBy' | 'modified' | 'modifiedBy'>
): Access {
  const { changes, now, store } = call
  const tracking = { created: now, createdBy: 'system', modified: now, modifiedBy: 'system' }
  const kept = store.accesses.insert({ ...access, ...tracking })
  changes.addAccess(kept, listStreamIds(kept))
  return kept
}

/**
 * Changes members of the mark of an access of the service; `undefined` removes one, the others stay. The
 * access keeps its `modified`.
 */
export function updateMark(call: Call, access: Access, mark: object): Access {
  const { changes, store } = call
  const clientData = { ...access.clientData, cmc: { ...(access.clientData?.['cmc'] as object), ...mark } }
  changes.addAccess(access, listStreamIds(access))
  return store.accesses.update({ ...access, clientData })
}

/** Records an action of the service in the audit, if the service keeps one, with the peer and an access. */
export function recordAction(
  call: Call,
  action: string,
  details: { readonly peer?: Person | undefined; readonly accessId?: string | undefined }
): void {
  const { caller, credentials, now, services, store } = call
  if (!services.config.audit.active) return
  const { accessId, peer } = details
  const query = { ...(peer && { peer: `${peer.username}@${peer.host}` }), ...(accessId && { accessId }) }
  const { ip, via } = credentials
  store.record({ time: now, access: caller.access?.id ?? 'system', action, via, ip, status: 200, query })
}
