/**
 * Ids that belong to the service: stores and account streams (`:_system:…`, `:system:…`, `:_audit:…`), and the older
 * form of account streams (`.email`). Clients cannot use such ids for their own streams.
 * (docs/spec/accounts.md#system-streams)
 */
import { isFollowedId } from '../schemas/mirrors/followed-ids.js'
import { isCmcId } from './cmc-ids.js'

export { getFollowedRoot, getRootOfCopy, isFollowedId } from '../schemas/mirrors/followed-ids.js'

/** The root of account fields. */
export const accountId = ':_system:account'
/** The root of streams that mark values. */
export const helpersId = ':_system:helpers'
/** Marks the value in force of a field. */
export const activeId = ':_system:active'
/** Marks values that no other account may have. */
export const uniqueId = ':_system:unique'

/** Returns the name of the account field that a stream is for, even if that no longer exists. */
export function getFieldName(id: string): string {
  return id.replace(/^:(?:_system|system):/, '')
}

/** Returns whether an id belongs to the service. Streams below `:_cmc:` are the account's own, with rules of their own. */
export function isSystemId(id: string): boolean {
  return (id.startsWith(':') && !isCmcId(id)) || id.startsWith('.')
}

/**
 * Returns whether `*` covers a root: not the roots of account fields and of streams that mark them, nor copies of other
 * accounts' streams. (docs/spec/accesses.md#account-streams)
 */
export function isOwnRoot(id: string): boolean {
  const isAccount = id === accountId || id === helpersId || id === activeId || id === uniqueId
  return !isAccount && !isFollowedId(id)
}

/** The store of shared secrets, and its root. (docs/spec/shared-secrets.md) */
export const sharedSecretsRoot = ':_shared-secrets:'

/** Returns the stream of the secrets that an access has created. */
export function getSecretsStreamId(accessId: string): string {
  return sharedSecretsRoot + accessId
}

/** Returns whether an id belongs to the store of shared secrets. */
export function isSecretsStreamId(id: string): boolean {
  return id.startsWith(sharedSecretsRoot)
}
