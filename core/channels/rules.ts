/** Who may use which channel, and what targets are valid. (docs/api/channels.md#channels-of-apps) */
import { createECDH, createHash } from 'node:crypto'
import type { Static } from 'typebox'
import {
  channelTargets,
  type ChannelType,
  type ShownTarget,
  type TargetSecrets
} from '../../schemas/channel.js'
import type { KeyValue } from '../../schemas/scalars.js'
import type { StoredChannel } from '../../storage/channels/channel-repository.js'
import { listAddresses } from '../account/email/addresses.js'
import { isSameAddress } from '../account/email/address.js'
import { anyAccess, assertCreator } from '../auth/allow.js'
import type { AccessRule, Call } from '../call/method.js'
import { findRelationship } from '../cmc/relationships.js'
import { ApiError, fail, quoteText } from '../errors.js'
import { parseWebUrl } from '../parse-url.js'
import { requireStreams } from '../streams/require-streams.js'
import { changePaths, createChecker, refuseParams } from '../validation/params.js'

/** A type with its target. */
type TypedTarget = {
  [T in ChannelType]: { readonly type: T; readonly target: Static<(typeof channelTargets)[T]> }
}[ChannelType]

/** The rule of all methods on channels. */
export const anyAccessIfEnabled: AccessRule = {
  ...anyAccess,
  check(asking) {
    if (!asking.services.config.channels.enabled)
      fail('unavailable-method', 'Channels are turned off on this service')
    anyAccess.check?.(asking)
  }
}

/** Types of channels that only the user creates. */
const personalTypes: ReadonlySet<ChannelType> = new Set(['mail', 'person'])

/** Returns a channel if the caller created it or is personal. Errors: `unknown-resource`, `forbidden`. */
export function requireOwnChannel(
  { caller, store }: Pick<Call, 'caller' | 'store'>,
  id: string
): StoredChannel {
  const stored = store.channels.find(id) ?? fail('unknown-resource', `Unknown channel ${quoteText(id)}`)
  assertCreator(caller, stored.channel.accessId)
  return stored
}

/**
 * Lists which of these channels exist and may be used. What a user has created may use every channel; what an access has
 * created, only the channels of that access.
 */
export function listOwnChannels(
  { store }: Pick<Call, 'store'>,
  { accessId, channelIds }: { readonly accessId: string; readonly channelIds: readonly string[] }
): readonly string[] {
  const isPersonal = store.accesses.findEver(accessId)?.type === 'personal'
  return channelIds.filter(id => {
    const channel = store.channels.find(id)?.channel
    return channel !== undefined && (isPersonal || channel.accessId === accessId)
  })
}

/**
 * Checks a target, and separates the secrets in it, which are never shown. Errors: `forbidden`,
 * `invalid-parameters-format`, and by type `unknown-referenced-resource` and `invalid-operation`.
 */
export function readTarget(
  call: Call,
  given: { readonly type: ChannelType; readonly target: KeyValue }
): { readonly target: ShownTarget; readonly secrets: TargetSecrets } {
  const { type } = given
  if (personalTypes.has(type) && !call.caller.isPersonal)
    fail('forbidden', `Only personal accesses can create channels of type "${type}"`)
  checkShape(type, given.target)
  const typed = given as TypedTarget
  switch (typed.type) {
    case 'web-push':
      return readSubscription(call, typed.target)
    case 'mail':
      return { target: { address: requireAddress(call, typed.target.address) }, secrets: {} }
    case 'ntfy': {
      const { token, topic, url } = typed.target
      return {
        target: { url: requireUrl(url), topic, hasToken: isGiven(token) },
        secrets: isGiven(token) ? { token } : {}
      }
    }
    case 'gotify':
      return {
        target: { url: requireUrl(typed.target.url), hasToken: true },
        secrets: { token: typed.target.token }
      }
    case 'apprise':
      return {
        target: { url: requireUrl(typed.target.url), hasKey: true },
        secrets: { key: typed.target.key }
      }
    case 'webhook': {
      const { secret, url } = typed.target
      return {
        target: { url: requireUrl(url), hasSecret: isGiven(secret) },
        secrets: isGiven(secret) ? { secret } : {}
      }
    }
    case 'person':
      return { target: { accessId: requirePerson(call, typed.target.accessId) }, secrets: {} }
    default: {
      const { streamId } = typed.target
      requireStreams(call.store, [streamId])
      call.caller.must('create', streamId)
      return { target: { streamId }, secrets: {} }
    }
  }
}

