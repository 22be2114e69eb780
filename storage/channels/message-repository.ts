/** The messages for the channels of one account: those that wait, and what has become of the last ones. */
import type { Database } from 'better-sqlite3'
import type { DeliveryState } from '../../schemas/channel.js'
import { translateError } from '../errors.js'
import { column, statement } from '../sqlite/statements.js'

/** A message for one channel. Times in seconds. */
export interface StoredMessage {
  readonly number: number
  readonly key: string
  readonly channel: string
  readonly queued: number
  readonly state: DeliveryState
  readonly attempts: number
  readonly last: number | null
  /** `null` once there is no further attempt. */
  readonly next: number | null
  /** JSON. */
  readonly error: string | null
  /** JSON. */
  readonly body: string
}

/** What is needed to plan the attempts of a message. */
export type WaitingMessage = Pick<StoredMessage, 'attempts' | 'channel' | 'key' | 'number'> & {
  readonly next: number
}

/** Seconds for which the keys of messages are remembered. */
const keptSeconds = 30 * 86_400
/** Number of messages of a channel that are kept longer. */
const keptMessages = 50

export class MessageRepository {
  #isWaiting: boolean | undefined

  constructor(private readonly db: Database) {}

  /** Whether any message waits. */
  get isWaiting(): boolean {
    return (this.#isWaiting ??=
      column(this.db, 'SELECT EXISTS (SELECT 1 FROM channel_message WHERE next IS NOT NULL)').get() === 1)
  }

  /** Returns whether a message with this key has been queued, for any channel. */
  isKnown(key: string): boolean {
    return column(this.db, 'SELECT 1 FROM channel_message WHERE key = ? LIMIT 1').get(key) === 1
  }

  /** Returns the number of messages that wait, at most `limit`. */
  countWaiting(limit: number): number {
    const sql = 'SELECT count(*) FROM (SELECT 1 FROM channel_message WHERE next IS NOT NULL LIMIT +?)'
    return column(this.db, sql).get(limit) as number
  }

  /** Adds a message that is due at `next`. */
  add({
    body,
    channel,
    key,
    next,
    queued
  }: Pick<StoredMessage, 'body' | 'channel' | 'key' | 'queued'> & { readonly next: number }): void {
    const sql = `INSERT INTO channel_message (key, channel, queued, state, attempts, next, body)
      VALUES (?, ?, ?, 'waiting', 0, ?, ?)`
    this.#write(sql, [key, channel, queued, next, body])
    this.#isWaiting = true
  }

  /** Finds a message by its number. */
  find(number: number): StoredMessage | undefined {
    return statement(this.db, 'SELECT * FROM channel_message WHERE number = ?').get(number) as
      | StoredMessage
      | undefined
  }

  /** Lists messages that wait, the first due first. */
  listWaiting(limit: number): WaitingMessage[] {
    const sql = `SELECT number, channel, attempts, next, key FROM channel_message
      WHERE next IS NOT NULL ORDER BY next, number LIMIT +?`
    return statement(this.db, sql).all(limit) as WaitingMessage[]
  }

  /** Lists the last messages of a channel, latest first. */
  listOfChannel(channel: string): StoredMessage[] {
    const sql = 'SELECT * FROM channel_message WHERE channel = ? ORDER BY number DESC LIMIT +?'
    return statement(this.db, sql).all(channel, keptMessages) as StoredMessage[]
  }

  /** Returns the times of messages to a target since a time, oldest first. */
  listUses(target: string, since: number): number[] {
    const sql = 'SELECT time FROM channel_use WHERE target = ? AND time > ? ORDER BY time'
    return column(this.db, sql).all(target, since) as number[]
  }

  /** Records a message to a target, and forgets those until `since`. Times in seconds. */
  addUse(target: string, time: number, since: number): void {
    this.#write('DELETE FROM channel_use WHERE target = ? AND time <= ?', [target, since])
    this.#write('INSERT INTO channel_use (target, time) VALUES (?, ?)', [target, time])
  }

  /** Returns whether a message with a key that begins so waits for a channel. */
  hasWaiting(channel: string, prefix: string): boolean {
    const sql = `SELECT 1 FROM channel_message
      WHERE channel = ? AND next IS NOT NULL AND substr(key, 1, ?) = ? LIMIT 1`
    return column(this.db, sql).get(channel, prefix.length, prefix) === 1
  }

  /** Returns how many messages of a channel were held back since a time. */
  countHeld(channel: string, since: number): number {
    const sql = `SELECT count(*) FROM channel_message WHERE channel = ? AND state = 'held' AND last >= ?`
    return column(this.db, sql).get(channel, since) as number
  }

  /** Records what has become of a message. */
  update({
    attempts,
    error,
    last,
    next,
    number,
    state
  }: Omit<StoredMessage, 'body' | 'channel' | 'key' | 'queued'>): void {
    const sql =
      'UPDATE channel_message SET state = ?, attempts = ?, last = ?, next = ?, error = ? WHERE number = ?'
    this.#write(sql, [state, attempts, last, next, error, number])
    this.#isWaiting = undefined
  }

  /** Ends all waiting messages of a channel, for a reason (JSON). */
  failWaiting(channel: string, error: string): void {
    const sql = `UPDATE channel_message SET state = 'failed', next = NULL, error = ?
      WHERE channel = ? AND next IS NOT NULL`
    this.#write(sql, [error, channel])
    this.#isWaiting = undefined
  }

  /**
   * Removes the messages of a channel that are done, were queued more than 30 days before `now` (seconds),
   * and are not among its last 50.
   */
  prune(channel: string, now: number): void {
    const sql = `DELETE FROM channel_message WHERE channel = ? AND next IS NULL AND queued < ?
      AND number < (SELECT min(number) FROM (SELECT number FROM channel_message WHERE channel = ?
        ORDER BY number DESC LIMIT ${keptMessages}))`
    this.#write(sql, [channel, now - keptSeconds, channel])
  }

  /** Drops what is cached. */
  invalidate(): void {
    this.#isWaiting = undefined
  }

  #write(sql: string, values: readonly unknown[]): void {
    try {
      statement(this.db, sql).run(...values)
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }
}
