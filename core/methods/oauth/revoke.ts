/** `oauth.revoke`: a client revokes its token. (RFC 7009; docs/api/oauth.md#revoking-tokens) */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { revokeInSteps } from '../../accesses/revoke-access.js'
import { methodInSteps } from '../../call/method.js'
import { recordOAuthAction } from '../../oauth/audit.js'
import { failOAuth } from '../../oauth/errors.js'
import {
  parseTokenRequest,
  findTokenGrant,
  TokenParams,
  type TokenRequest
} from '../../oauth/token-grants.js'
import { Caller } from '../../permissions/caller.js'

/**
 * Revokes the access of an access token, also of one that has expired and can be refreshed, or of a refresh token. An unknown or
 * ended token is not an error, but counted as a guess. One of another client, or of an access that may not revoke itself, is refused.
 */
export const revoke = methodInSteps<typeof TokenParams, TokenRequest>({
  id: 'oauth.revoke',
  summary: 'Revoke a token, as its client',
  params: TokenParams,
  result: Type.Object({}),
  mode: 'write',
  // A revoked token must not become valid again if the account is kept.
  isAllowedWhileClosing: true,
  mayExceedQuota: true,
  allow: anyone,
  prepare: parseTokenRequest,
  worksByAlias: true,
  *run(call, _params, { client, token }) {
    const { credentials, services, store } = call
    const held = findTokenGrant(call, token)
    if (!held) {
      services.throttle.unknownToken(credentials.ip)
      return {}
    }
    const { access, grant } = held
    if (grant.client !== client.id) failOAuth('unauthorized_client', 'The token belongs to another client')
    call.actor = new Caller(store, access)
    if (call.actor.isForbidden('selfRevoke'))
      failOAuth('access_denied', 'This access is not allowed to revoke itself', access.id)
    yield* revokeInSteps(call, access)
    recordOAuthAction(call, 'oauth.token.revoked', access.id)
    return {}
  },
  // Found out while it runs.
  isLong: () => false,
  async handleUnknownUser(call, _username, params) {
    await parseTokenRequest(call, params)
    call.services.throttle.unknownToken(call.credentials.ip)
    return {}
  }
})
