/** The streams for consent and messages, which appear when they are first needed, and who may change them. (docs/spec/consent.md#streams) */
import { maxIdLength, type KeyValue } from '../../schemas/scalars.js'
import type { Steps } from '../../storage/steps.js'
import {
  cmcApps,
  cmcInbox,
  cmcRoot,
  getCmcParent,
  isCmcId,
  isReservedCmcId,
  parseAppPlace
} from '../cmc-ids.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { addStream, insertStream } from '../streams/ended-permissions.js'
import { refuseDepth } from '../streams/placement.js'
import { listSubtree } from '../streams/tree.js'
import { writeWithFreeName } from '../streams/write-stream.js'
import type { Person } from '../permissions/peer-access.js'
import { isObject } from '../validation/is-object.js'
import { refuse } from './failures.js'
import { createSlug, isSamePerson, readPerson } from './names.js'

const reservedMark = { cmc: { kind: 'reserved-parent', autoProvisioned: true } }
const rootMark = { cmc: { kind: 'app-scope-root' } }

const reserved = [
  [cmcRoot, 'CMC'],
  [cmcInbox, 'CMC inbox'],
  [cmcApps, 'CMC apps']
] as const

/** Creates the streams that every account that takes part has, and the root of the app that an id is for. */
export function* provideStreams(call: Call, id?: string): Steps<void> {
  for (const [streamId, name] of reserved) yield* provideStream(call, streamId, name, reservedMark)
  const place = id === undefined ? undefined : parseAppPlace(id)
  if (place) yield* provideStream(call, `${cmcApps}:${place.app}`, place.app, rootMark)
}

/**
 * Creates a stream in which an app writes, with its ancestors. Error: `invalid-operation` for one that does not exist and
 * would be too deep.
 */
export function* provideScope(call: Call, id: string): Steps<void> {
  if (!call.store.streams.find(id) && isTooDeep(call, id)) refuseDepth(call)
  yield* provideStreams(call, id)
  yield* provideWithAncestors(call, id)
}

/** Creates the streams of a relationship. Returns their ids. */
export function* providePeerStreams(
  call: Call,
  scope: string,
  peer: Person
): Steps<{ readonly chats: string; readonly collectors: string }> {
  yield* provideScope(call, scope)
  const ids = listPeerStreams(scope, peer)
  const { host, username } = peer
  const mark = { cmc: { ...reservedMark.cmc, peer: { username, host } } }
  for (const id of Object.values(ids)) yield* provideWithAncestors(call, id, mark)
  return ids
}

/** Returns whether a scope, which another server has chosen, can exist here, with the streams for messages with a peer. */
export function isPossibleScope(context: Pick<Call, 'services'>, scope: string, peer: Person): boolean {
  return (
    !isTooDeep(context, scope) &&
    Object.values(listPeerStreams(scope, peer)).every(id => id.length <= maxIdLength)
  )
}

function isTooDeep({ services }: Pick<Call, 'services'>, id: string): boolean {
  return id.split(':').length - 1 > services.config.limits.streamDepth
}

function listPeerStreams(scope: string, peer: Person) {
  const slug = createSlug(peer)!
  return { chats: `${scope}:chats:${slug}`, collectors: `${scope}:collectors:${slug}` }
}

/**
 * Returns false if the streams for messages with an account are those of another account with the same slug: `a.b` and `a-b` have the
 * same.
 */
export function isOwnerOfSlug({ store }: Call, scope: string, peer: Person): boolean {
  return Object.values(listPeerStreams(scope, peer)).every(id => {
    const mark = store.streams.find(id)?.stream.clientData?.['cmc']
    const owner = isObject(mark) ? readPerson(mark['peer']) : undefined
    return owner === undefined || isSamePerson(owner, peer)
  })
}

function* provideWithAncestors(call: Call, id: string, mark: KeyValue = reservedMark): Steps<void> {
  const parent = getCmcParent(id)
  if (parent !== null && !call.store.streams.find(parent)) yield* provideWithAncestors(call, parent)
  const name = id.slice(id.lastIndexOf(':') + 1)
  yield* provideStream(call, id, name, isReservedCmcId(id) ? mark : undefined)
}

