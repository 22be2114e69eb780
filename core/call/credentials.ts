/** The credentials of a call: who calls, and from where. */
import type { Account } from '../../storage/platform/account.js'

/** A parsed query string: one text per name, or several if the name is repeated or marks a list. */
export type QueryValues = ReadonlyMap<string, string | readonly string[]>

/** Everything that comes with a call besides its params, as the transport received it. */
export interface Credentials {
  /** The value of the `Authorization` header, whatever its scheme. */
  readonly authorization?: string
  /** The `auth` query parameter. */
  readonly auth?: string
  readonly origin?: string
  readonly referer?: string
  /** Replaces an access when a single file is read. */
  readonly readToken?: ReadTokenUse
  /** All headers, for the operator's authorization step. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The `If-None-Match` header: validators of responses that the client has. */
  readonly ifNoneMatch?: string
  /** The URL of a request that is identified by its URL alone. It names the call in the validator of its response. */
  readonly url?: string | undefined
  /** The query, for the audit. */
  readonly query?: QueryValues
  /** Whether the token is that of a page's session, which the page is not told. */
  readonly isPage?: true
  /** The sessions of pages that the browser has, whatever else the call is made with: signing in replaces that of the account. */
  readonly pageSessions?: readonly PageSession[]
  /** Whose session it is, in calls that operators may make with it. */
  readonly pageUser?: string
  /** The operator whose session has been proven. Set by the dispatcher only: whoever has it may do what the key may. */
  readonly operator?: Pick<Account, 'id' | 'username'>
  /** Whether the call is one of a batch. */
  readonly isMember?: true
  /** Whether the call is made again, and was counted the first time. */
  readonly isCounted?: true
  /** The client's address. */
  readonly ip: string
  readonly via: 'http' | 'socket.io' | 'hf'
}

/** Who has signed in on a page, and with which token. */
export interface PageSession {
  readonly username: string
  readonly token: string
}

/** A read token and the file for which it is used; it is valid for that file only. */
export interface ReadTokenUse {
  readonly token: string
  readonly eventId: string
  readonly fileId: string
}
