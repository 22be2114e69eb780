/**
 * How a shared secret ends: it is consumed, or discarded by its owner, by a wrong proof, or because it expires.
 * (docs/spec/shared-secrets.md#status)
 */
import { Type, type Static } from 'typebox'
import type { Event } from '../../schemas/event.js'
import { Identifier, Timestamp } from '../../schemas/scalars.js'
import type { SharedSecret, StatusChange } from '../../storage/shared-secrets/shared-secret-repository.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Caller } from '../permissions/caller.js'
import type { Call } from '../call/method.js'
import { getSecretsStreamId } from '../system-ids.js'

/** The type of the events as which secrets are read. */
export const secretEventType = 'shared-secret/item'

const Status = Type.Enum(['pending', 'consumed', 'discarded'])

const StatusChangeView = Type.Object({
  status: Status,
  time: Timestamp,
  /** Why the secret was discarded: it has expired, was deleted, or a wrong proof was given. */
  info: Type.Optional(Type.String())
})

const details = {
  status: Status,
  /** The oldest first. */
  statusHistory: Type.Array(StatusChangeView),
  title: Type.String(),
  /** Time at which the secret is discarded if it has not been retrieved, in seconds. */
  expires: Timestamp,
  expired: Type.Optional(Type.Literal(true)),
  /** The message for receivers once it is no longer available. */
  onConsumed: Type.Object({ message: Type.String(), returnUrl: Type.Optional(Type.String()) }),
  signatureType: Type.Optional(Type.Enum(['secret', 'hmac-sha256']))
}

/** A secret as its owner sees it, without its value. */
export const SharedSecretView = Type.Object({ id: Identifier, ...details })

/** The content of the event as which a secret is read. */
const SecretContent = Type.Object(details)
type SecretContent = Static<typeof SecretContent>

/** Why a secret is discarded, as its history says. */
export const discardReasons = {
  expired: 'expired',
  deleted: 'deleted',
  mismatch: 'Secret does not match'
} as const
export type DiscardReason = keyof typeof discardReasons

/** Returns the current status of a secret as stored. */
export function getStatus({ statusHistory }: SharedSecret): StatusChange['status'] {
  return statusHistory.at(-1)!.status
}

/** Returns the secret as it is at a time: a pending one may have expired without having been written since. */
export function toCurrent(secret: SharedSecret, now: number): SharedSecret {
  const { expires } = secret
  if (getStatus(secret) !== 'pending' || now < expires) return secret
  const change = { status: 'discarded', time: expires, info: discardReasons.expired } as const
  return { ...secret, modified: expires, statusHistory: [...secret.statusHistory, change] }
}

/** Marks a secret as consumed or discarded, and erases its value. Must run within a transaction. */
export function finishSecret(
  { caller, changes, now, store }: Call,
  secret: SharedSecret,
  change: Omit<StatusChange, 'time'>
): SharedSecret {
  const finished: SharedSecret = {
    ...secret,
    modified: store.stamp(now),
    modifiedBy: caller.signature,
    statusHistory: [...secret.statusHistory, { ...change, time: now }]
  }
  store.sharedSecrets.finish(finished)
  changes.addEvent(toSecretEvent(finished, now))
  return finished
}

/** Erases the values of secrets that have expired, at most 100. Returns how many. Must run within a transaction. */
export function eraseExpired(store: UserStore, now: number): number {
  const expired = store.sharedSecrets.listExpired(now)
  for (const secret of expired) store.sharedSecrets.finish(toCurrent(secret, now))
  return expired.length
}

/** Returns whether a caller sees a secret: the user, and the access that has created it. */
export function maySeeSecret({ access, isPersonal }: Caller, secret: SharedSecret): boolean {
  return isPersonal || access?.id === secret.access
}

/** Converts a secret to what its owner sees. */
export function toSecretView(secret: SharedSecret, now: number): Static<typeof SharedSecretView> {
  return { id: secret.id, ...toContent(secret, now) }
}

/** Converts a secret to the event as which it is read. */
export function toSecretEvent(secret: SharedSecret, now: number): Event {
  const { access, created, createdBy, id, modified, modifiedBy } = toCurrent(secret, now)
  const streamId = getSecretsStreamId(access)
  return {
    id,
    streamIds: [streamId],
    streamId,
    time: created,
    type: secretEventType,
    content: toContent(secret, now),
    created,
    createdBy,
    modified,
    modifiedBy
  }
}

/** Returns the content of a secret's event, with its status at a time in seconds. */
function toContent(secret: SharedSecret, now: number): SecretContent {
  const current = toCurrent(secret, now)
  const { expires, onConsumed, signatureType, statusHistory, title } = current
  const status = getStatus(current)
  return {
    status,
    statusHistory: statusHistory.map(change => ({ ...change })),
    title,
    expires,
    ...(statusHistory.at(-1)!.info === discardReasons.expired && { expired: true as const }),
    onConsumed,
    ...(signatureType && { signatureType })
  }
}
