/**
 * Metadata for OAuth clients about the service, and about the assistants' endpoint of an account. (RFC 8414, RFC
 * 9728)
 */
import { parseWebUrl } from '../parse-url.js'
import type { Config } from '../settings/config.js'
import { getAccountUrl } from '../service-info.js'
import { proofAlgorithm } from './jose.js'
import { algorithm } from './keys.js'
import { identityScopes } from './scope.js'
import { resourceScopes } from './smart-scope.js'

/** How clients authenticate. */
export const authMethods = ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const

/** Returns the issuer: the `iss` of responses and ID tokens. */
export function getIssuer({ publicUrl }: Pick<Config, 'publicUrl'>): string {
  return publicUrl
}

/** Returns the URLs of the token endpoint, which is served at two paths. */
export function getTokenEndpoints(config: Pick<Config, 'publicUrl'>): string[] {
  return ['oauth', 'oauth2'].map(path => `${getIssuer(config)}/${path}/token`)
}

/** Returns the metadata of the authorization server and OpenID provider, which are one document. */
export function buildServerMetadata(config: Config): object {
  const issuer = getIssuer(config)
  return {
    issuer,
    authorization_endpoint: `${issuer}/oauth/authorize`,
    token_endpoint: `${issuer}/oauth/token`,
    revocation_endpoint: `${issuer}/oauth/revoke`,
    introspection_endpoint: `${issuer}/oauth/introspect`,
    userinfo_endpoint: `${issuer}/oauth/userinfo`,
    jwks_uri: `${issuer}/oauth/jwks`,
    ...(config.oauth.registration && { registration_endpoint: `${issuer}/oauth/register` }),
    scopes_supported: [...identityScopes, ...resourceScopes, '*:read', '*:contribute', '*:manage'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: [proofAlgorithm],
    revocation_endpoint_auth_methods_supported: authMethods,
    revocation_endpoint_auth_signing_alg_values_supported: [proofAlgorithm],
    introspection_endpoint_auth_methods_supported: authMethods,
    introspection_endpoint_auth_signing_alg_values_supported: [proofAlgorithm],
    dpop_signing_alg_values_supported: [proofAlgorithm],
    authorization_response_iss_parameter_supported: true,
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [algorithm],
    claims_supported: [
      'iss',
      'sub',
      'aud',
      'exp',
      'iat',
      'auth_time',
      'nonce',
      'at_hash',
      'preferred_username',
      'email',
      'email_verified',
      'fhirUser'
    ],
    prompt_values_supported: ['login', 'consent', 'select_account'],
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
    ui_locales_supported: ['en', 'fr', 'de'],
    service_documentation: `${issuer}/docs`
  }
}

/**
 * Returns the metadata of a resource: where users sign in to grant access to the resource, and the scopes an assistant
 * requests by default.
 */
export function buildResourceMetadata(config: Config, resource: string): object {
  return {
    resource,
    resource_name: config.service.name,
    authorization_servers: [getIssuer(config)],
    scopes_supported: ['*:read'],
    bearer_methods_supported: ['header']
  }
}

/**
 * Returns the user that a resource indicator (RFC 8707) names, `null` if it means the service as a whole, or
 * `undefined` for any other text. Scheme and host are compared without regard to case, and a default port or a slash at
 * the end make no difference. (RFC 3986, 6.2.2.1 and 6.2.3)
 */
export function getResourceUser(config: Config, resource: string): string | null | undefined {
  const whole = normalizeResource(resource)
  const service = normalizeResource(config.publicUrl)
  if (whole === undefined || service === undefined) return undefined
  if (whole === service) return null
  const path = whole.startsWith(service) ? whole.slice(service.length) : ''
  const [, below] = /^\/([A-Za-z0-9-]{1,60})(?:\/(?:mcp|fhir))?$/.exec(path) ?? []
  if (below !== undefined) return below.toLowerCase()
  if (config.domain === '') return undefined
  const name = new URL(whole).hostname.slice(0, -config.domain.length - 1)
  const root = name === '' ? undefined : normalizeResource(getAccountUrl(config, name))
  return [root, root && `${root}/mcp`, root && `${root}/fhir`].includes(whole) ? name : undefined
}

/** Returns a URL of a resource in the normal form used for comparison; `undefined` for an invalid URL. */
function normalizeResource(resource: string): string | undefined {
  const url = parseWebUrl(resource)
  const isPlain = url && url.username === '' && url.password === '' && !/[?#]/.test(resource)
  return isPlain ? `${url.origin}${url.pathname}`.replace(/\/$/, '') : undefined
}
