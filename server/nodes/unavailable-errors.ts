/** Errors for calls when the node that serves a user is unreachable, or its lease is invalid. (docs/spec/errors.md#retrying) */
import { ApiError } from '../../core/errors.js'

/** Returns the error for a call that has not been made, so that the client may retry it. */
export function createUnreachableError(cause?: unknown): ApiError {
  return new ApiError('api-unavailable', 'This account is temporarily unreachable. Try again', {
    retryAfter: 1,
    cause
  })
}

/** Returns the error for a call that may have been made. It has no `retryAfter`, which would mean that nothing was done. */
export function createUncertainError(cause?: unknown): ApiError {
  return new ApiError('api-unavailable', 'The result of this call is unknown. Check whether it took effect', {
    cause
  })
}
