/** Accesses of clients to their own accounts: no user takes part. (RFC 6749, 4.4; docs/api/oauth.md#client-credentials) */
import { isDeepStrictEqual } from 'node:util'
import type { Access } from '../../schemas/access.js'
import type { Permission } from '../../schemas/permission.js'
import type { Steps } from '../../storage/steps.js'
import { toStoredPermissions } from '../accesses/granting.js'
import type { Call } from '../call/method.js'
import type { Config } from '../settings/config.js'
import { getFactor } from '../sign-in/mfa/factor.js'
import { createClosingError } from '../unknown-user.js'
import { recordOAuthAction } from './audit.js'
import { buildOAuthData } from './client-data.js'
import { isConfidential, type Client } from './clients.js'
import { failOAuth } from './errors.js'
import { buildTokenAnswer, type TokenAnswer } from './issue-token.js'
import { assertScopeAllowed, parseScope, type Scope } from './scope.js'
import { findOwnSession, openSession } from './sessions.js'

/** What a client may do on its own account. */
export interface ClientGrant {
  readonly kind: 'client'
  readonly scope: Scope
}

/** Returns the user name of a client's own account; empty if it has none. The client is not proven yet. */
export function findClientAccount({ access }: Pick<Config, 'access'>, id: string): string {
  return access.apps.find(each => each.id === id)?.oauth?.account ?? ''
}

/**
 * Returns what a client requests for itself. Throws `unauthorized_client` for a public client, another account
 * than its own, or if that account needs a second factor and has none; `invalid_scope`; and `invalid_request`
 * for a proof of a key, which these tokens are not bound to. `forbidden` if the account is to be deleted.
 */
export function parseClientGrant(
  { account, services, store }: Pick<Call, 'account' | 'services' | 'store'>,
  client: Client,
  { scope: text }: { readonly scope?: string | undefined },
  thumbprint: string | undefined
): ClientGrant {
  if (!isConfidential(client))
    failOAuth('unauthorized_client', 'Only clients with a secret or a key can act on their own behalf')
  // The settings may contain a former name.
  if (client.account === undefined || services.accounts.findServed(client.account)?.id !== account.id)
    refuseAccount(client)
  if (account.deletion !== null) throw createClosingError(account.deletion)
  // Anyone who signs in there can act as the client.
  if (services.config.oauth.requireAppAccountMfa && !getFactor(store))
    failOAuth(
      'unauthorized_client',
      'Two-factor authentication is not turned on in the account of the client'
    )
  if (thumbprint !== undefined)
    failOAuth(
      'invalid_request',
      'Leave out the DPoP proof: tokens of client_credentials are not bound to a key'
    )
  const scope = parseScope(
    text ?? client.scopes?.join(' ') ?? failOAuth('invalid_scope', 'The scope is missing')
  )
  if (scope.identity.length > 0)
    failOAuth('invalid_scope', `There is no user here: leave out ${scope.identity.join(' ')}`)
  if (scope.permissions.length === 0) failOAuth('invalid_scope', 'The scope is empty')
  if (client.scopes) assertScopeAllowed(scope, client.scopes)
  return { kind: 'client', scope }
}

/** Refuses a client that has no account of its own here. */
export function refuseAccount(client: Client): never {
  return failOAuth(
    'unauthorized_client',
    isConfidential(client) && client.account !== undefined
      ? 'The account of the client does not exist'
      : 'The client has no account of its own'
  )
}

/**
 * Issues a token for the client's own account, without a refresh token. A client that asks again gets the
 * same token while half of its lifetime is left, so that it cannot fill the account with accesses. Records it
 * in the audit. Must run within a transaction.
 */
export function* issueClientToken(call: Call, client: Client, { scope }: ClientGrant): Steps<TokenAnswer> {
  const { now, services, store } = call
  const permissions: Permission[] = toStoredPermissions(call, scope.permissions)
  const lifetime = client.accessSeconds ?? services.config.oauth.accessSeconds
  const known = yield* findOwnSession(
    store,
    client,
    each => (each.expires ?? 0) > now + lifetime / 2 && isDeepStrictEqual(each.permissions, permissions)
  )
  const session =
    known ?? (yield* insertSession(call, client, { scope, permissions, expires: now + lifetime }))
  recordOAuthAction(call, 'oauth.token.issued.client_credentials', session.id)
  return buildTokenAnswer(call, session, [])
}

/** Opens a session of the client and stores its grant, which the user can see and revoke. */
function* insertSession(
  call: Call,
  client: Client,
  { scope, ...rest }: { readonly scope: Scope } & Required<Pick<Access, 'expires' | 'permissions'>>
): Steps<Access> {
  const clientData = buildOAuthData(client, scope)
  const session = yield* openSession(call, client, { ...rest, clientData, createdBy: 'system' })
  const grant = {
    client: client.id,
    ...(client.name !== undefined && { clientName: client.name }),
    scopes: [],
    created: call.now
  }
  call.store.oauthGrants.insert(session.id, grant, call.now)
  return session
}
