/** Something about a backup that whoever makes or restores it has to know. */
export class BackupError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupError'
  }
}

/** The file was not written with this passphrase or identity, or has been changed since. */
export class NotAuthentic extends BackupError {
  constructor(name: string, what = 'passphrase') {
    super(`${name}: the ${what} is wrong, or the file is damaged`)
    this.name = 'NotAuthentic'
  }
}
