/**
 * What OAuth writes into the client data of an access: which client holds it, and the key it is bound to. Only the service
 * sets these members. (docs/api/oauth.md#accesses)
 */
import type { Access } from '../../schemas/access.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Services } from '../call/services.js'
import { getCreatorId } from '../permissions/access.js'

/** The member that names the client. */
export const oauthKey = 'coffer:oauth'
/** The member with the thumbprint of the key (RFC 7638) that calls have to prove: `{ jkt }`. */
export const bindingKey = 'dpop'

/** Returns the thumbprint of the key to which an access is bound; `undefined` for a bearer token. */
export function getBoundKey({ clientData }: Pick<Access, 'clientData'>): string | undefined {
  const { jkt } = Object(clientData?.[bindingKey]) as { jkt?: unknown }
  return typeof jkt === 'string' ? jkt : undefined
}

/** Returns the id of the OAuth client that holds an access; `undefined` if none does. */
export function getClientId({ clientData }: Pick<Access, 'clientData'>): string | undefined {
  const { clientId } = Object(clientData?.[oauthKey]) as { clientId?: unknown }
  return typeof clientId === 'string' ? clientId : undefined
}

/** Returns whether an operator has revoked the client of an access, or of the access by which it was shared. */
export function isClientRevoked(
  { platform }: Pick<Services, 'platform'>,
  store: UserStore,
  access: Access
): boolean {
  const holder = access.type === 'shared' ? store.accesses.find(getCreatorId(access)) : access
  const client = holder?.type === 'app' ? getClientId(holder) : undefined
  return client !== undefined && platform.oauthClients.isRevoked(client)
}
