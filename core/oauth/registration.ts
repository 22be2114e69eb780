/** Clients that register themselves. (RFC 7591; docs/api/oauth.md#registering-a-client) */
import { randomBytes } from 'node:crypto'
import { Type, type Static } from 'typebox'
import type { RegisteredClient } from '../../schemas/oauth.js'
import { createRequestKey } from '../ids.js'
import { checkRedirectUri } from '../redirect-uri.js'
import type { Config } from '../settings/config.js'
import { hashSecret } from './clients.js'
import { failOAuth } from './errors.js'
import { parseScope, omitUnknownWords } from './scope.js'
import { omitUnknownResources } from './smart-scope.js'

/** The metadata that a client sends. Unknown members are dropped. */
export const ClientMetadata = Type.Object({
  redirect_uris: Type.Array(Type.String({ maxLength: 2000 }), { minItems: 1, maxItems: 20 }),
  client_name: Type.Optional(Type.String({ maxLength: 200 })),
  token_endpoint_auth_method: Type.Optional(Type.String({ maxLength: 50 })),
  grant_types: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 10 })),
  response_types: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 10 })),
  scope: Type.Optional(Type.String({ maxLength: 5000 }))
})
export type ClientMetadata = Static<typeof ClientMetadata>

/** A new client, and the response to it, with its secret, of which only a digest is stored. */
export interface ClientRegistration {
  readonly client: RegisteredClient
  readonly answer: object
}

/** How clients that register themselves may authenticate. */
const registeredMethods = ['none', 'client_secret_basic', 'client_secret_post'] as const
const grantTypes = ['authorization_code', 'refresh_token']

/**
 * Creates the client that the metadata describe. Unsupported features are omitted; the response says what is
 * granted. (RFC 7591, 3.2.1) Throws `invalid_redirect_uri`, `invalid_client_metadata` and `invalid_scope`.
 * Does not store it.
 */
export function createClient(
  { access: { returnSchemes } }: Pick<Config, 'access'>,
  metadata: ClientMetadata,
  now: number
): ClientRegistration {
  const { redirect_uris: redirectURIs } = metadata
  const scope = omitUnknownWords(omitUnknownResources(metadata.scope ?? ''))
  for (const uri of redirectURIs) {
    const problem = checkRedirectUri(uri, returnSchemes)
    if (problem !== undefined)
      failOAuth('invalid_redirect_uri', `The redirect URI ${uri.slice(0, 200)} ${problem}`)
  }
  const method = metadata.token_endpoint_auth_method ?? 'client_secret_basic'
  if (!(registeredMethods as readonly string[]).includes(method))
    failOAuth(
      'invalid_client_metadata',
      `The token_endpoint_auth_method must be one of ${registeredMethods.join(', ')}`
    )
  assertIncludes('grant_types', metadata.grant_types, 'authorization_code')
  assertIncludes('response_types', metadata.response_types, 'code')
  parseScope(scope)
  const name = getClientName(metadata)
  const secret = method === 'none' ? undefined : randomBytes(32).toString('base64url')
  const client: RegisteredClient = {
    id: `client-${createRequestKey()}`,
    redirectURIs,
    created: now,
    ...(name !== undefined && { name }),
    ...(secret !== undefined && { secretHash: hashSecret(secret) }),
    ...(scope !== '' && { scopes: scope.split(' ') })
  }
  const answer = {
    client_id: client.id,
    client_id_issued_at: Math.floor(now),
    ...(secret !== undefined && { client_secret: secret, client_secret_expires_at: 0 }),
    ...(name !== undefined && { client_name: name }),
    redirect_uris: redirectURIs,
    token_endpoint_auth_method: method,
    grant_types: grantTypes,
    response_types: ['code'],
    ...(scope !== '' && { scope })
  }
  return { client, answer }
}

/** Invisible characters, or characters that change how others are displayed. */
const invisibleCharacters = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** Returns the name of a client without invisible characters; `undefined` if nothing is left. */
function getClientName({ client_name: name = '' }: ClientMetadata): string | undefined {
  const shown = name.replaceAll(invisibleCharacters, '').trim()
  return shown === '' ? undefined : shown
}

/** Throws `invalid_client_metadata` if a list is given without the only supported value. */
function assertIncludes(what: string, asked: readonly string[] = [], needed: string): void {
  if (asked.length > 0 && !asked.includes(needed))
    failOAuth('invalid_client_metadata', `The ${what} must include ${needed}`)
}
