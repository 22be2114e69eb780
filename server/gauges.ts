/** Load of the runtime that owns the users' files. */
export interface Gauges {
  /** Number of open user files. */
  readonly openUserFiles: number
  /** Number of passwords waiting to be hashed or checked. */
  readonly passwordsWaiting: number
  /** Number of pictures waiting to be scaled down. */
  readonly previewsWaiting: number
  /** Number of mails waiting to be sent. */
  readonly mailsWaiting: number
  /** Number of webhook calls waiting and running. */
  readonly webhooksWaiting: number
  readonly webhooksRunning: number
  /** Number of files waiting to be read for an import, and being read. */
  readonly importsWaiting: number
  readonly importsRunning: number
  /** Number of messages to the syslog that were dropped. */
  readonly syslogLost: number
}

/** How the backups go that the service makes by itself. Times in seconds. */
export interface BackupState {
  /** When the last one that succeeded ended. */
  readonly succeeded?: number
  /** When the next one begins. */
  readonly next?: number
  /** Failures since the last success. */
  readonly failures: number
  /** What went wrong the last time. */
  readonly problem?: string
  readonly isRunning: boolean
  /** The latest ones that ended, the last one first. */
  readonly runs: readonly BackupRun[]
}

/** A backup that has ended, at a time in seconds. */
export interface BackupRun {
  readonly time: number
  /** What went wrong; `null` if it succeeded. */
  readonly problem: string | null
}

/** The readiness checks. */
export interface Readiness {
  /** The platform database can be read. */
  readonly platform: boolean
  /** The data directory can be written to. */
  readonly disk: boolean
  /** The engine of the cluster answers, and this node may serve its users. Only where there is a cluster. */
  readonly cluster?: boolean
}
