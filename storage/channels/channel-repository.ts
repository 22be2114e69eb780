/** The channels of one account. An account has few, so all are cached while the file is open. */
import type { Database } from 'better-sqlite3'
import type { Channel, TargetSecrets } from '../../schemas/channel.js'
import { translateError } from '../errors.js'
import { statement } from '../sqlite/statements.js'

/** A channel, with the secrets in it that are never shown. */
export interface StoredChannel {
  readonly channel: Channel
  readonly secrets: TargetSecrets
}

interface Row {
  readonly body: string
  readonly secrets: string
}

export class ChannelRepository {
  #all: Map<string, StoredChannel> | undefined

  constructor(private readonly db: Database) {}

  /** Finds a channel by its id. */
  find(id: string): StoredChannel | undefined {
    return this.#load().get(id)
  }

  /** All channels, in no particular order. */
  list(): Iterable<StoredChannel> {
    return this.#load().values()
  }

  /** Number of channels. */
  get size(): number {
    return this.#load().size
  }

  /** Adds a channel, or replaces the one with its id. */
  put(stored: StoredChannel): void {
    const { channel, secrets } = stored
    this.#write(
      'INSERT OR REPLACE INTO channel (id, access, body, secrets) VALUES (?, ?, ?, ?)',
      channel.id,
      channel.accessId,
      JSON.stringify(channel),
      JSON.stringify(secrets)
    )
    this.#load().set(channel.id, stored)
  }

  /** Removes a channel with its messages. Does nothing if it does not exist. */
  remove(id: string): void {
    this.#write('DELETE FROM channel_message WHERE channel = ?', id)
    this.#write('DELETE FROM channel WHERE id = ?', id)
    this.#load().delete(id)
  }

  /** Removes the channels of an access with their messages. */
  removeByAccess(access: string): void {
    for (const { channel } of this.list()) if (channel.accessId === access) this.remove(channel.id)
  }

  /** Drops the cache: it may hold what was rolled back. */
  invalidate(): void {
    this.#all = undefined
  }

  #write(sql: string, ...values: readonly string[]): void {
    try {
      statement(this.db, sql).run(...values)
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }

  #load(): Map<string, StoredChannel> {
    if (this.#all) return this.#all
    const rows = statement(this.db, 'SELECT body, secrets FROM channel').all() as Row[]
    const all = rows.map(({ body, secrets }): StoredChannel => ({
      channel: JSON.parse(body) as Channel,
      secrets: JSON.parse(secrets) as TargetSecrets
    }))
    return (this.#all = new Map(all.map(stored => [stored.channel.id, stored])))
  }
}
