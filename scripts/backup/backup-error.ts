/** A problem with a backup, with a message for the operator. */
export class BackupError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupError'
  }
}

/** A file was not encrypted with this passphrase or identity, or was changed since. */
export class NotAuthentic extends BackupError {
  constructor(name: string, what = 'passphrase') {
    super(`${name}: the ${what} is incorrect, or the file is damaged`)
    this.name = 'NotAuthentic'
  }
}

/** What the nodes of a cluster share cannot be reached. */
export class EngineLost extends BackupError {
  constructor(cause: Error) {
    super(`${cause.message}. Earlier backups are unchanged`)
    this.name = 'EngineLost'
  }
}

/** Whether an error of one file would hit every other one too. */
export function isFatal(error: Error): boolean {
  if (error instanceof EngineLost) return true
  return error.name === 'StorageFull' || ('code' in error && error.code === 'ENOSPC')
}

/** What went wrong with a part of a backup. */
export interface BackupProblem {
  readonly user?: string
  readonly detail: string
  /** It has been dealt with, and is told because of what it may come from. */
  readonly isMended?: true
}
