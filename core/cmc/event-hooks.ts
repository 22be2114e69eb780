/** The rules of consent and messages for events, as hooks of the methods. (docs/spec/consent.md) */
import { cmcApps, cmcInbox, cmcRoot, isCmcId, isInternalCmcId, parseAppPlace } from '../cmc-ids.js'
import type { Event } from '../../schemas/event.js'
import type { Steps } from '../../storage/steps.js'
import type { MethodHook } from '../call/hooks.js'
import type { Call } from '../call/method.js'
import { ApiError, fail } from '../errors.js'
import { getNamedStreams } from '../events/fields.js'
import { createId } from '../ids.js'
import { getCreatorId } from '../permissions/access.js'
import type { Caller } from '../permissions/caller.js'
import { getCapability, getCounterparty, type Person } from '../permissions/peer-access.js'
import { isObject } from '../validation/is-object.js'
import { checkAcceptance, receiveAnswer, type AnswerParams } from './answers.js'
import {
  assertContent,
  isCmcType,
  isServiceKey,
  types,
  withoutServiceKeys,
  type Content
} from './contents.js'
import type { Deliveries } from './deliveries.js'
import { refuse, refuseContent } from './failures.js'
import { receive } from './inbound.js'
import { checkMove, isMove } from './peers/moves.js'
import { findOffer } from './offers.js'
import type { PeerLimits } from './peers/peer-limits.js'
import { writeStepsAsService } from './service-calls.js'
import { StreamFilter } from './stream-filter.js'
import { assertEnabled, provideStreams } from './streams.js'
import { actOn, type Written } from './triggers.js'

/** Params of `events.create`, as far as they matter here. */
interface CreateParams extends AnswerParams {
  readonly streamIds?: string[] | null
  readonly streamId?: string | null
}

/** Types that assistants may not write: they would give or end consent. */
const lifecycleClass = 'consent/'

/** How long the answer to an acceptance waits for the requester's side to arrive, in milliseconds. */
const maxSettleMs = 5000

/**
 * Creates the hook of `events.create`: processes answers to an offer, checks events below `:_cmc:`, and acts
 * on them; other events pass unchanged. Before an acceptance is stored, the requester's server is asked; the response to
 * an acceptance waits for the requester's side, at most 5 seconds. Refuses both while consent is switched off, and
 * calls of a peer, or of the holder of a link, beyond `limits`, which counts each.
 */
export function createCreateHook(deliveries: Deliveries, limits: PeerLimits): MethodHook {
  return {
    needsPreparation: asksOthers,
    async prepare(call, params) {
      const { content, type } = params as CreateParams
      // Counted here, so that a peer cannot make this service call others without a limit.
      countCall(call, limits)
      const mark = getCounterparty(call.caller.access)
      if (mark && type === types.backChannel) return await checkMove(deliveries.peers, call, mark, content)
      return await checkAcceptance(deliveries.peers, call, params as CreateParams)
    },
    *before(call, given, prepared) {
      const params = given as CreateParams
      const ids = (getNamedStreams(params) ?? []).filter(isCmcId)
      const capability = getCapability(call.caller.access)
      if (capability) {
        assertEnabled(call)
        if (!asksOthers(call.caller, params)) countCall(call, limits)
        call.caller.must('create', ...(getNamedStreams(params) ?? []))
        if (prepared instanceof ApiError) throw prepared
        return { result: yield* receiveAnswer(call, params) }
      }
      if (ids.length === 0) return { params }
      assertEnabled(call)
      if (prepared instanceof ApiError) throw prepared
      return yield* writeEvent(call, { limits, movedTo: prepared as Person | undefined }, params, ids)
    },
    settle(account, params, result) {
      if ((params as CreateParams).type !== types.accept) return undefined
      const { id } = Object((result as { event?: unknown }).event) as Partial<Event>
      return typeof id === 'string' ? deliveries.waitForAnswered(account, id, maxSettleMs) : undefined
    }
  }
}

/** Returns whether other servers are asked before an event is created: whether a peer is who it claims to be. */
function asksOthers({ access }: Caller, params: unknown): boolean {
  const { content, type } = Object(params) as Partial<AnswerParams>
  if (type === types.backChannel) return isMove(getCounterparty(access), content)
  return getCapability(access) !== undefined && type === types.accept
}

