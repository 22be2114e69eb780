/** API objects, with the members that pages use. Times are in seconds. (docs/spec) */

export type Level = 'read' | 'contribute' | 'manage' | 'create-only' | 'none'

export interface Stream {
  readonly id: string
  readonly name: string
  readonly parentId: string | null
  readonly children: readonly Stream[]
  readonly trashed?: boolean
  readonly clientData?: Readonly<Record<string, unknown>>
  readonly created: number
  /** Id of an access, followed by its caller id if there is one. */
  readonly createdBy: string
  readonly modified: number
}

export interface Attachment {
  readonly id: string
  readonly fileName: string
  readonly type: string
  readonly size: number
  readonly integrity?: string
  readonly readToken?: string
}

export interface Event {
  readonly id: string
  readonly streamIds: readonly string[]
  readonly type: string
  readonly time: number
  readonly duration?: number | null
  readonly content?: unknown
  readonly description?: string
  readonly attachments?: readonly Attachment[]
  readonly clientData?: Readonly<Record<string, unknown>>
  readonly trashed?: boolean
  readonly integrity?: string
  readonly created: number
  readonly createdBy: string
  readonly modified: number
  readonly modifiedBy: string
}

/** The events of one type directly in a stream. (docs/api/samples.md) */
export interface Fact {
  readonly streamId: string
  readonly type: string
  /** Number of events: series count as one. */
  readonly count: number
  /** Number of what people count: readings instead of the series that hold them, and runs without their tracks. */
  readonly shownCount: number
  readonly first: number
  readonly last: number
  readonly latest?: unknown
}

/** One bucket of a time range. (docs/api/samples.md) */
export interface Sample {
  readonly time: number
  readonly count: number
  readonly min?: number
  readonly max?: number
  readonly mean?: number
  readonly first?: number
  readonly last?: number
}

/** Points of a series, as rows of cells. */
export interface SeriesPoints {
  readonly fields: readonly string[]
  readonly points: readonly (readonly (number | null)[])[]
}

export type Permission =
  | { readonly streamId: string; readonly level: Level }
  | { readonly feature: string; readonly setting: string }

export interface Access {
  readonly id: string
  /** The id with which calls name the access, where `id` is the one that it keeps. */
  readonly versionId?: string
  readonly type: 'personal' | 'app' | 'shared'
  readonly name: string
  readonly deviceName?: string | null
  readonly token?: string
  readonly apiEndpoint?: string
  /** The name under which its holder knows the account, in place of the username. */
  readonly alias?: string
  readonly permissions: readonly Permission[]
  readonly clientData?: Readonly<Record<string, unknown>>
  readonly expires?: number | null
  readonly lastUsed?: number
  readonly calls?: Readonly<Record<string, number>>
  /** Present if it was granted by OAuth. (docs/api/oauth.md#accesses) */
  readonly oauth?: {
    readonly clientName?: string
    readonly granted: number
    readonly refreshed?: number
    readonly renewableUntil?: number
  }
  readonly created: number
  readonly createdBy: string
  readonly modified: number
  readonly deleted?: number
}

/** The current access. */
export interface AccessInfo {
  readonly id: string
  readonly type: Access['type']
  readonly name: string
  readonly permissions: readonly Permission[]
  readonly expires?: number
  /** The name that its holder sees in place of the username. */
  readonly alias?: string
  readonly user?: { readonly username: string; readonly isOperator?: true }
}

/** The JSON Schema of a content, from the directory of event types. */
export interface ContentSchema {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, ContentSchema>>
  readonly required?: readonly string[]
  readonly items?: ContentSchema
  readonly enum?: readonly unknown[]
  readonly description?: string
  readonly anyOf?: readonly ContentSchema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly pattern?: string
}

export type EventTypes = Readonly<Record<string, ContentSchema>>
