/** What the core knows of the dialects in which apps and devices send data. Transports read them. (docs/api/connections.md) */

import type { ImportedRecord } from '../../imports/record.js'
import type { Connection, WaitingBody } from '../../schemas/connection.js'

export interface DialectInfo {
  readonly id: string
  /** Display name of the app. */
  readonly name: string
  /** The format under which its data is stored, shared with files of the same app or device. */
  readonly format: { readonly id: string; readonly name: string }
  /** True if the app knows only an address, so that the token is part of it. */
  readonly hasTokenInUrl: boolean
  /** True if the app of the dialect shows the positions of friends. */
  readonly showsFriends: boolean
  /** True if the app also reads what it has sent: its access may be granted any level. */
  readonly readsBack: boolean
  /** True if the app sends the SHA-1 of its token, so that the access has this digest as its token. */
  readonly sendsDigest: boolean
  /** Returns a link that sets the app up; absent if the app has no such links. */
  readonly createLink?: ((setup: DialectSetup) => string) | undefined
  /**
   * Reads a body that has waited for a mapping, or only the first `maxItems` of each of its lists; absent if the dialect has no
   * mappings.
   */
  readonly readWaiting?:
    | ((waiting: WaitingBody, connection: Connection, maxItems?: number) => WaitingReading)
    | undefined
}

/** What a body contains that has waited for a mapping. */
interface WaitingReading {
  readonly records: readonly (ImportedRecord & { readonly measure?: string | undefined })[]
  readonly notUnderstood: ReadonlyMap<string, number>
}

/** What a link that sets an app up contains. */
export interface DialectSetup {
  readonly url: string
  readonly token: string
  readonly username: string
  /** Name of the connection. */
  readonly name: string
}

/** By id. */
export type Dialects = ReadonlyMap<string, DialectInfo>
