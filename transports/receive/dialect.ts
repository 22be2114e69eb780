/** The form of a dialect: how an app or device that sends data on its own writes its requests, and which answer it expects. */
import type { Level } from '../../schemas/permission.js'
import type { Format, ImportedRecord } from '../../imports/record.js'
import type { Friend, WaitingBody } from '../../schemas/connection.js'

/** A request to `/{user}/from/{dialect}/…`, after the credential was checked and the body was decompressed. */
export interface ReceivedRequest {
  readonly method: string
  /** The path after the dialect's name and the token, such as `api/v2/write`; empty at the base address. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Decompressed; at most 50 MB. */
  readonly body: Buffer
  /** Seconds since the epoch at which the request arrived. */
  readonly now: number
  readonly connection: ConnectionSettings
}

/** What a person has set for a connection, as far as dialects read it. */
export interface ConnectionSettings {
  /** Name of the connection: the source of data that does not name its own. */
  readonly name: string
  /** Whether data on sexual and reproductive health is stored. */
  readonly sensitive: boolean
  /** Passphrase of encrypted payloads (OwnTracks). */
  readonly passphrase?: string
  /** How fields of `json` become events. */
  readonly mapping?: unknown
  readonly friends?: readonly Friend[]
}

/** What a request contains. */
export interface Reading {
  readonly records: readonly ReceivedRecord[]
  /** Array entries of the body; a night or a workout counts as one. */
  readonly received: number
  /** Numbers of entries that the dialect does not understand, by JSON key, metric, `_type` or `event`. */
  readonly notUnderstood: ReadonlyMap<string, number>
  /** Bodies that cannot be read before the user has said what their fields mean. They are kept to be shown on the page. */
  readonly unmapped?: readonly unknown[]
  /** Records to move to the trash, before the others are stored. */
  readonly removals?: readonly Removal[]
}

/** Selects what the connection has stored: everything of a source and subject, or what has one time. */
export interface Removal {
  readonly source: string
  /** Seconds. */
  readonly time?: number
}

/** A record to store. Same identity and time, other content: a correction, which becomes a new version of the event. */
export interface ReceivedRecord extends ImportedRecord {
  /** Id of the measure, if the user has chosen one: such records have a stream of their own, marked with it. */
  readonly measure?: string | undefined
  /** Bytes of the record's files, by key. */
  readonly fileBytes?: ReadonlyMap<string, Buffer>
  /**
   * True if records of its kind are frequent, such as positions: in a new lane, they become data points, however few have
   * arrived. By default, the rate of a request decides, unless its lane is known.
   */
  readonly isFrequent?: boolean | undefined
  /**
   * True if the record has no time but that of its arrival, so that the time does not identify it. Only for records with
   * `isEvent`.
   */
  readonly isUndated?: boolean | undefined
  /**
   * True if there is only one record of its stream and type at its time: other values, and other durations, are corrections, although
   * the identity of the record is its content.
   */
  readonly replaces?: boolean | undefined
  /**
   * Seconds. The record is joined with an event of its stream, type and identity to which it is closer than this: the event then
   * lasts from the earlier start to the later end.
   */
  readonly joinWithin?: number | undefined
  /**
   * If set, the record is not stored, but ends the last ongoing event (with the duration `null`) of its stream and type.
   * Only events that began less than this number of seconds before are ended.
   */
  readonly endsOngoing?: number | undefined
}

/** An answer in the dialect's own form. */
export interface DialectAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** An object is sent as JSON. */
  readonly body: string | object
}

/** Where a friend was last, as far as they share it. */
export interface FriendPosition {
  readonly username: string
  /** Seconds. */
  readonly time: number
  /** The content of `position/wgs84`. */
  readonly position: Readonly<Record<string, unknown>>
}

/** What the app of a connection may read and store. */
export interface ConnectionStore {
  /** Level of the connection's access. */
  readonly level: Level | undefined
  /** Stores records, and resolves once they are durable, with the numbers of those that could not be stored by kind. */
  add(reading: Reading): Promise<ReadonlyMap<string, number>>
  /** Calls a method with the connection's access; returns its result. Errors: the errors of the method. */
  call(method: string, params: object): Promise<Record<string, unknown>>
}

export interface Dialect {
  /** `hc-webhook`; part of the address. */
  readonly id: string
  /** Display name of the app. */
  readonly name: string
  /** The import format with which it shares streams and identities; by default, one with the dialect's own id and name. */
  readonly format?: Pick<Format, 'id' | 'name'>
  /** True if the app knows only an address, so that the token is part of it. */
  readonly hasTokenInUrl?: true
  /** True if the app sends the SHA-1 of its token. */
  readonly sendsDigest?: true
  /** Maximum size of a body, decompressed; 50 MB by default. */
  readonly maxBodyBytes?: number
  /** Returns what the app shows of a friend. The answers of these dialects are arrays. */
  readonly presentFriend?: (friend: FriendPosition) => readonly object[]
  /**
   * Answers requests of apps that also read; used instead of `read` and `answer`. `token`: the token of the connection's
   * access.
   */
  serve?(request: ReceivedRequest, store: ConnectionStore, token: string): Promise<DialectAnswer>
  /** Reads a request. Throws `invalid-request-structure` (400) if the body is malformed as a whole; then nothing is stored. */
  read(request: ReceivedRequest): Reading
  /** Reads a body that has waited for the mapping which the connection has now; only the first `maxItems` of each list, if given. */
  readonly readWaiting?: (waiting: WaitingBody, connection: ConnectionSettings, maxItems?: number) => Reading
  /** The answer once everything is durable. */
  answer(request: ReceivedRequest, reading: Reading): DialectAnswer
}