/** Counts a call of a peer, or of the holder of a link. Throws `too-many-requests`. */
function countCall(call: Call, limits: PeerLimits): void {
  const { maxPerCapabilityPerMinute, maxPerPeerPerMinute } = call.services.config.cmc
  const { access } = call.caller
  if (getCapability(access)) limits.count(call, maxPerCapabilityPerMinute)
  else if (getCounterparty(access)) limits.count(call, maxPerPeerPerMinute)
}

/** Checks an event that is written below `:_cmc:`, and acts on it. Returns the params to write it with. */
function* writeEvent(
  call: Call,
  { limits, movedTo }: { readonly limits: PeerLimits; readonly movedTo: Person | undefined },
  params: CreateParams,
  ids: readonly string[]
): Steps<{ readonly params: object }> {
  const { type } = params
  if (new Set(ids).size > 1) refuseContent(type, ['an event can be in one stream below ":_cmc:" only'])
  const [streamId] = ids as [string]
  if (isInternalCmcId(streamId)) fail('unknown-referenced-resource', `Unknown streams: ${streamId}`)
  const isScope = parseAppPlace(streamId)?.scope === streamId
  yield* provideStreams(call, isScope ? streamId : undefined)
  const mark = getCounterparty(call.caller.access)
  if (!asksOthers(call.caller, params)) countCall(call, limits)
  if (streamId === cmcInbox && !mark)
    refuse('cmc-not-counterparty', 'Only the servers of peers write to the inbox')
  call.caller.must('create', streamId)
  if (!isCmcType(type)) {
    if (streamId === cmcRoot || streamId === cmcInbox || streamId === cmcApps)
      refuse('cmc-event-type-not-allowed', `${type} cannot be written there`, { eventType: type })
    return { params }
  }
  if (type === types.retry)
    refuse('cmc-event-type-not-allowed', 'Only the service writes this type', { eventType: type })
  if (call.credentials.isAssistant && type.startsWith(lifecycleClass))
    fail('forbidden', 'Assistants cannot give or end consent')
  const place = parseAppPlace(streamId)
  if (mark) {
    const content = isObject(params.content)
      ? params.content
      : refuseContent(type, ['content must be an object'])
    // What is delivered to the inbox has other members than what apps write; so have announced changes of permissions.
    if (streamId !== cmcInbox && type !== types.scopeUpdate) assertContent(type, content)
    const written = receive(
      call,
      { access: call.caller.access!, mark },
      { type, streamId, place, content, movedTo }
    )
    return yield* finishEvent(call, params, written)
  }
  if (type === types.backChannel)
    refuse('cmc-event-type-not-allowed', 'Only the servers of peers write this type', { eventType: type })
  assertContent(type, params.content)
  if (!place) refuse('cmc-event-type-not-allowed', `${type} cannot be written there`, { eventType: type })
  const id = params.id ?? createId()
  const written = actOn(call, { id, type, streamId, place, content: params.content })
  return yield* finishEvent(call, { ...params, id }, written)
}

/** Stores the secrets of an event, and does what remains to be done. Returns the params to write it with. */
function* finishEvent(call: Call, params: CreateParams, written: Written): Steps<{ params: object }> {
  const { content, secrets, work } = written
  const id = params.id ?? createId()
  if (secrets && Object.keys(secrets).length > 0) {
    // The secrets of another event must not be replaced.
    if (call.store.events.findText(id))
      fail('item-already-exists', `An event with the ID "${id}" already exists`, { id })
    call.store.cmc.setSecrets(id, secrets)
  }
  if (work) yield* work
  return { params: { ...params, id, content } }
}

/** Params of `events.update`. */
interface UpdateParams {
  readonly id: string
  readonly update: Readonly<Record<string, unknown>> & {
    readonly streamIds?: string[]
    readonly streamId?: string
  }
}

/**
 * Creates the hook of `events.update`. Events that are not below `:_cmc:` pass unchanged. Below it, the hook refuses to
 * move events, to change the types of consent and messages, peers that have not written the event, and changes of consent
 * by peers and assistants; also every update while consent is switched off, and those of a peer beyond `limits`, which
 * counts each. Members of contents that only the service writes stay.
 */
