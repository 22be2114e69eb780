/** `oauth.token`: issues the token of an access for a code or a refresh token. (docs/api/oauth.md#tokens) */
import { Type, type Static } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { methodInSteps, type Call, type ServiceCall } from '../../call/method.js'
import { endPeerAccess } from '../../cmc/app-acceptance.js'
import { useOnce } from '../../oauth/assertion.js'
import {
  issueClientToken,
  parseClientGrant,
  refuseAccount,
  type ClientGrant
} from '../../oauth/client-credentials.js'
import {
  authenticateClient,
  ClientParams,
  getClientIdParam,
  recordUse,
  type Client
} from '../../oauth/clients.js'
import { failOAuth } from '../../oauth/errors.js'
import { issueToken, renewToken, TokenAnswer } from '../../oauth/issue-token.js'
import { ensureSigningKey, type SigningKey } from '../../oauth/keys.js'
import { InvalidProof, proofLifetime, verifyProof, type ValidProof } from '../../oauth/proof.js'
import { parseRefreshToken } from '../../oauth/tokens.js'
import {
  abandonCode,
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

type Redemption = RedeemedCode | RefreshedGrant | ClientGrant

interface Prepared {
  readonly client: Client
  readonly redemption: Redemption
  readonly key: SigningKey | undefined
  /** The thumbprint of the key that the client has proven. */
  readonly thumbprint: string | undefined
}

/**
 * Returns the token of an access, for a code, a refresh token or the client itself. Codes, refresh tokens and
 * proofs are used up before the access is issued, even if that fails.
 */
export const token = methodInSteps<typeof Params, Prepared>({
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
    const client = await authenticateClient(call, nameClient(call, params))
    const proof = await verifyTokenProof(call)
    const redemption = await redeemGrant(call, client, params, proof?.thumbprint)
    const use = proof && { key: proof.key, expires: call.now + proofLifetime, client: client.id }
    if (use && !(await useOnce(call.services, use, call.now))) {
      if (redemption.kind === 'code') await abandonCode(call, redemption)
      failOAuth('invalid_dpop_proof', 'The DPoP proof has been used before')
    }
    await recordUse(call.services, client.id, call.now)
    const needsKey = redemption.kind === 'code' && redemption.use.scopes.includes('openid')
    const key = needsKey ? await ensureSigningKey(call.services, call.now) : undefined
    return { client, redemption, key, thumbprint: proof?.thumbprint }
  },
  *run(call, _params, { client, redemption, key, thumbprint }) {
    if (redemption.kind === 'client') return yield* issueClientToken(call, client, redemption)
    return redemption.kind === 'code'
      ? yield* issueToken(call, client, redemption, { key, thumbprint })
      : renewToken(call, client, redemption)
  },
  // Found out while it runs.
  isLong: () => false,
  async handleUnknownUser(call, _username, params) {
    if (isUnnamedRefresh(params)) return refuseUnknown(call, params, 'refresh_token')
    const client = await authenticateClient(call, params)
    await verifyTokenProof(call)
    const type = parseGrantType(params)
    return type === 'client_credentials' ? refuseAccount(client) : refuseUnknown(call, params, type)
  }
})

/**
 * Returns params with the id of the client. A public client need not send it to refresh (RFC 6749, section
 * 6), and SMART apps do not: the token tells whose it is. Throws `invalid_grant` for unknown tokens: guesses
 * are counted. Others are returned as they are.
 */
function nameClient(call: Call, params: Params): Params {
  if (!isUnnamedRefresh(params)) return params
  const parts = parseRefreshToken(params.refresh_token ?? '')
  const found = parts && call.store.oauthGrants.find(parts)
  return found ? { ...params, client_id: found.grant.client } : refuseUnknown(call, params, 'refresh_token')
}

function isUnnamedRefresh(params: Params): boolean {
  return (
    params.grant_type === 'refresh_token' &&
    params.client_secret === undefined &&
    getClientIdParam(params) === ''
  )
}

async function redeemGrant(
  call: Call,
  client: Client,
  params: Params,
  thumbprint: string | undefined
): Promise<Redemption> {
  const type = parseGrantType(params)
  if (type === 'client_credentials') return parseClientGrant(call, client, params, thumbprint)
  return type === 'refresh_token'
    ? await refreshGrant(call, client, params, { thumbprint, endPeerAccess })
    : await redeemCode(call, client, params)
}

/**
 * Verifies the proof of a key that comes with the call, and returns it; `undefined` without one. Throws
 * `invalid_dpop_proof`.
 */
async function verifyTokenProof({
  credentials: { proof },
  now
}: ServiceCall): Promise<ValidProof | undefined> {
  try {
    return proof && (await verifyProof(proof, now))
  } catch (error) {
    if (error instanceof InvalidProof) failOAuth('invalid_dpop_proof', error.message)
    throw error
  }
}

const grantTypes = ['authorization_code', 'refresh_token', 'client_credentials'] as const

function parseGrantType({ grant_type: type }: Params): GrantType {
  if (type === undefined) failOAuth('invalid_request', 'The grant_type is missing')
  return (
    grantTypes.find(each => each === type) ??
    failOAuth('unsupported_grant_type', `The grant_type must be one of ${grantTypes.join(', ')}`)
  )
}