/** Creates a stream unless it exists. If a sibling has its name, the id is appended to the name. */
function* provideStream(call: Call, id: string, name: string, clientData: KeyValue | undefined): Steps<void> {
  const { changes, now, store } = call
  if (store.streams.find(id)) return
  const at = store.stamp(now)
  const by = { created: at, createdBy: 'system', modified: at, modifiedBy: 'system' }
  const fields = { id, parentId: getCmcParent(id), ...(clientData && { clientData }), ...by }
  yield* insertStream(call, { id }, () =>
    writeWithFreeName(id, [name, `${name} (${id})`], free => addStream(call, { ...fields, name: free }))
  )
  changes.add('streams', [id])
  yield
}

/**
 * Checks the creation of a stream by a caller, and creates what is above it. Error: `invalid-operation`
 * (`cmc-reserved-stream`) for streams of the service, and for ids that do not fit their parent.
 */
export function* beforeCreate(
  call: Call,
  { id, parentId }: { id?: string | null; parentId?: string | null }
): Steps<void> {
  const isBelow = typeof parentId === 'string' && isCmcId(parentId)
  if (typeof id !== 'string' || !isCmcId(id)) {
    if (isBelow)
      refuse('cmc-reserved-stream', `Streams below "${parentId}" need an ID that begins with its own`)
    return
  }
  if (isReservedCmcId(id)) refuse('cmc-reserved-stream', `"${id}" belongs to the service`)
  if (parentId !== getCmcParent(id))
    refuse('cmc-reserved-stream', `The parent of "${id}" must be "${getCmcParent(id)}"`)
  // Rolled back with the call if the caller may not create the stream.
  const isRoot = parentId === cmcApps
  yield* provideStreams(call, isRoot ? undefined : id)
}

/**
 * Checks the update of a stream by a caller: of the service's own streams only client data changes, except
 * its key `cmc`; other streams of the exchange stay where they are, and no stream moves below them. Otherwise
 * throws `invalid-operation` with the id `cmc-reserved-stream`.
 */
export function beforeUpdate(
  call: Call,
  { id, update }: { readonly id: string; readonly update: Readonly<Record<string, unknown>> }
): void {
  const { parentId } = update
  if (
    typeof parentId === 'string' &&
    isCmcId(parentId) &&
    call.store.streams.find(id)?.stream.parentId !== parentId
  )
    refuse('cmc-reserved-stream', 'Streams cannot be moved there')
  if (!isCmcId(id)) return
  if (parentId !== undefined && call.store.streams.find(id)?.stream.parentId !== parentId)
    refuse('cmc-reserved-stream', `"${id}" cannot be moved`)
  const data = update['clientData']
  if (data !== undefined && (data === null || Object.hasOwn(data, 'cmc')))
    refuse('cmc-reserved-stream', 'The key "cmc" of the client data belongs to the service')
  const isOnlyData = Object.keys(update).every(key => key === 'clientData')
  if (isReservedCmcId(id) && !isOnlyData) refuse('cmc-reserved-stream', `"${id}" belongs to the service`)
}

/** Refuses to delete the service's own streams, also together with a stream above them. */
export function beforeDelete(call: Call, id: string): void {
  if (!isCmcId(id)) return
  const node = call.store.streams.find(id)
  const isHeld = node && listSubtree(node).some(each => isReservedCmcId(each.stream.id))
  if (isReservedCmcId(id) || isHeld)
    refuse('cmc-reserved-stream-undeletable', `"${id}" holds streams of the service, which cannot be deleted`)
}

/** Requires that consent and messages are switched on. Error: `unavailable-method`. */
export function assertEnabled({ services: { config } }: Pick<Call, 'services'>): void {
  if (!config.cmc.enabled) fail('unavailable-method', 'Consent between accounts (cmc) is turned off')
}
