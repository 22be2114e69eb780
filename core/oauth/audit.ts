/**
 * Audit records of what happens to consents, codes and tokens, besides the records of the calls themselves.
 * (docs/api/oauth.md#audit)
 */
import type { UserStore } from '../../storage/user/user-store.js'
import type { ServiceCall } from '../call/method.js'

/** The names of the records. */
export type OAuthAction =
  | `oauth.consent.${'shown' | 'granted' | 'refused'}`
  | `oauth.code.${'exchanged' | 'reused'}`
  | `oauth.token.issued.${'authorization_code' | 'client_credentials'}`
  | `oauth.token.${'refreshed' | 'revoked' | 'reuse_detected' | 'dpop_mismatch'}`

/** Names by which a filter of the audit includes or excludes these records: they follow the calls that make tokens. */
const filterNames: readonly string[] = ['all', 'oauth.all', 'oauth.token']

/**
 * Records what happened to a consent, a code or a token of the access with this id, in the account's audit,
 * unless the settings exclude it. `status`: the status of the response.
 */
export function recordOAuthAction(
  { credentials: { ip, via }, now, services, store }: ServiceCall & { readonly store: UserStore },
  action: OAuthAction,
  accessId: string,
  status = 200
): void {
  const { active, storage } = services.config.audit
  const { exclude, include } = storage.filter.methods
  const isIncluded = include.length === 0 || include.some(name => filterNames.includes(name))
  if (!active || !isIncluded || exclude.some(name => filterNames.includes(name))) return
  store.record({ time: now, access: accessId, action, via, ip, status })
}
