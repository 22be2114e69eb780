/** Something other than a method that is served below the root of each user, such as `/{user}/mcp`. */
import type { Credentials } from '../core/call/credentials.js'

/** What a client sent. */
export interface Message {
  /** The user name in lower case. */
  readonly user: string
  readonly credentials: Credentials
  readonly verb: string
  /** The parsed body; `undefined` for verbs that have none. */
  readonly body: unknown
}

/** What it gets back. */
export interface MessageAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** Answers messages at a path of one segment. */
export interface UserEndpoint {
  readonly segment: string
  /** Rejects with an `ApiError` to refuse the message as any call is refused. */
  answer(message: Message): Promise<MessageAnswer>
}
