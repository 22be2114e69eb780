/** Users with passkeys: adding these, and signing in with one, over HTTP. */
import type { Attestation, RequestOptions } from '../../schemas/passkey.js'
import { Authenticator } from './authenticator.js'
import type { Answer, Client, Service } from './coffer.js'

export const passkeyApp = 'passkey-app'
export const password = 'four words in a row'

/** Returns the origin of the service's pages for passkeys, which do not support IP addresses. */
export function originOf({ server }: Service): string {
  const url = new URL(server.url)
  url.hostname = 'localhost'
  return url.origin
}

/** Gives a user a password, which is needed to add passkeys. */
export async function givePassword({ service, username }: Client): Promise<void> {
  await service.call(undefined, 'test.setPassword', { username, password })
}

/** Returns the options for creating a passkey, which a browser gets after the password was entered. */
export async function creationFor(client: Client): Promise<Answer> {
  const { creation } = await client.do('passkeys.challenge', { purpose: 'add', password })
  return creation
}

/** Adds a passkey; returns `passkey`, as the service displays it, and `authenticator`. */
export async function addPasskey(
  client: Client,
  { counts = false, name = 'Phone' } = {}
): Promise<{ passkey: Answer; authenticator: Authenticator; attestation: Attestation }> {
  const authenticator = new Authenticator(originOf(client.service), counts)
  const attestation = authenticator.create(await creationFor(client))
  const { passkey } = await client.do('passkeys.create', { credential: attestation, name })
  return { passkey, authenticator, attestation }
}

/** Returns the public options for signing in with a passkey. */
export async function requestOf(service: Service): Promise<RequestOptions> {
  const { body } = await service.http(
    'POST',
    '/auth/passkey-challenge',
    { appId: passkeyApp },
    { origin: originOf(service) }
  )
  return body.request
}

/** Signs in with the response of an authenticator. */
export async function loginWith(
  service: Service,
  credential: unknown,
  headers: Record<string, string> = {}
): Promise<{ status: number; headers: Headers; body: Answer }> {
  return await service.http(
    'POST',
    '/auth/passkey-login',
    { appId: passkeyApp, credential },
    { origin: originOf(service), ...headers }
  )
}
