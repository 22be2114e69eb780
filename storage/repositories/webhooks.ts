/** The webhooks of one user. They are few, so all are cached while the file is open. */
import type { Database } from 'better-sqlite3'
import type { Webhook } from '../../schemas/webhook.js'
import { translateError } from '../errors.js'
import { statement } from '../sqlite/statements.js'

/** A webhook with its private state. */
export interface KeptWebhook {
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
  #all: Map<string, KeptWebhook> | undefined

  constructor(private readonly db: Database) {}

  find(id: string): KeptWebhook | undefined {
    return this.#load().get(id)
  }

  /** All webhooks, in no particular order. */
  list(): Iterable<KeptWebhook> {
    return this.#load().values()
  }

  get size(): number {
    return this.#load().size
  }

  /** Throws `UniqueViolation` of `webhook.access` if the access already has a webhook with that URL. */
  insert(kept: KeptWebhook): void {
    const { secret = null, webhook } = kept
    this.#write(
      `INSERT INTO webhook (url, owed, sending, body, id, access, secret)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [...changingColumns(kept), webhook.id, webhook.accessId, secret]
    )
    this.#load().set(webhook.id, kept)
  }

  /** Replaces a webhook and its queues. Throws as {@link insert} does. */
  update(kept: KeptWebhook): void {
    const { id } = kept.webhook
    this.#write('UPDATE webhook SET url = ?, owed = ?, sending = ?, body = ? WHERE id = ?', [
      ...changingColumns(kept),
      id
    ])
    this.#load().set(id, kept)
  }

  /** Replaces only the queues of a webhook: they change with every write, and its scopes may be long. */
  queue(kept: KeptWebhook): void {
    const { owed, sending, webhook } = kept
    this.#write('UPDATE webhook SET owed = ?, sending = ? WHERE id = ?', [
      JSON.stringify(owed),
      JSON.stringify(sending),
      webhook.id
    ])
    this.#load().set(webhook.id, kept)
  }

  remove(id: string): void {
    this.#write('DELETE FROM webhook WHERE id = ?', [id])
    this.#load().delete(id)
  }

  /** Removes the webhooks of an access. */
  removeOf(access: string): void {
    if (this.size === 0) return
    this.#write('DELETE FROM webhook WHERE access = ?', [access])
    this.forget()
  }

  /** Drops the cache: it may hold what was rolled back. */
  forget(): void {
    this.#all = undefined
  }

  #write(sql: string, values: readonly unknown[]): void {
    try {
      statement(this.db, sql).run(...values)
    } catch (error) {
      throw translateError(error, this.db.name)
    }
  }

  #load(): Map<string, KeptWebhook> {
    if (this.#all) return this.#all
    const rows = statement(this.db, 'SELECT body, secret, owed, sending FROM webhook').all() as Row[]
    return (this.#all = new Map(rows.map(toKept).map(kept => [kept.webhook.id, kept])))
  }
}

function changingColumns({ owed, sending, webhook }: KeptWebhook): unknown[] {
  return [webhook.url, JSON.stringify(owed), JSON.stringify(sending), JSON.stringify(webhook)]
}

function toKept({ body: text, owed, secret, sending }: Row): KeptWebhook {
  return {
    webhook: JSON.parse(text) as Webhook,
    ...(secret === null ? {} : { secret }),
    owed: JSON.parse(owed) as string[],
    sending: JSON.parse(sending) as string[]
  }
}
