/** `oauth.token`: hands out the token of an access for a code, or for a refresh token. (docs/api/oauth.md#tokens) */
import { Type, type Static } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { ClientParams, noteUse, provenClient, type Client } from '../../oauth/clients.js'
import { refuse } from '../../oauth/errors.js'
import { issue, prolong, TokenAnswer } from '../../oauth/issuing.js'
import { signingKey, type SigningKey } from '../../oauth/keys.js'
import {
  redeem,
  refresh,
  refuseUnknown,
  type GrantType,
  type Redeemed,
  type Refreshed
} from '../../oauth/redeeming.js'

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
  readonly good: Redeemed | Refreshed
  readonly key: SigningKey | undefined
}

/** What was presented is spent before the access is handed out, so that it is even if that fails. */
export const token = method<typeof Params, Prepared>({
  id: 'oauth.token',
  summary: 'Get the token of an access for a code, or prolong it by a refresh token',
  params: Params,
  result: TokenAnswer,
  mode: 'write',
  // What is good is refused, and stays good; strangers get the errors of an open account.
  whileClosing: true,
  mayExceedQuota: true,
  allow: anyone,
  async prepare(call, params) {
    const client = provenClient(call.services, call.credentials, params)
    const good = await presented(call, client, params)
    await noteUse(call.services, client.id, call.now)
    const needsKey = good.kind === 'code' && good.use.scopes.includes('openid')
    return { client, good, key: needsKey ? await signingKey(call.services, call.now) : undefined }
  },
  run: (call, _params, { client, good, key }) =>
    good.kind === 'code' ? issue(call, client, good, key) : prolong(call, client, good),
  unknownUser(call, _username, params) {
    provenClient(call.services, call.credentials, params)
    return refuseUnknown(call, params, parseGrantType(params))
  }
})

async function presented(
  call: Parameters<typeof redeem>[0],
  client: Client,
  params: Params
): Promise<Redeemed | Refreshed> {
  return parseGrantType(params) === 'refresh_token'
    ? await refresh(call, client, params)
    : await redeem(call, client, params)
}

function parseGrantType({ grant_type: type }: Params): GrantType {
  if (type === undefined) refuse('invalid_request', 'The grant_type is missing')
  if (type === 'authorization_code' || type === 'refresh_token') return type
  return refuse('unsupported_grant_type', 'The grant_type has to be authorization_code or refresh_token')
}
