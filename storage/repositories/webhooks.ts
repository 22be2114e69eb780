/** The webhooks of one user. A user has few webhooks, so all are cached while the file is open. */
import type { Database } from 'better-sqlite3'
import type { Webhook } from '../../schemas/webhook.js'
import { translateError } from '../errors.js'
import { statement } from '../sqlite/statements.js'

/** A webhook with its private state. */
export interface StoredWebhook {
  readonly webhook: Webhook
  /** Key that signs messages. */
  readonly secret?: string
  /** Messages that are queued. */
  readonly owed: readonly string[]
  /** Messages being sent: queued again if the process ends before their request does. */
  readonly sending: readonly string[]
}

interface Row {
  readonly body: string
  readonly secret: string | null
  readonly owed: string
  readonly sending: string
}

export class WebhookRepository {
  #all: Map<string, StoredWebhook> | undefined

  constructor(private readonly db: Database) {}

  /** Finds a webhook by its id. */
  find(id: string): StoredWebhook | undefined {
    return this.#load().get(id)
  }

  /** All webhooks, in no particular order. */
  list(): Iterable<StoredWebhook> {
    return this.#load().values()
  }

  /** Number of webhooks of all accesses. */
  get size(): number {
    return this.#load().size
  }

  /**
   * Adds a webhook. Throws `UniqueViolation` of `webhook.access` if the access already has a webhook with
   * that URL.
   */
  insert(stored: StoredWebhook): void {
    const { secret = null, webhook } = stored
    this.#write(
      `INSERT INTO webhook (url, owed, sending, body, id, access, secret)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [...toColumns(stored), webhook.id, webhook.accessId, secret]
    )
    this.#load().set(webhook.id, stored)
  }

  /** Replaces a webhook and its queues. Throws as {@link insert} does. */
  update(stored: StoredWebhook): void {
    const { id } = stored.webhook
    this.#write('UPDATE webhook SET url = ?, owed = ?, sending = ?, body = ? WHERE id = ?', [
      ...toColumns(stored),
      id
    ])
    this.#load().set(id, stored)
  }

  /** Replaces only the queues of a webhook: they change with every write, and its scopes may be long. */
  updateQueues(stored: StoredWebhook): void {
    const { owed, sending, webhook } = stored
    this.#write('UPDATE webhook SET owed = ?, sending = ? WHERE id = ?', [
      JSON.stringify(owed),
      JSON.stringify(sending),
      webhook.id
    ])
    this.#load().set(webhook.id, stored)
  }

  /** Removes a webhook with its queued messages, if it exists. */
  remove(id: string): void {
    this.#write('DELETE FROM webhook WHERE id = ?', [id])
    this.#load().delete(id)
  }

  /** Removes the webhooks of an access. */
  removeByAccess(access: string): void {
    if (this.size === 0) return
    this.#write('DELETE FROM webhook WHERE access = ?', [access])
    this.invalidate()
  }

  /** Drops the cache: it may hold what was rolled back. */
  invalidate(): void {
    this.#all = undefined
  }

  #write(sql: string, values: readonly unknown[]): void {
    try {
      statement(this.db, sql).run(...values)
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }

  #load(): Map<string, StoredWebhook> {
    if (this.#all) return this.#all
    const rows = statement(this.db, 'SELECT body, secret, owed, sending FROM webhook').all() as Row[]
    return (this.#all = new Map(rows.map(toStored).map(stored => [stored.webhook.id, stored])))
  }
}

function toColumns({ owed, sending, webhook }: StoredWebhook): unknown[] {
  return [webhook.url, JSON.stringify(owed), JSON.stringify(sending), JSON.stringify(webhook)]
}

function toStored({ body: text, owed, secret, sending }: Row): StoredWebhook {
  return {
    webhook: JSON.parse(text) as Webhook,
    ...(secret === null ? {} : { secret }),
    owed: JSON.parse(owed) as string[],
    sending: JSON.parse(sending) as string[]
  }
}
