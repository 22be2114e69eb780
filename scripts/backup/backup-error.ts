/** A problem with a backup, with a message for the operator. */
export class BackupError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupError'
  }
}

/** A file was not encrypted with this passphrase or identity, or has been changed since. */
export class NotAuthentic extends BackupError {
  constructor(name: string, what = 'passphrase') {
    super(`${name}: the ${what} is incorrect, or the file is damaged`)
    this.name = 'NotAuthentic'
  }
}

/** The data that all nodes of a cluster share cannot be reached. */
export class EngineLost extends BackupError {
  constructor(cause: Error) {
    super(`${cause.message}. Earlier backups are unchanged`)
    this.name = 'EngineLost'
  }
}

/** Returns true if an error with one file would affect all other files too. */
export function isFatal(error: Error): boolean {
  if (error instanceof EngineLost) return true
  return error.name === 'StorageFull' || ('code' in error && error.code === 'ENOSPC')
}

/** A problem with a part of a backup. */
export interface BackupProblem {
  readonly user?: string
  readonly detail: string
  /** True if the problem has been repaired; it is reported because of its possible cause. */
  readonly isMended?: true
}
