/**
 * OAuth clients: apps that the operator configures, and programs that registered themselves.
 * (docs/api/oauth.md#clients)
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { Type, type Static } from 'typebox'
import type { ClientSettings } from '../../schemas/oauth.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import { failOAuth } from './errors.js'

/** A client that may request accesses. */
export interface Client extends ClientSettings {
  readonly id: string
  readonly name?: string | undefined
  /** Whether the client registered itself, unknown to the operator. */
  readonly isSelfRegistered: boolean
}

/** What a client proves itself with: its id, and its secret if it has one. */
export const ClientParams = {
  client_id: Type.Optional(Type.String({ maxLength: 200 })),
  client_secret: Type.Optional(Type.String({ maxLength: 1000 }))
}
type ClientCredentials = Static<Type.TObject<typeof ClientParams>>

/** Returns the client with this id. */
export function findClient({ config, platform }: Services, id: string): Client | undefined {
  const app = config.access.apps.find(each => each.id === id)
  if (app) return app.oauth && { ...app.oauth, id, name: app.displayName, isSelfRegistered: false }
  const registered = config.oauth.registration ? platform.oauthClients.find(id) : undefined
  return registered && { ...registered, isSelfRegistered: true }
}

/**
 * Authenticates the client that makes a call. Throws `invalid_client` if it is unknown, or its secret is wrong; guesses
 * are throttled.
 */
export function authenticateClient(
  services: Services,
  { ip }: Credentials,
  { client_id: id, client_secret: secret }: ClientCredentials
): Client {
  if (id === undefined || id === '') failOAuth('invalid_client', 'The client_id is missing')
  // Without a colon, failures count by address only, so that others cannot lock the client out from elsewhere.
  const guess = { subject: `client ${id.replaceAll(':', ' ')}`, ip }
  services.throttle.check(guess)
  const client = findClient(services, id)
  if (!client || !isAuthentic(client, secret)) {
    services.throttle.failed(guess)
    failOAuth('invalid_client', 'The client is unknown, or its secret is incorrect or missing')
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
 * Returns whether the secret is right. A client without a secret must not present a secret: the client would be
 * mistaken for another one.
 */
function isAuthentic({ secretHash }: Client, secret = ''): boolean {
  if (secretHash === undefined) return secret === ''
  return timingSafeEqual(Buffer.from(secretHash, 'hex'), Buffer.from(hashSecret(secret), 'hex'))
}
