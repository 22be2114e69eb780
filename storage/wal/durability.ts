/**
 * How the commits of an open file are made durable before they are acknowledged: an interface, and the only way to commit
 * a user's transaction. By default one sync of the write-ahead log does it (storage/wal/sync.ts). (docs/decisions/0001-durable-before-the-answer.md)
 */
import type { Database } from 'better-sqlite3'
import { Unconfirmed } from '../errors.js'
import { statement } from '../sqlite/statements.js'
import { writePosition, type OpenedFile, type Position } from './position.js'

/** Called when commits are durable, or, with the reason, when it is certain that this will not be confirmed. */
export type OnDurable = (failure?: Error) => void

/** Makes the commits of one open file durable, and is closed with it. */
export interface Durability {
  /** True while an operation needs the file to stay open. */
  readonly isBusy: boolean
  /** Whether the log's directory entry is on disk. */
  readonly isNamed: boolean
  /** The position to write within the transaction that is about to be committed; `undefined` if files have none. */
  readonly nextPosition: Position | undefined
  /** Must be called before each transaction. Throws `StoreUnavailable` if nothing may be written at present. */
  begin(): void
  /** Must be called right after each COMMIT, before anything else can write to the file. Never throws. */
  capture(): void
  /** Must be called after each commit, once those that wait for it have called {@link afterSync}. */
  committed(): void
  /** Calls back when every commit so far is durable. */
  afterSync(done: OnDurable): void
  /**
   * Resolves when what can be read now may be returned to clients; rejects with `StoreUnavailable` if that is
   * uncertain. `undefined` if it may be returned at once.
   */
  waitUntilConfirmed(): Promise<void> | undefined
  /** Resolves when the log may be restarted, which overwrites its frames. Rejects if it must not be. */
  waitUntilRestartable(): Promise<void>
  /** Must be called before the file is closed, after its last commit. */
  close(): void
}

/** The state of the log when its file was opened. */
export interface FoundLog {
  /** There was no log: opening the file created it. */
  readonly isNew: boolean
  /** True if the log holds frames and its directory entry is on disk. */
  readonly isNamed: boolean
}

/** Closes the file of an account that another process serves now, without writing to it. Resolves when nothing uses it. */
export type DropAccount = (account: string) => Promise<void>

/** A durability scheme for all files. The composition root chooses it. */
export interface DurabilityProvider {
  /**
   * Returns a promise that resolves once an account's file can be opened, for example after it was fetched; `undefined`
   * if it can be opened now. Rejects with `StoreUnavailable` if it cannot be opened here.
   */
  waitUntilReady(account: string): Promise<void> | undefined
  /** Must be called right after a file has been opened. */
  open(opened: OpenedFile, found: FoundLog): Durability
  /** If several processes may serve an account: has `drop` called whenever another one turns out to serve it. */
  onLost?(drop: DropAccount): void
  /**
   * If several processes may serve an account: releases it. Must be called after its file has been closed. Resolves
   * when everything is durable; rejects with `StoreUnavailable` if that is uncertain; it has been released
   * nevertheless.
   */
  release?(account: string): Promise<void>
  /**
   * If several processes may serve an account: removes the shared data of a deleted one. Must be called after its file
   * has been closed. Idempotent. Rejects with `StoreUnavailable` if the outcome is uncertain.
   */
  remove?(account: string): Promise<void>
  /** Lists the accounts that {@link release} would release. */
  listHeld?(): string[]
  /** Resolves when nothing handed over is pending any more. Must be called after all files have been closed. */
  close(): Promise<void>
}

/**
 * Commits the transaction of a connection, with the position of the file, and hands its frames over before anything else.
 * Throws what SQLite throws, with nothing committed.
 */
export function commit(db: Database, durability: Durability): void {
  const { nextPosition } = durability
  if (nextPosition) writePosition(db, nextPosition)
  statement(db, 'COMMIT').run()
  durability.capture()
}

/** Resolves when every commit so far is durable. Rejects with `Unconfirmed` if that is uncertain. */
export function waitUntilDurable(durability: Durability): Promise<void> {
  return new Promise((resolve, reject) =>
    durability.afterSync(failure => (failure ? reject(new Unconfirmed(failure)) : resolve()))
  )
}
