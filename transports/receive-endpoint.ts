/** The endpoint below the root of each user that receives data from apps and devices: `/{user}/from/…`. */
import type { Request } from '../core/call/outcome.js'

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
