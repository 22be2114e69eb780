/**
 * Endpoints below the root of each user that are not methods: such as `/{user}/mcp`, those that answer other programs
 * in formats of their own, and `/{user}/from/…`, which receives data from apps and devices.
 */
import type { Credentials } from '../core/call/credentials.js'
import type { ApiError } from '../core/errors.js'
import type { Request } from '../core/call/outcome.js'
import type { UserCalls } from './user-calls.js'

/** A message of a client. */
export interface EndpointMessage {
  /** The user name in lower case. */
  readonly user: string
  readonly credentials: Credentials
  readonly verb: string
  /** The parsed body; `undefined` for verbs without a body. */
  readonly body: unknown
}

/** The response to a message. */
export interface EndpointResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
  /** True if nothing was written: a long response without a place is refused, and the client can repeat its request. */
  readonly isRead?: boolean
}

/** Handles messages at a path of one segment. */
export interface UserEndpoint {
  readonly segment: string
  /** Handles a message. Rejects with an `ApiError` to refuse the message like a call. */
  handle(message: EndpointMessage): Promise<EndpointResponse>
}

/** A request of such a program. */
export interface ReadRequest {
  /** The user name in lower case. */
  readonly user: string
  readonly credentials: Credentials
  /** Makes calls with these credentials. */
  readonly calls: UserCalls
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

/** A request of an app or a device. */
export interface IncomingRequest {
  /** The user name in lower case; `undefined` if the address names none. */
  readonly user: string | undefined
  readonly verb: string
  /** The decoded part of the path after the endpoint. */
  readonly segments: readonly string[]
  /** The first value of each name. */
  readonly query: Readonly<Record<string, string>>
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly ip: string
  /**
   * Reads the body, decompressed, of `maxBytes` at most; its memory counts for this account and token. Called once. Errors:
   * `invalid-request-structure`.
   */
  readBody(caller: Pick<Request, 'user' | 'credentials'>, maxBytes: number): Promise<Buffer>
}

export interface IncomingResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export interface ReceiveEndpoint {
  /** First segment of the path below the user's root. */
  readonly segment: string
  /** Handles a request. Rejects with an `ApiError` to refuse it like a call. */
  handle(request: IncomingRequest): Promise<IncomingResponse>
}
