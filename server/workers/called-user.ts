/** Determines whose file a call needs. */
import type { Request } from '../../core/call/outcome.js'
import type { Party } from '../../storage/scheduler.js'

/**
 * Returns the user whose file a call needs; `undefined` if the call needs no user's file. Methods of the service name
 * that user in their params.
 */
export function getCalledUser({ params, user }: Pick<Request, 'params' | 'user'>): string | undefined {
  if (user !== undefined) return user
  if (typeof params !== 'object' || params === null || !('username' in params)) return undefined
  return typeof params.username === 'string' ? params.username.toLowerCase() : undefined
}

/** Returns the party whose turn it is to send or receive a call: the account that it needs. */
export function toAccountParty(request: Pick<Request, 'params' | 'user'>): Party {
  return { account: getCalledUser(request) ?? '', access: '' }
}
