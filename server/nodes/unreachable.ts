/** What callers are told when whoever serves a user cannot be asked, or cannot be certain. (docs/spec/errors.md#retrying) */
import { ApiError } from '../../core/errors.js'

/** Nothing has been done: it may be tried again. */
export function unreachable(cause?: unknown): ApiError {
  return new ApiError('api-unavailable', 'This account is temporarily unreachable. Try again', {
    retryAfter: 1,
    cause
  })
}

/** Something may have been done. Without `retryAfter`, which would say that nothing has. */
export function uncertain(cause?: unknown): ApiError {
  return new ApiError('api-unavailable', 'The result of this call is unknown. Check whether it took effect', {
    cause
  })
}
