/** Where the files of a backup are stored: a folder, or a bucket of S3-compatible storage. */
import type { Settings } from '../../core/settings/settings.js'

/** An open file. */
export interface OpenFile {
  /** Bytes. */
  readonly size: number
  readonly bytes: AsyncIterable<Buffer>
  /** Stops reading before the end. */
  destroy(): void
}

/**
 * A place for files, by paths separated by `/`. The caller checks paths: they consist of plain names. Once a method resolves, what
 * it has written is durable.
 */
export interface Place {
  /** Address of the place, for messages. */
  readonly name: string
  /**
   * Locks the place until {@link close}. Throws `BackupError`, or `DirectoryLocked`, if another process has
   * locked it. A lock on a bucket expires unless it is renewed, which this starts.
   */
  lock(): Promise<void>
  /** Opens a file; `undefined` if there is no such file. */
  open(path: string): Promise<OpenFile | undefined>
  /** Writes a new file. Replaces a file that an interrupted run has left. */
  write(path: string, bytes: AsyncIterable<Buffer>): Promise<void>
  /** Creates or replaces a small file atomically. */
  replace(path: string, bytes: Buffer): Promise<void>
  /**
   * Adds a local file as a link instead of copying it. Returns false if that is not possible. Always false for
   * a bucket.
   */
  link(path: string, source: string): Promise<boolean>
  /** Returns the size of a file in bytes; `undefined` if there is none. */
  getSize(path: string): Promise<number | undefined>
  /** Lists the names of files and folders in a folder, by default the root. */
  list(path?: string): Promise<readonly string[]>
  /** Removes a file, or a folder with its content. */
  remove(path: string): Promise<void>
  /** Syncs the entries of a folder and of its parents. */
  syncFolder(path: string): Promise<void>
  /** Throws `BackupError` unless this process still holds the lock. */
  assertLocked(): Promise<void>
  /** Releases the lock. */
  close(): Promise<void>
}

/** Settings of a bucket. */
export type StorageSettings = Settings['backup']['s3']
