/** The operator's log, as a port. Only fields that are on this list may be logged: no bodies, headers, queries, tokens. */

/** What a log line may say. */
export interface LogFields {
  readonly method?: string
  readonly status?: number
  readonly errorId?: string
  /** Milliseconds. */
  readonly durationMs?: number
  readonly accessId?: string
  readonly accountId?: string
  /** What a user would have been mailed, had the operator a mail server: good once, for an hour. */
  readonly link?: string
  /** The service's own base URL. */
  readonly url?: string
  /** What went wrong inside: for the operator only. */
  readonly cause?: unknown
}

export interface Log {
  info(message: string, fields?: LogFields): void
  warn(message: string, fields?: LogFields): void
  error(message: string, fields?: LogFields): void
}

/** A log that keeps silent. */
export const silentLog: Log = { info() {}, warn() {}, error() {} }