const checkers = new Map(
  Object.entries(channelTargets).map(([type, schema]) => [type, createChecker(schema)])
)

function checkShape(type: ChannelType, target: KeyValue): void {
  try {
    checkers.get(type)!(target)
  } catch (error) {
    throw error instanceof ApiError ? changePaths(error, path => path.replace(/^#/, '#/target')) : error
  }
}

function isGiven(value: string | null | undefined): value is string {
  return typeof value === 'string'
}

/**
 * Splits a push subscription into what the channel shows and its secrets. Error: `invalid-parameters-format` if its URL
 * or key is not valid.
 */
function readSubscription(
  { services }: Call,
  { endpoint, keys }: Static<(typeof channelTargets)['web-push']>
): ReturnType<typeof readTarget> {
  const url = requireUrl(endpoint, '#/target/endpoint')
  if (!url.startsWith('https:') && !services.config.channels.allowInternalTargets)
    refuseParams([{ code: 'INVALID_FORMAT', message: 'must be an https URL', path: '#/target/endpoint' }])
  if (!isPoint(keys.p256dh))
    refuseParams([
      { code: 'INVALID_FORMAT', message: 'must be a point on the curve P-256', path: '#/target/keys/p256dh' }
    ])
  const digest = createHash('sha256').update(endpoint).digest('base64url')
  const { auth, p256dh } = keys
  return { target: { origin: new URL(url).origin, digest }, secrets: { endpoint, auth, p256dh } }
}

function isPoint(key: string): boolean {
  const pair = createECDH('prime256v1')
  pair.generateKeys()
  try {
    pair.computeSecret(key, 'base64url')
    return true
  } catch {
    return false
  }
}

/** Requires an http or https URL without credentials and fragment. Error: `invalid-parameters-format`. */
function requireUrl(url: string, path = '#/target/url'): string {
  const parsed = parseWebUrl(url)
  if (!parsed || parsed.username !== '' || parsed.password !== '' || parsed.hash !== '')
    refuseParams([
      { code: 'INVALID_FORMAT', message: 'must be an http or https URL without credentials', path }
    ])
  return url
}

/** Requires a confirmed address of the account, so that no one else gets mail. Error: `invalid-operation`. */
function requireAddress({ services, store }: Call, address: string): string {
  if (!services.mailer.hasServer || !services.mailer.sends('notification'))
    fail('invalid-operation', 'This service sends no mail')
  return (
    findConfirmed(store, address) ??
    fail('invalid-operation', 'The address is not a confirmed address of this account', { address })
  )
}

/** Returns a confirmed address of the account as it is stored. */
export function findConfirmed(store: Call['store'], address: string): string | undefined {
  const found = listAddresses(store).find(
    ({ status, value }) => status === 'verified' && isSameAddress(value, address)
  )
  return found?.value
}

function requirePerson(call: Call, accessId: string): string {
  const found = findRelationship(call, accessId)
  if (!found || found.access.deleted !== undefined || found.mark.peerGone)
    fail('unknown-referenced-resource', 'No person holds this access', { accessId })
  if (!found.mark.features.chat || found.mark.counterparty.remoteChatStreamId === undefined)
    fail('invalid-operation', 'This person gets no messages', { accessId })
  return accessId
}

/**
 * Refuses a second channel of the same browser. Error: `item-already-exists`. `id`: of the channel that is
 * changed, which is not counted.
 */
export function assertNotSubscribed({ store }: Call, { digest }: ShownTarget, id?: string): void {
  if (digest === undefined) return
  for (const { channel } of store.channels.list())
    if (channel.id !== id && channel.target.digest === digest && channel.state === 'active')
      fail('item-already-exists', 'This browser gets notifications already', { id: channel.id })
}
