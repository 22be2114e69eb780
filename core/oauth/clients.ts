/**
 * OAuth clients: apps that the operator configures, and programs that registered themselves.
 * (docs/api/oauth.md#clients)
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { Type, type Static } from 'typebox'
import type { ClientKey, ClientSettings } from '../../schemas/oauth.js'
import type { ClientState } from '../../storage/oauth/oauth-clients.js'
import type { ServiceCall } from '../call/method.js'
import type { Services } from '../call/services.js'
import { assertionType, getClaimedClient, useAssertion } from './assertion.js'
import { failOAuth } from './errors.js'

/** A client that may request accesses. */
export interface Client extends ClientSettings {
  readonly id: string
  readonly name?: string | undefined
  /** Whether the client registered itself, unknown to the operator. */
  readonly isSelfRegistered: boolean
}

/** What a client proves itself with: its id, and its secret or an assertion if it has any. */
export const ClientParams = {
  client_id: Type.Optional(Type.String({ maxLength: 200 })),
  client_secret: Type.Optional(Type.String({ maxLength: 1000 })),
  client_assertion_type: Type.Optional(Type.String({ maxLength: 200 })),
  client_assertion: Type.Optional(Type.String({ maxLength: 5000 }))
}
type ClientCredentials = Static<Type.TObject<typeof ClientParams>>

/** Returns the client with this id, with the keys that it may use; `undefined` also if an operator has revoked the client. */
export function findClient(
  { config, platform }: Pick<Services, 'config' | 'platform'>,
  id: string
): Client | undefined {
  const app = config.access.apps.find(each => each.id === id)
  if (!app) {
    const registered = config.oauth.registration ? platform.oauthClients.find(id) : undefined
    return registered && !platform.oauthClients.isRevoked(id)
      ? { ...registered, isSelfRegistered: true }
      : undefined
  }
  const { revoked, keys: states } = platform.oauthClients.findState(id)
  if (!app.oauth || revoked !== undefined) return undefined
  const keys = app.oauth.keys?.filter(key => !isKeyRevoked(key, states))
  return { ...app.oauth, ...(keys && { keys }), id, name: app.displayName, isSelfRegistered: false }
}

/** Finds a client like {@link findClient}, also one that has just registered at another node of a cluster. */
export async function waitForClient(services: Services, id: string): Promise<Client | undefined> {
  const client = findClient(services, id)
  if (client || !services.config.oauth.registration) return client
  await services.platform.catchUp()
  return findClient(services, id)
}

/** Returns whether a key must not be used: what operators decide counts more than the settings. */
export function isKeyRevoked({ kid, revoked = false }: ClientKey, states: ClientState['keys'] = {}): boolean {
  return Object.hasOwn(states, kid) ? states[kid] !== null : revoked
}

/** Returns whether a client proves itself with a secret or a key. */
export function isConfidential({ keys, secretHash }: Pick<Client, 'keys' | 'secretHash'>): boolean {
  return secretHash !== undefined || keys !== undefined
}

/** Returns the id of the client that a call names, which is not proven yet; empty if it names none. */
export function getClientIdParam({ client_assertion: assertion, client_id: id }: ClientCredentials): string {
  return id ?? getClaimedClient(assertion ?? '') ?? ''
}

/**
 * Authenticates the client that makes a call. Throws `invalid_client` if it is unknown, or its secret or
 * assertion is wrong; guesses are throttled: `too-many-requests`.
 */
export async function authenticateClient(
  { credentials: { ip }, now, services }: Pick<ServiceCall, 'credentials' | 'now' | 'services'>,
  params: ClientCredentials
): Promise<Client> {
  const id = getClientIdParam(params)
  if (id === '') failOAuth('invalid_client', 'The client_id is missing')
  // Without a colon, failures count by address only, so that others cannot lock the client out from elsewhere.
  const guess = { subject: `client ${id.replaceAll(':', ' ')}`, ip }
  services.throttle.check(guess)
  const client = await waitForClient(services, id)
  if (!client || !(await isAuthentic(services, client, params, now))) {
    services.throttle.failed(guess)
    failOAuth('invalid_client', 'The client is unknown, or its secret or assertion is incorrect or missing')
  }
  services.throttle.succeeded(guess)
  return client
}

/** Removes clients that have registered themselves, and are used no more. `now` in seconds. */
export async function removeUnusedClients({ config, platform }: Services, now: number): Promise<void> {
  const since = now - config.oauth.clientMaxAge
  if (platform.oauthClients.hasUnused(since)) await platform.change('removeUnusedClients', since)
}

/** Records that a client is used at `now` (seconds), unless that was recorded recently. */
export async function recordUse({ platform }: Services, id: string, now: number): Promise<void> {
  const time = platform.oauthClients.getUseToRecord(id, now)
  if (time !== undefined) await platform.change('useClient', id, time)
}

/** Returns the digest by which a client's secret is recognised, in hexadecimal. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex')
}

/**
 * Returns whether a client has proven itself: with its secret, or an assertion by one of its keys, but not
 * with both. A client that has neither must not present any: it would be mistaken for another client. A
 * client whose keys are all revoked stays confidential. A valid assertion is used up.
 */
async function isAuthentic(
  services: Services,
  client: Client,
  { client_assertion: assertion, client_assertion_type: type, client_secret: secret }: ClientCredentials,
  now: number
): Promise<boolean> {
  const { keys, secretHash } = client
  if (assertion !== undefined || type !== undefined) {
    if (secret !== undefined || assertion === undefined || type !== assertionType) return false
    return keys !== undefined && (await useAssertion(services, assertion, { id: client.id, keys }, now))
  }
  if (secretHash === undefined) return keys === undefined && (secret ?? '') === ''
  return timingSafeEqual(Buffer.from(secretHash, 'hex'), Buffer.from(hashSecret(secret ?? ''), 'hex'))
}