export const createUpdateHook = (limits: PeerLimits): MethodHook => ({
  before(call, given) {
    const params = given as UpdateParams
    const { update } = params
    const named = getNamedStreams(update)
    const before = findPlaced(call, params.id, named)
    const [formerIds, nextIds] = [before?.streamIds ?? [], named ?? before?.streamIds ?? []].map(ids =>
      ids.filter(isCmcId)
    )
    if (formerIds!.length === 0 && nextIds!.length === 0) return { params }
    assertEnabled(call)
    if (formerIds!.join(' ') !== nextIds!.join(' ') && before)
      refuse(
        'cmc-reserved-stream',
        'Events cannot be moved into a stream below ":_cmc:", out of one or between them'
      )
    if (!before) return { params }
    countCall(call, limits)
    assertOwnEvent(call, before)
    const type = typeof update['type'] === 'string' ? update['type'] : before.type
    if (type !== before.type && (isCmcType(type) || isCmcType(before.type)))
      refuse('cmc-event-type-not-allowed', 'The type of this event cannot change', { eventType: type })
    const mark = getCounterparty(call.caller.access)
    const isAssistant = call.credentials.isAssistant === true
    if ((mark ?? isAssistant) && before.type.startsWith(lifecycleClass) && isCmcType(before.type))
      fail('forbidden')
    if (update['content'] === undefined || !isCmcType(type)) return { params }
    const content = keepServiceKeys(type, before.content, update['content'])
    return { params: { ...params, update: { ...update, content } } }
  }
})

/** Returns a new content with the members that only the service writes as they were; credentials are kept apart. */
function keepServiceKeys(type: string, before: unknown, given: unknown): Content {
  if (!isObject(given)) refuseContent(type, ['content must be an object'])
  const former = Object.entries(isObject(before) ? before : {}).filter(([key]) => isServiceKey(type, key))
  const {
    apiEndpoint: _endpoint,
    capabilityUrl: _url,
    grantedAccess: _granted,
    ...rest
  } = withoutServiceKeys(type, given)
  const granted = isObject(before) && before['grantedAccess'] !== undefined ? { grantedAccess: {} } : {}
  return { ...rest, ...granted, ...Object.fromEntries(former) }
}

/** Peers change only what they have written. */
function assertOwnEvent({ caller }: Call, event: Event): void {
  if (getCounterparty(caller.access) && getCreatorId(event) !== caller.access?.id) fail('forbidden')
}

/**
 * Finds an event that may be below `:_cmc:`. Without such streams there is none, and a content of megabytes is not read twice.
 * `named`: the streams into which it is to be moved.
 */
function findPlaced(call: Call, id: string, named: readonly string[] = []): Event | undefined {
  const { events, streams } = call.store
  if (!streams.find(cmcRoot) && !named.some(isCmcId)) return undefined
  const { streamIds } = events.findOutline(id) ?? {}
  return [...(streamIds ?? []), ...named].some(isCmcId) ? events.find(id) : undefined
}

/**
 * The hook of the methods that add and remove files. Error: `forbidden` for peers that have not written the
 * event.
 */
export const fileHook: MethodHook = {
  before(call, given) {
    const before = findPlaced(call, (given as { id: string }).id)
    if (before?.streamIds.some(isCmcId)) assertOwnEvent(call, before)
    return { params: given }
  }
}

/** The hook of `events.delete`: as {@link fileHook}, and removes the credentials of a deleted event. */
export const deleteHook: MethodHook = {
  ...fileHook,
  after(call, params, result) {
    const { id } = params as { id: string }
    if ('eventDeletion' in result && call.store.cmc.isUsed) call.store.cmc.removeSecrets(id)
    return result
  }
}

/**
 * Creates the hook of `events.get`. The holder of the link of an offer gets the offer alone. Streams of a
 * query that do not exist yet are omitted, and created after the call. Calls with the link count towards `limits`, and are
 * refused beyond them, or while consent is switched off.
 */
export function createGetHook(limits: PeerLimits): MethodHook {
  return {
    before(call, given) {
      const params = given as Readonly<Record<string, unknown>>
      const capability = getCapability(call.caller.access)
      if (capability) {
        assertEnabled(call)
        countCall(call, limits)
        const offer = findOffer(call, capability)
        const isWanted = !Array.isArray(params['types']) || params['types'].includes(types.request)
        return { result: { events: offer && isWanted ? [offer] : [] } }
      }
      const { streams } = params
      if (streams === undefined || !JSON.stringify(streams).includes(cmcRoot)) return { params }
      const filter = new StreamFilter(call)
      const filtered = filter.apply(streams)
      if (filter.isMissing && call.services.config.cmc.enabled) {
        const { account, services } = call
        // A read cannot write: the streams that it names come into being right after it.
        void writeStepsAsService(services, account, provideStreams).catch((cause: unknown) =>
          services.log.warn('streams could not be created', { accountId: account.id, cause })
        )
      }
      return filtered === undefined
        ? { result: { events: [] } }
        : { params: { ...params, streams: filtered } }
    }
  }
}
