/** `oauth.introspect`: a client inspects its token. (RFC 7662; docs/api/oauth.md#introspection) */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { parseTokenRequest, findTokenGrant, TokenParams } from '../../oauth/token-grants.js'
import { getIssuer } from '../../oauth/metadata.js'
import { formatScope } from '../../oauth/scope.js'
import { Caller } from '../../permissions/caller.js'

const Text = Type.Optional(Type.String())
const Seconds = Type.Optional(Type.Integer())

/**
 * Returns only `active: false` for tokens that have ended, are unknown, belong to another client, or to a closed
 * account.
 */
export const introspect = method({
  id: 'oauth.introspect',
  summary: 'Get the state of a token, as its client',
  params: TokenParams,
  result: Type.Object({
    active: Type.Boolean(),
    scope: Text,
    client_id: Text,
    username: Text,
    token_type: Text,
    exp: Seconds,
    iat: Seconds,
    sub: Text,
    iss: Text
  }),
  mode: 'read',
  isAllowedWhileClosing: true,
  allow: anyone,
  worksByAlias: true,
  run(call, params) {
    const { account, credentials, services, store } = call
    const { client, token } = parseTokenRequest(call, params)
    const held = findTokenGrant(call, token)
    if (!held) services.throttle.unknownToken(credentials.ip)
    if (held?.grant.client !== client.id || account.deletion !== null) return { active: false }
    const { access, expires, grant, isRefreshToken } = held
    call.actor = new Caller(store, access)
    return {
      active: true,
      scope: formatScope(access.permissions ?? [], grant.scopes),
      client_id: client.id,
      username: account.username,
      token_type: isRefreshToken ? 'refresh_token' : 'Bearer',
      ...(expires !== undefined && { exp: Math.floor(expires) }),
      iat: Math.floor(grant.created),
      sub: account.id,
      iss: getIssuer(services.config)
    }
  },
  handleUnknownUser(call, _username, params) {
    parseTokenRequest(call, params)
    call.services.throttle.unknownToken(call.credentials.ip)
    return Promise.resolve({ active: false })
  }
})
