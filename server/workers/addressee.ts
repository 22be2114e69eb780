/** Whose file a call needs. */
import type { Request } from '../../core/call/outcome.js'

/** The user whose file a call needs; methods of the service that use one name that user in their params. */
export function addresseeOf({ params, user }: Pick<Request, 'params' | 'user'>): string | undefined {
  if (user !== undefined) return user
  if (typeof params !== 'object' || params === null || !('username' in params)) return undefined
  return typeof params.username === 'string' ? params.username.toLowerCase() : undefined
}
