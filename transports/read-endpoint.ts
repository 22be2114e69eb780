/** Endpoints below the root of each user that answer other programs in formats of their own, such as `/{user}/prometheus/…`. */
import type { Credentials } from '../core/call/credentials.js'
import type { ApiError } from '../core/errors.js'
import type { EndpointResponse } from './user-endpoint.js'

/** A request of such a program. */
export interface ReadRequest {
  /** The user name in lower case. */
  readonly user: string
  readonly credentials: Credentials
  readonly verb: string
  /** The decoded path below the user's root. */
  readonly segments: readonly string[]
  /** The values of each name, in the query and the form; names without a `[]` at their end. */
  readonly params: ReadonlyMap<string, readonly string[]>
  /** Aborts, with an `ApiError`, once the client has gone. */
  readonly signal: AbortSignal
}

export interface ReadEndpoint {
  /** The first segments of its paths. */
  readonly roots: readonly string[]
  /** Handles a request. Rejects with an `ApiError` to refuse it like a call. */
  handle(request: ReadRequest): Promise<EndpointResponse>
  /**
   * Returns the response to a request below one of the roots that is refused, before or after it was handled; absent if
   * errors have the form of the API.
   */
  describeError?(error: ApiError): EndpointResponse
}
