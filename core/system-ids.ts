/**
 * Ids that belong to the service: stores and account streams (`:_system:…`, `:system:…`, `:_audit:…`), and the older
 * form of account streams (`.email`). Clients cannot take them for streams of their own. (docs/spec/accounts.md#system-streams)
 */

/** The root of account fields. */
export const accountId = ':_system:account'
/** The root of what marks values. */
export const helpersId = ':_system:helpers'
/** On the value of a field that is in force. */
export const activeId = ':_system:active'
/** On values that no other account may have. */
export const uniqueId = ':_system:unique'

/** The name of the account field that a stream is for, whether there is such a field still or not. */
export function systemName(id: string): string {
  return id.replace(/^:(?:_system|system):/, '')
}

/** Whether an id is one of the service's own. */
export function isSystemId(id: string): boolean {
  return id.startsWith(':') || id.startsWith('.')
}

/** Whether an id is the root of account fields, or of what marks them: `*` does not reach there. (docs/spec/accesses.md#account-streams) */
export function isAccountRoot(id: string): boolean {
  return id === accountId || id === helpersId || id === activeId || id === uniqueId
}
