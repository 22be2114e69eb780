/** The credentials of a call: who calls, and from where. */
import type { Account } from '../../storage/platform/account.js'

/** A parsed query string: one text per name, or several texts if the name is repeated or marks a list. */
export type QueryValues = ReadonlyMap<string, string | readonly string[]>

/** What a transport receives with a call besides its params. */
export interface Credentials {
  /** The value of the `Authorization` header, whatever its scheme. */
  readonly authorization?: string
  /** The `auth` query parameter. */
  readonly auth?: string
  readonly origin?: string
  readonly referer?: string
  /** The `DPoP` header of a request, with what it has to be about. Not verified yet. */
  readonly proof?: KeyProof
  /**
   * Thumbprint of the key that the sender has proven to hold, for this request and the token in `authorization`. Set only by
   * transports, from what `oauth.prove` has verified.
   */
  readonly provenKey?: string
  /** Why a proof that came with a token is not valid. */
  readonly proofProblem?: string
  /** Used instead of an access to read a single file. */
  readonly readToken?: ReadTokenUse
  /** All headers, for the operator's authorization step. */
  readonly headers?: Readonly<Record<string, string | readonly string[] | undefined>>
  /** The `If-None-Match` header: validators of responses that the client has. */
  readonly ifNoneMatch?: string
  /** The URL of a request that is identified by its URL alone; included in the validator of the response. */
  readonly url?: string | undefined
  /** The query, for the audit. */
  readonly query?: QueryValues
  /** Set if the token belongs to a page's session; the page never sees it. */
  readonly isPage?: true
  /** All page sessions of the browser, whatever credentials the call uses. Signing in replaces the session of the account. */
  readonly pageSessions?: readonly PageSession[]
  /** The user of the page's session, in calls that operators may make with such a session. */
  readonly pageUser?: string
  /** The authenticated operator. Set by the dispatcher only, since it grants the same rights as the admin key. */
  readonly operator?: Pick<Account, 'id' | 'username'>
  /** Set for calls of assistants (MCP), which see no credentials and give no consent. */
  readonly isAssistant?: true
  /** Set for a call of a batch. */
  readonly isMember?: true
  /** Set if the call is repeated and has been counted before. */
  readonly isCounted?: true
  /** Set by the transport that receives data of connections, for the methods that only it calls. */
  readonly isConnection?: true
  /** Set by endpoints that answer in formats of their own, for the methods that only they call. */
  readonly isEndpoint?: true
  /** The client's address. */
  readonly ip: string
  readonly via: 'http' | 'socket.io' | 'hf'
}

/** A proof that the sender holds a key (RFC 9449), and the request that it came with. */
export interface KeyProof {
  /** The proof: a JSON Web Token. */
  readonly text: string
  /** The HTTP method of the request. */
  readonly verb: string
  /** The URLs by which clients may know what the request is for, without its query; the likeliest first. */
  readonly urls: readonly string[]
}

/** A session of a page: the signed-in user and the token. */
export interface PageSession {
  readonly username: string
  readonly token: string
}

/** A read token, and the file that is to be read with it. A read token is valid for one file only. */
export interface ReadTokenUse {
  readonly token: string
  readonly eventId: string
  readonly fileId: string
}
