/** What comes with a call beside its params: who calls, and from where. */

/** A query string, read: one text by name, or several where the name came several times or stands for a list. */
export type QueryValues = ReadonlyMap<string, string | readonly string[]>

/** What comes with a call beside its params, as the transport received it. */
export interface Credentials {
  /** The `Authorization` header's value, whatever its scheme. */
  readonly authorization?: string
  /** The `auth` query parameter. */
  readonly auth?: string
  readonly origin?: string
  readonly referer?: string
  /** Stands for an access when one file is read. */
  readonly readToken?: ReadTokenUse
  /** All headers, for the operator's authorization step. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The validators of answers that the client has already. */
  readonly ifNoneMatch?: string
  /** What the query string says, for the audit. */
  readonly query?: QueryValues
  /** Whether the call is one of a batch. */
  readonly isMember?: true
  /** The client's address. */
  readonly ip: string
  readonly via: 'http' | 'socket.io' | 'hf'
}

/** A read token, and what it is used for: it is good for that file alone. */
export interface ReadTokenUse {
  readonly token: string
  readonly eventId: string
  readonly fileId: string
}
