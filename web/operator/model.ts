/** Responses of operator calls. Times are in seconds, sizes in bytes. (docs/spec/administration.md) */

export interface UserInfo {
  readonly username: string
  readonly created: number
  readonly state: 'active' | 'suspended' | 'moved' | 'closing'
  readonly suspended: number | null
  /** Time of the deletion scheduled by the user. */
  readonly deletion: number | null
  readonly isOperator: boolean
  /** In bytes; 0: no limit. */
  readonly quota: number
  readonly hasOwnQuota: boolean
  readonly documents: number | null
  readonly attachments: number | null
  readonly lastUsed: number | null
  readonly hasSecondFactor: boolean | null
  readonly passkeys: number | null
}

export interface Overview {
  readonly name: string
  readonly publicUrl: string
  readonly versions: Readonly<Record<'coffer' | 'api' | 'node' | 'sqlite', string>>
  readonly accounts: number
  readonly suspended: number
  readonly moved: number
  readonly invitations: number
  readonly registration: 'open' | 'invited' | 'closed'
  readonly passwordReset: 'mail' | 'operator' | 'none'
  readonly quota: number
  readonly mayDelete: boolean
}

export interface Problem {
  readonly level: 'warn' | 'error'
  readonly message: string
  readonly method?: string
  readonly errorId?: string
  readonly cause?: string
  readonly count: number
  readonly first: number
  readonly last: number
}

/** Queues, by name. */
export const queueNames = ['mails', 'webhooks', 'imports', 'passwords', 'previews'] as const

type QueueLengths = Readonly<Record<`${(typeof queueNames)[number]}Waiting`, number>>

export interface ServiceState extends QueueLengths {
  readonly checks: Readonly<Record<'platform' | 'disk' | 'running', boolean> & { cluster?: boolean }>
  readonly started: number
  readonly memory: number
  readonly connections: number
  readonly sockets: number
  readonly hasMailServer: boolean
  readonly backups: Backups | null
  readonly space: StorageSpace | null
  readonly alarms: readonly { readonly text: string }[]
  readonly problems: readonly Problem[]
}

export interface Backups {
  readonly succeeded?: number
  readonly next?: number
  readonly failures: number
  readonly problem?: string
  readonly isRunning: boolean
  readonly isVerified: boolean
  /** Latest first; `problem` is `null` if the backup succeeded. */
  readonly runs: readonly { readonly time: number; readonly problem: string | null }[]
}

/** Kinds of files. */
export const fileKinds = ['documents', 'attachments', 'previews', 'others'] as const

export interface StorageSpace extends Readonly<Record<(typeof fileKinds)[number], number>> {
  readonly measured: number
  readonly free: number
  readonly total: number
}

export interface MinuteStats {
  readonly time: number
  readonly calls: number
  readonly refused: number
  readonly failed: number
  readonly median: number | null
  readonly p95: number | null
}

/** A day in UTC; values that were not measured are `null`. */
export interface GrowthDay extends Readonly<Record<(typeof fileKinds)[number] | 'accounts', number | null>> {
  readonly time: number
  readonly events: number
}

export interface OperatorAction {
  readonly number: number
  readonly time: number
  readonly method: string
  readonly isByKey: boolean
  readonly operator: string | null
  readonly target: string | null
  readonly username: string | null
  readonly detail: Readonly<Record<string, unknown>>
  readonly error: string | null
  readonly ip: string
}

export interface Invitation {
  readonly id: string
  /** In milliseconds. */
  readonly createdAt: number
  readonly description: string
  readonly consumedAt?: number
  readonly consumedBy?: string
}

/** An OAuth client. `revoked`: when an operator has revoked the client. */
export interface OAuthClient {
  readonly id: string
  readonly name: string | null
  readonly isSelfRegistered: boolean
  readonly account: string | null
  readonly revoked: number | null
  readonly keys: readonly { readonly kid: string; readonly isRevoked: boolean }[]
}
