/** The errors of storage, which the core maps to API errors. */

/** A unique value already exists. `field` is the first column of the violated index, e.g. `event.id`. */
export class UniqueViolation extends Error {
  constructor(readonly field: string) {
    super(`${field} already exists`)
    this.name = 'UniqueViolation'
  }
}

/** A file is missing, empty or damaged. It is left unchanged. */
export class StoreDamaged extends Error {
  constructor(file: string, reason: string, cause?: unknown) {
    super(`${file}: ${reason}`, { cause })
    this.name = 'StoreDamaged'
  }
}

/** A file was written by a newer version of the software. */
export class StoreTooNew extends Error {
  constructor(file: string, version: number, known: number) {
    super(
      `${file} has schema version ${version}, but this software supports versions up to ${known} only. Upgrade the software`
    )
    this.name = 'StoreTooNew'
  }
}

/** Makes the message of an error about a copy of a file name the file itself. Returns the error. */
export function nameOriginal(error: unknown, copy: string, original: string): unknown {
  if (error instanceof Error) error.message = error.message.replaceAll(copy, original)
  return error
}

/** The account is being deleted while a call on it is in flight. The message is for the log, which holds no user names. */
export class AccountGone extends Error {
  constructor(readonly username: string) {
    super('The account is being deleted')
    this.name = 'AccountGone'
  }
}

/** The file of the account is open in another thread. */
export class AccountElsewhere extends Error {
  constructor(readonly username: string) {
    super('The file of the account is open in another thread')
    this.name = 'AccountElsewhere'
  }
}

/** The account has moved to another server while a call on it is in flight. */
export class AccountMoved extends Error {
  constructor(readonly url: string) {
    super('The account has moved')
    this.name = 'AccountMoved'
  }
}

/** An operator has suspended the account while a call on it is in flight. */
export class AccountSuspended extends Error {
  constructor() {
    super('The account is suspended')
    this.name = 'AccountSuspended'
  }
}

/** The owner has scheduled the account for deletion while a call on it is in flight. */
export class AccountClosing extends Error {
  constructor(
    /** When the account will be deleted, in seconds. */
    readonly deletion: number
  ) {
    super('The account is scheduled for deletion')
    this.name = 'AccountClosing'
  }
}

/**
 * Returns whether work on an account has failed because the account is no longer served here: it is being deleted, has moved, was suspended
 * or closed, or another process has its file. Nothing is wrong then.
 */
export function isNoLongerServed(error: unknown): boolean {
  const reasons = [AccountGone, AccountElsewhere, AccountMoved, AccountSuspended, AccountClosing]
  return reasons.some(reason => error instanceof reason)
}

/** No space is left on the device. */
export class StorageFull extends Error {
  constructor(cause?: unknown) {
    super('No space left on the device', { cause })
    this.name = 'StorageFull'
  }
}

/** The write queue of a file is full: a further write would wait longer than clients do. */
export class StoreBusy extends Error {
  constructor() {
    super('Too many writes are queued for this account')
    this.name = 'StoreBusy'
  }
}

/**
 * The account's file cannot be read or written at present: something that this needs cannot be reached, or this process no
 * longer serves the account.
 */
export class StoreUnavailable extends Error {
  constructor(reason: string, cause?: unknown) {
    super(reason, { cause })
    this.name = 'StoreUnavailable'
  }
}

/** A write has been committed, but it is unknown whether it stays: a retry might apply it twice. */
export class Unconfirmed extends StoreUnavailable {
  constructor(cause: unknown) {
    super('A write has not been confirmed', cause)
    this.name = 'Unconfirmed'
  }
}

/** A write has been undone because another process serves the account now: it will never take effect. */
export class Discarded extends StoreUnavailable {
  constructor(cause: unknown) {
    super('A write has been undone', cause)
    this.name = 'Discarded'
  }
}

/** Returns the error for a write that was committed but not made durable. */
export function toDurabilityError(failure: Error): StoreUnavailable {
  return failure instanceof Discarded ? failure : new Unconfirmed(failure)
}

/** An account's file has to be fetched or waited for before it can be opened. */
export class StoreNotReady extends StoreUnavailable {
  /** `ready` resolves when the file can be opened; it rejects with `StoreUnavailable` if the file cannot be opened. */
  constructor(readonly ready: Promise<void>) {
    super('The file of the account cannot be opened yet')
    this.name = 'StoreNotReady'
    // The caller need not wait for the promise.
    ready.catch(() => undefined)
  }
}

/**
 * A write needs unique values that are not reserved yet: the write is undone, and its store retries it once the values
 * are reserved.
 */
export class Unreserved extends Error {
  constructor(readonly values: readonly { readonly field: string; readonly key: string }[]) {
    super('A write needs unique values that are not reserved')
    this.name = 'Unreserved'
  }
}

/** A write takes too long to be made at once: it is undone, and repeated in steps. */
export class NeedsSteps extends Error {}

/** Responses that clients have not read yet fill the space reserved for them. */
export class SpoolsFull extends Error {
  constructor() {
    super('The space for responses that clients have not read yet is full')
    this.name = 'SpoolsFull'
  }
}

const damageCodes = new Set(['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_CANTOPEN'])
const diskFullCodes = new Set(['SQLITE_FULL', 'ENOSPC', 'EDQUOT'])
/** The error code of opening a file if there is no space for the shared-memory file of its WAL. */
const noRoomForIndex = 'SQLITE_IOERR_SHMSIZE'

/**
 * Returns the primary code of a SQLite or system error: `SQLITE_CORRUPT` for `SQLITE_CORRUPT_VTAB`. A SQLite
 * error from another thread arrives as a plain object with its code only. Returns an empty string for an
 * error without a code.
 */
function getErrorCode(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  if (code === noRoomForIndex) return 'SQLITE_FULL'
  return code.startsWith('SQLITE_') ? code.split('_', 2).join('_') : code
}

/**
 * Translates an error of SQLite or the file system to `StorageFull`, `StoreDamaged` or `UniqueViolation`; with a `file`,
 * also that of JSON that was read from it. Returns any other error unchanged.
 */
export function translateError(error: unknown, file = ''): unknown {
  const code = getErrorCode(error)
  const message = error instanceof Error ? error.message : ''
  // On a full disk SQLite may report an I/O error whose message alone names the cause.
  if (diskFullCodes.has(code) || message.includes('ENOSPC')) return new StorageFull(error)
  // Queries, and what they return, read the JSON of stored rows.
  const isUnreadable = file !== '' && error instanceof SyntaxError
  if (damageCodes.has(code) || message === 'malformed JSON' || isUnreadable)
    return new StoreDamaged(file, message, error)
  if (code === 'SQLITE_CONSTRAINT' && message.startsWith('UNIQUE'))
    return new UniqueViolation(parseViolatedColumn(message))
  return error
}

/** `UNIQUE constraint failed: stream.parentId, stream.name` → `stream.parentId`. */
function parseViolatedColumn(message: string): string {
  return message
    .slice(message.indexOf(':') + 1)
    .split(',', 1)[0]!
    .trim()
}
