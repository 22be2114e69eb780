/** Issues the token of an access for a code or a refresh token. (docs/api/oauth.md#tokens) */
import { Type, type Static } from 'typebox'
import type { Access } from '../../schemas/access.js'
import type { IdentityScope } from '../../schemas/oauth.js'
import type { Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import { formatWireId } from '../access-ids.js'
import { Caller } from '../permissions/caller.js'
import { isExpired, listStreamIds } from '../permissions/access.js'
import { getEffectiveGrants } from '../permissions/effective-grants.js'
import { isOfferInForce } from '../permissions/offer-session.js'
import { getAccountUrl, apiEndpoint } from '../service-info.js'
import { getBoundKey } from '../auth/oauth-marks.js'
import { recordOAuthAction } from './audit.js'
import type { Client } from './clients.js'
import { spendCode } from './codes.js'
import { failOAuth } from './errors.js'
import { createIdToken } from './id-token.js'
import type { SigningKey } from './keys.js'
import { getIssuer } from './metadata.js'
import { formatAccessScope } from './scope.js'
import { concernPatient, createPatientId } from './smart-scope.js'
import { createAccessToken, createRefreshToken, formatRefreshToken } from './tokens.js'
import { getAbsoluteEnd, getRefreshEnd, type RedeemedCode, type RefreshedGrant } from './redeem.js'
import { assertSameKey, bindAccess, isIssued } from './sessions.js'

/** The answer of the token endpoint. (RFC 6749, 5.1) */
export const TokenAnswer = Type.Object({
  access_token: Type.String(),
  /** `DPoP` for a token that is bound to a key. */
  token_type: Type.Enum(['Bearer', 'DPoP']),
  /** Seconds; absent if only the user ends the access. */
  expires_in: Type.Optional(Type.Integer()),
  scope: Type.String(),
  refresh_token: Type.Optional(Type.String()),
  id_token: Type.Optional(Type.String()),
  /** Root of the account: the API is below it. */
  api_endpoint: Type.String(),
  /** The same with the token in it, as client libraries take it. (docs/spec/conventions.md#root-endpoints) */
  apiEndpoint: Type.String(),
  username: Type.String(),
  /** The id of the user's resource of FHIR, with scopes of SMART. */
  patient: Type.Optional(Type.String())
})
export type TokenAnswer = Static<typeof TokenAnswer>

/**
 * Issues the access of a code, with a new token; with a refresh token if it may be used offline and ends,
 * with an ID token if `key` is given. `thumbprint`: the thumbprint of the key to which the token is bound.
 * Throws `invalid_grant` if the access is no longer valid. Records it in the audit. Must run within a
 * transaction.
 */
export function* issueToken(
  call: Call,
  client: Client,
  { code, use }: RedeemedCode,
  { key, thumbprint }: { readonly key: SigningKey | undefined; readonly thumbprint: string | undefined }
): Steps<TokenAnswer> {
  const { account, now, services, store } = call
  const known = store.accesses.find(use.accessId)
  if (known?.type !== 'app' || !isOfferInForce(store, known, now)) failEnded(use.accessId)
  if (thumbprint === undefined) assertSameKey(known, undefined)
  // The client has had it before: it lasts as long as a new one.
  const held =
    use.lifetime !== undefined && isIssued(call, known) ? prolong(call, known, now + use.lifetime) : known
  if (isExpired(held, now)) failEnded(use.accessId)
  const access =
    thumbprint === undefined
      ? replaceToken(call, held)
      : yield* bindAccess(call, client, held, { thumbprint, use })
  // A second use of the code ends the access that its token is of.
  if (access.id !== known.id) spendCode(store, code, { ...use, accessId: access.id }, now)
  const refreshToken =
    access.expires !== undefined && use.scopes.includes('offline_access') ? createRefreshToken() : undefined
  const grant = {
    client: client.id,
    ...(client.name !== undefined && { clientName: client.name }),
    scopes: use.scopes,
    created: now,
    ...(refreshToken && { ends: getAbsoluteEnd(call) })
  }
  const expires = grant.ends === undefined ? undefined : getRefreshEnd(call, client, grant.ends)
  store.oauthGrants.insert(access.id, grant, now, refreshToken, expires)
  recordOAuthAction(call, 'oauth.code.exchanged', access.id)
  recordOAuthAction(call, 'oauth.token.issued.authorization_code', access.id)
  const answer = buildTokenAnswer(call, access, use.scopes)
  return {
    ...answer,
    ...(refreshToken && {
      refresh_token: formatRefreshToken(access.alias ?? account.username, refreshToken)
    }),
    ...(key && {
      id_token: createIdToken(key, {
        issuer: getIssuer(services.config),
        client: client.id,
        subject: account.id,
        nonce: use.nonce,
        authTime: use.authTime,
        accessToken: access.token,
        fhirUser: use.scopes.includes('fhirUser') ? buildFhirUser(call, access) : undefined,
        now
      })
    })
  }
}

/**
 * Prolongs the access of a refresh token. The lifetime counts from the time at which the token was replaced,
 * so that a retry prolongs it no further. Must run within a transaction. Throws `invalid_grant` if the access
 * is no longer valid. Records it in the audit.
 */
export function renewToken(
  call: Call,
  client: Client,
  { grant, refreshToken, time }: RefreshedGrant
): TokenAnswer {
  const { now, services, store } = call
  const known = store.accesses.find(grant.access)
  const isValid = known?.type === 'app' && isOfferInForce(store, known, now)
  if (!isValid || known.expires === undefined) failEnded(grant.access)
  const lifetime = client.accessSeconds ?? services.config.oauth.accessSeconds
  // The user may have set an end since the refresh token was replaced.
  const { ends = Infinity } =
    store.oauthGrants.list(known.id).find(each => each.number === grant.number) ?? grant
  recordOAuthAction(call, 'oauth.token.refreshed', known.id)
  const access = prolong(call, known, Math.min(time + lifetime, ends))
  return { ...buildTokenAnswer(call, access, grant.scopes), refresh_token: refreshToken }
}

function failEnded(accessId: string): never {
  return failOAuth('invalid_grant', 'The access is no longer valid', accessId)
}

/** Lets an access that ends last until `end` at least, in seconds. Returns it as it is then. Must run within a transaction. */
function prolong({ changes, now, store }: Call, access: Access, end: number): Access {
  if (access.expires === undefined || access.expires >= end) return access
  const kept = store.accesses.update({
    ...access,
    expires: end,
    modified: store.stamp(now),
    modifiedBy: formatWireId(access)
  })
  changes.addAccess(kept, listStreamIds(kept))
  return kept
}

/**
 * Replaces the first token of an access, which consent pages know, by a token that only the client knows. An
 * access that a client already has keeps its token.
 */
function replaceToken(call: Call, access: Access): Access {
  const { account, changes, now, store } = call
  if (isIssued(call, access)) return access
  const kept = store.accesses.update({
    ...access,
    token: createAccessToken(access.alias ?? account.username),
    modified: store.stamp(now),
    modifiedBy: formatWireId(access)
  })
  changes.addAccess(kept, listStreamIds(kept))
  return kept
}

/** Returns the URL of the user's resource of FHIR, as the client of an access knows it. */
export function buildFhirUser({ account, services }: Call, { alias }: Access): string {
  const root = getAccountUrl(services.config, alias ?? account.username)
  return `${root}fhir/Patient/${createPatientId(account.id, alias)}`
}

/**
 * Returns the answer with the token of an access. For the audit, this access becomes the actor of the call.
 */
export function buildTokenAnswer(call: Call, access: Access, scopes: readonly IdentityScope[]): TokenAnswer {
  const { account, now, services, store } = call
  call.actor = new Caller(store, access)
  const username = access.alias ?? account.username
  const { ends } = getEffectiveGrants(store, access)
  return {
    access_token: access.token,
    token_type: getBoundKey(access) === undefined ? 'Bearer' : 'DPoP',
    ...(ends !== Infinity && { expires_in: Math.max(0, Math.floor(ends - now)) }),
    scope: formatAccessScope(access, scopes),
    api_endpoint: getAccountUrl(services.config, username),
    apiEndpoint: apiEndpoint(services.config, username, access.token),
    username,
    ...(concernPatient(scopes) && { patient: createPatientId(account.id, access.alias) })
  }
}
