/** The state of the service, as metrics, health checks and the operator's page report it. */
import type { PlatformStore } from '../storage/platform/platform-store.js'

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

/** State of scheduled backups. Times in seconds. */
export interface BackupState {
  /** End of the last successful backup. */
  readonly succeeded?: number
  /** Begin of the next backup. */
  readonly next?: number
  /** Failures since the last success. */
  readonly failures: number
  /** Error of the last backup. */
  readonly problem?: string
  readonly isRunning: boolean
  /** The latest completed backups, newest first. */
  readonly runs: readonly BackupRun[]
}

/** A completed backup. */
export interface BackupRun {
  /** When the backup ended, in seconds. */
  readonly time: number
  /** The error; `null` if the backup succeeded. */
  readonly problem: string | null
}

/** The readiness checks. */
export interface Readiness {
  /** The platform database can be read. */
  readonly platform: boolean
  /** The data directory can be written to. */
  readonly disk: boolean
  /** The engine responds, and this node may serve its users. Only in a cluster. */
  readonly cluster?: boolean
}

/** Returns whether the platform can be read. */
export function canRead(platform: Pick<PlatformStore, 'listActive'>): boolean {
  try {
    platform.listActive('', 1)
    return true
  } catch {
    return false
  }
}
