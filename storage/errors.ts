/** What can go wrong in storage, in words that the core turns into answers. */

/** Something unique exists already. `field` is the first column that has to be unique, e.g. `event.id`. */
export class UniqueViolation extends Error {
  constructor(readonly field: string) {
    super(`${field} exists already`)
    this.name = 'UniqueViolation'
  }
}

/** The file that should be there is missing, empty or damaged. It is left as it is. */
export class StoreDamaged extends Error {
  constructor(file: string, reason: string, cause?: unknown) {
    super(`${file}: ${reason}`, { cause })
    this.name = 'StoreDamaged'
  }
}

/** The file was written by a newer version of the software. */
export class StoreTooNew extends Error {
  constructor(file: string, version: number, known: number) {
    super(
      `${file} has schema version ${version}; this software knows versions up to ${known}. Please upgrade it`
    )
    this.name = 'StoreTooNew'
  }
}

/** The account is being deleted while a call on it is under way. */
export class AccountGone extends Error {
  constructor(readonly username: string) {
    super(`The account ${username} is being deleted`)
    this.name = 'AccountGone'
  }
}

/** The file of the account is open in another thread. */
export class AccountElsewhere extends Error {
  constructor(readonly username: string) {
    super(`The file of the account ${username} is open in another thread`)
    this.name = 'AccountElsewhere'
  }
}

/** The account lives elsewhere now; calls on it may be under way still. */
export class AccountMoved extends Error {
  constructor(readonly url: string) {
    super('The account has moved')
    this.name = 'AccountMoved'
  }
}

/** No space is left on the device. */
export class StorageFull extends Error {
  constructor(cause?: unknown) {
    super('No space left on the device', { cause })
    this.name = 'StorageFull'
  }
}

/** Answers that wait to be taken have filled the room that there is for them. */
export class SpoolsFull extends Error {
  constructor() {
    super('Too much waits to be taken by clients')
    this.name = 'SpoolsFull'
  }
}

const damaged = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_CANTOPEN'])
const full = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT'])

/** The code of a SQLite or system error, without its extension: `SQLITE_CORRUPT_VTAB` is `SQLITE_CORRUPT`. */
function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return code.startsWith('SQLITE_') ? code.split('_', 2).join('_') : code
}

/** Translates what SQLite or the file system threw; what is not theirs passes unchanged. */
export function translated(error: unknown, file = ''): unknown {
  const code = codeOf(error)
  const message = error instanceof Error ? error.message : ''
  // A write beyond the disk's end may surface as an I/O error of the write itself.
  if (full.has(code) || message.includes('ENOSPC')) return new StorageFull(error)
  if (damaged.has(code)) return new StoreDamaged(file, message, error)
  if (code === 'SQLITE_CONSTRAINT' && message.startsWith('UNIQUE'))
    return new UniqueViolation(violated(message))
  return error
}

/** `UNIQUE constraint failed: stream.parentId, stream.name` → `stream.parentId`. */
function violated(message: string): string {
  return message
    .slice(message.indexOf(':') + 1)
    .split(',', 1)[0]!
    .trim()
}
