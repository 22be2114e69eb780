/** `oauth.token`: issues the token of an access for a code or a refresh token. (docs/api/oauth.md#tokens) */
import { Type, type Static } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { ClientParams, recordUse, authenticateClient, type Client } from '../../oauth/clients.js'
import { failOAuth } from '../../oauth/errors.js'
import { issueToken, renewToken, TokenAnswer } from '../../oauth/issue-token.js'
import { getSigningKey, type SigningKey } from '../../oauth/keys.js'
import {
  redeemCode,
  refreshGrant,
  refuseUnknown,
  type GrantType,
  type RedeemedCode,
  type RefreshedGrant
} from '../../oauth/redeem.js'

const Text = Type.Optional(Type.String({ maxLength: 5000 }))

/** Further properties are allowed: clients send the resource, and more. */
const Params = Type.Object({
  ...ClientParams,
  grant_type: Text,
  code: Text,
  redirect_uri: Text,
  code_verifier: Text,
  refresh_token: Text,
  scope: Type.Optional(Type.String({ maxLength: 100_000 }))
})
type Params = Static<typeof Params>

interface Prepared {
  readonly client: Client
  readonly redemption: RedeemedCode | RefreshedGrant
  readonly key: SigningKey | undefined
}

/** Codes and tokens are used up before the access is issued, even if that fails. */
export const token = method<typeof Params, Prepared>({
  id: 'oauth.token',
  summary: 'Exchange a code or a refresh token for an access token',
  params: Params,
  result: TokenAnswer,
  mode: 'write',
  // Valid codes are refused and stay valid; others get the errors of an open account.
  isAllowedWhileClosing: true,
  mayExceedQuota: true,
  allow: anyone,
  worksByAlias: true,
  async prepare(call, params) {
    const client = authenticateClient(call.services, call.credentials, params)
    const redemption = await redeemOrRefresh(call, client, params)
    await recordUse(call.services, client.id, call.now)
    const needsKey = redemption.kind === 'code' && redemption.use.scopes.includes('openid')
    return { client, redemption, key: needsKey ? await getSigningKey(call.services, call.now) : undefined }
  },
  run: (call, _params, { client, redemption, key }) =>
    redemption.kind === 'code'
      ? issueToken(call, client, redemption, key)
      : renewToken(call, client, redemption),
  handleUnknownUser(call, _username, params) {
    authenticateClient(call.services, call.credentials, params)
    return refuseUnknown(call, params, parseGrantType(params))
  }
})

async function redeemOrRefresh(
  call: Parameters<typeof redeemCode>[0],
  client: Client,
  params: Params
): Promise<RedeemedCode | RefreshedGrant> {
  return parseGrantType(params) === 'refresh_token'
    ? await refreshGrant(call, client, params)
    : await redeemCode(call, client, params)
}

function parseGrantType({ grant_type: type }: Params): GrantType {
  if (type === undefined) failOAuth('invalid_request', 'The grant_type is missing')
  if (type === 'authorization_code' || type === 'refresh_token') return type
  return failOAuth('unsupported_grant_type', 'The grant_type must be authorization_code or refresh_token')
}
