/** Where the files of a backup lie: a folder, or a bucket of S3-compatible storage. */
import type { Settings } from '../../core/settings/settings.js'

/** A file that is being read. */
export interface Opened {
  /** Bytes. */
  readonly size: number
  readonly bytes: AsyncIterable<Buffer>
  /** Ends the reading early. */
  destroy(): void
}

/**
 * A place for files, by paths separated by `/`. Paths are checked by the caller: they consist of plain names. What a promise
 * says is written is there for good.
 */
export interface Place {
  /** The place, for people. */
  readonly name: string
  /** Keeps everybody else out until {@link close}. Throws `BackupError`, or `DirectoryLocked`, if somebody is in. */
  lock(): Promise<void>
  /** Opens a file; `undefined` if there is none. */
  open(path: string): Promise<Opened | undefined>
  /** Writes a new file. One that an interrupted run has left is replaced. */
  write(path: string, bytes: AsyncIterable<Buffer>): Promise<void>
  /** Replaces a small file, or makes it, so that it holds either the former or the new bytes. */
  replace(path: string, bytes: Buffer): Promise<void>
  /** Makes a file of the bytes of one on this machine without copying them. Returns `false` where that cannot be done. */
  link(path: string, source: string): Promise<boolean>
  /** Bytes of a file; `undefined` if there is none. */
  sizeOf(path: string): Promise<number | undefined>
  /** Names of the files and folders in a folder, by default the outermost. */
  list(path?: string): Promise<readonly string[]>
  /** Removes a file, or a folder with all that is in it. */
  remove(path: string): Promise<void>
  /** Makes sure that the entries of a folder and of those above it are written. */
  settle(path: string): Promise<void>
  /** Throws `BackupError` unless the place is still locked for the caller alone. */
  assertHeld(): Promise<void>
  /** Lets others in again. */
  close(): Promise<void>
}

/** Settings of storage that is not a folder. */
export type StorageSettings = Settings['backup']['s3']
