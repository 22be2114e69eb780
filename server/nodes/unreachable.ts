/** What callers are told when whoever serves a user cannot be asked, or cannot be certain. (docs/spec/errors.md#retrying) */
import { ApiError } from '../../core/errors.js'

/** Nothing has been done: it may be tried again. */
export function unreachable(cause?: unknown): ApiError {
  return new ApiError('api-unavailable', 'This account cannot be reached at the moment. Please try again', {
    retryAfter: 1,
    cause
  })
}

/** Something may have been done. Without `retryAfter`, which would say that nothing has. */
export function uncertain(cause?: unknown): ApiError {
  return new ApiError('api-unavailable', 'It cannot be said whether this has been done', { cause })
}
