/**
 * How the commits of an open file are made durable before anybody is told of them: a seam. By default one sync of the
 * write-ahead log does it (storage/wal/sync.ts). (docs/decisions/0001-durable-before-the-answer.md)
 */
import type { OpenedFile } from './opened-file.js'
import type { Position } from './position.js'

/** Called when commits are durable, or, with the reason, when it is certain that nobody will say so. */
export type OnDurable = (failure?: Error) => void

/** Makes the commits of one open file durable, and is closed with it. */
export interface Durability {
  /** Whether something is on its way that needs the file to stay open. */
  readonly isBusy: boolean
  /** Whether the log's directory entry is on disk. */
  readonly isNamed: boolean
  /** The position to write within the transaction that is about to be committed; `undefined` if files have none. */
  readonly nextPosition: Position | undefined
  /** To be called before each transaction. Throws `StoreUnavailable` if nothing may be written at present. */
  begin(): void
  /** To be called right after each COMMIT, before anything else can write to the file. Never throws. */
  capture(): void
  /** To be called after each commit, once those that wait for it have called {@link afterSync}. */
  committed(): void
  /** Calls back when every commit so far is durable. */
  afterSync(done: OnDurable): void
  /**
   * Resolves when what can be read now may be told; rejects with `StoreUnavailable` if that cannot be said. `undefined` if
   * it may be told at once.
   */
  waitUntilConfirmed(): Promise<void> | undefined
  /** Resolves when the log may be restarted, which overwrites its frames. Rejects if it must not be. */
  waitUntilRestartable(): Promise<void>
  /** To be called before the file is closed, after its last commit. */
  close(): void
}

/** The state of the log when its file was opened. */
export interface FoundLog {
  /** There was no log: opening the file created it. */
  readonly isNew: boolean
  /** It holds frames, and its directory entry is on disk. */
  readonly isNamed: boolean
}

/** Closes the file of an account, which another process serves now, without writing to it. Resolves when nothing uses it. */
export type DropAccount = (account: string) => Promise<void>

/** A way of keeping commits, for all files. The composition root chooses it. */
export interface DurabilityProvider {
  /**
   * What an account's file has to wait for before it can be opened, such as being fetched; `undefined` if nothing. Rejects
   * with `StoreUnavailable` if it cannot be opened here.
   */
  waitUntilReady(account: string): Promise<void> | undefined
  /** To be called right after a file has been opened. */
  open(opened: OpenedFile, found: FoundLog): Durability
  /** Where several processes may serve an account: has `drop` called whenever it turns out that another one does. */
  onLost?(drop: DropAccount): void
  /**
   * Where several processes may serve an account: gives it up. To be called after its file has been closed. Resolves when
   * everything is durable; rejects with `StoreUnavailable` if that cannot be said, and has given it up all the same.
   */
  release?(account: string): Promise<void>
  /**
   * Where several processes may serve an account: removes what they share of one that is deleted. To be called after its file
   * has been closed. Once more does no harm. Rejects with `StoreUnavailable` if that is not certain.
   */
  remove?(account: string): Promise<void>
  /** The accounts that {@link release} would give up. */
  listHeld?(): string[]
  /** Resolves when nothing that was handed over is on its way any more. To be called after all files have been closed. */
  close(): Promise<void>
}
