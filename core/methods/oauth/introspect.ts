/** `oauth.introspect`: a client inspects its token. (RFC 7662; docs/api/oauth.md#introspection) */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { getBoundKey } from '../../auth/oauth-marks.js'
import { method } from '../../call/method.js'
import {
  parseTokenRequest,
  findTokenGrant,
  TokenParams,
  type TokenRequest
} from '../../oauth/token-grants.js'
import { buildFhirUser } from '../../oauth/issue-token.js'
import { getIssuer } from '../../oauth/metadata.js'
import { formatAccessScope } from '../../oauth/scope.js'
import { concernPatient, createPatientId } from '../../oauth/smart-scope.js'
import { Caller } from '../../permissions/caller.js'

const Text = Type.Optional(Type.String())
const Seconds = Type.Optional(Type.Integer())

/**
 * Returns what a token allows and until when; only `active: false` for tokens that have ended, are unknown,
 * belong to another client, or to a closed account. Unknown tokens are counted as guesses.
 */
export const introspect = method<typeof TokenParams, TokenRequest>({
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
    iss: Text,
    /** The id and the URL of the user's resource of FHIR, as in the response with the token. (SMART App Launch 2.2, 7.2) */
    patient: Text,
    fhirUser: Text,
    /** The key to which the token is bound. (RFC 9449, 6.2) */
    cnf: Type.Optional(Type.Object({ jkt: Type.String() }))
  }),
  mode: 'read',
  isAllowedWhileClosing: true,
  allow: anyone,
  prepare: parseTokenRequest,
  worksByAlias: true,
  run(call, _params, { client, token }) {
    const { account, credentials, now, services, store } = call
    const held = findTokenGrant(call, token)
    if (!held) services.throttle.unknownToken(credentials.ip)
    if (held?.grant.client !== client.id || account.deletion !== null) return { active: false }
    const { access, expires, grant, isRefreshToken } = held
    if (expires <= now) return { active: false }
    call.actor = new Caller(store, access)
    const jkt = getBoundKey(access)
    return {
      active: true,
      scope: formatAccessScope(access, grant.scopes),
      client_id: client.id,
      username: account.username,
      token_type: isRefreshToken ? 'refresh_token' : jkt === undefined ? 'Bearer' : 'DPoP',
      ...(jkt !== undefined && { cnf: { jkt } }),
      ...(expires !== Infinity && { exp: Math.floor(expires) }),
      iat: Math.floor(grant.created),
      sub: account.id,
      iss: getIssuer(services.config),
      ...(concernPatient(grant.scopes) && { patient: createPatientId(account.id, access.alias) }),
      ...(grant.scopes.includes('fhirUser') && { fhirUser: buildFhirUser(call, access) })
    }
  },
  async handleUnknownUser(call, _username, params) {
    await parseTokenRequest(call, params)
    call.services.throttle.unknownToken(call.credentials.ip)
    return { active: false }
  }
})
