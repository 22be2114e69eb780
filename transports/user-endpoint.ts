/** Endpoints below the root of each user that are not methods, such as `/{user}/mcp`. */
import type { Credentials } from '../core/call/credentials.js'

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
}

/** Handles messages at a path of one segment. */
export interface UserEndpoint {
  readonly segment: string
  /** Handles a message. Rejects with an `ApiError` to refuse the message like a call. */
  handle(message: EndpointMessage): Promise<EndpointResponse>
}
