/**
 * Tells webhooks what they are owed: one call at a time for each, no more often than its interval, what comes meanwhile
 * gathered for the next one. (docs/spec/notifications.md#delivery)
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { KeptWebhook } from '../../storage/repositories/webhooks.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { isInForce } from '../permissions/standing.js'
import { afterRun, nextRunAt } from './webhook-state.js'
import { isSuccess, type WebhookSender } from '../outgoing/webhook-sender.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'

/** A webhook that has something to send. */
interface Task {
  readonly account: Account
  readonly id: string
  /** Messages of this process alone, such as that of its start. */
  readonly own: Set<string>
  cancelTimer: () => void
}

const bootMessage = 'systemBoot'

export class Deliveries {
  /** By account and webhook: an account that was brought in may have an id that another one has, too. */
  readonly #tasks = new Map<string, Task>()
  readonly #sending = new Set<Promise<void>>()
  readonly #unsubscribe: () => void
  #isClosed = false

  constructor(
    private readonly core: Services,
    private readonly sender: WebhookSender
  ) {
    this.#unsubscribe = core.bus.subscribe(username => {
      const account = core.accounts.find(username)
      if (account) this.#wake(account)
    })
  }

  /** Tells all active webhooks that the service has started, with whatever else they are owed. Never rejects. */
  async start(): Promise<void> {
    try {
      await this.#startAll()
    } catch (cause) {
      this.core.log.error('webhooks could not be told of the start', { cause })
    }
  }

  /** Waits for calls under way, up to so many seconds. What is not sent is still owed after the next start. */
  async close(seconds: number): Promise<void> {
    this.#isClosed = true
    this.#unsubscribe()
    for (const { cancelTimer } of this.#tasks.values()) cancelTimer()
    this.#tasks.clear()
    this.sender.stop()
    let timer: NodeJS.Timeout | undefined
    const patience = new Promise(resolve => (timer = setTimeout(resolve, seconds * 1000)))
    await Promise.race([Promise.all(this.#sending), patience])
    clearTimeout(timer)
    await this.sender.close()
    await Promise.all(this.#sending)
  }

  async #startAll(): Promise<void> {
    const { accounts, log, platform } = this.core
    const without: string[] = []
    for (const account of platform.listWebhookAccounts()) {
      if (!accounts.owns(account)) continue
      await nextTurn()
      if (this.#isClosed) return
      try {
        const store = accounts.store(account)
        if (store.webhooks.size === 0) without.push(account.id)
        else this.#startOne(account, store)
      } catch (cause) {
        log.error('the webhooks of an account cannot be read', { accountId: account.id, cause })
      }
    }
    if (without.length > 0) platform.removeWebhookAccounts(without)
  }

  #startOne(account: Account, store: UserStore): void {
    for (const kept of store.webhooks.list())
      if (kept.webhook.state === 'active') this.#schedule(account, kept, [bootMessage])
  }

  #wake(account: Account): void {
    const store = this.core.accounts.store(account)
    if (store.webhooks.size === 0) return
    for (const kept of store.webhooks.list()) if (isOwed(kept)) this.#schedule(account, kept)
  }

  /** Makes a call as soon as the interval allows, unless one is on its way or arranged. */
  #schedule(account: Account, { webhook }: KeptWebhook, own: readonly string[] = []): void {
    if (this.#isClosed) return
    const known = this.#tasks.get(keyOf(account, webhook))
    for (const message of own) known?.own.add(message)
    if (known) return
    const task: Task = { account, id: webhook.id, own: new Set(own), cancelTimer: () => {} }
    this.#tasks.set(keyOf(account, webhook), task)
    this.#arrange(task, webhook)
  }

  #arrange(task: Task, webhook: Parameters<typeof nextRunAt>[0]): void {
    const { clock } = this.core
    const wait = nextRunAt(webhook) - clock.now()
    const begin = (): void => {
      const sending = this.#run(task)
      this.#sending.add(sending)
      void sending.finally(() => this.#sending.delete(sending))
    }
    if (wait <= 0) begin()
    else task.cancelTimer = clock.after(wait, begin)
  }

  async #run(task: Task): Promise<void> {
    try {
      const { id } = task.account
      const kept = this.#find(task)
      if (kept) await this.sender.inTurn(id, kept.webhook.url, () => this.#call(task))
      if (this.#isClosed) return
      // Nothing waits between this look and the end of the task, so that no change falls in between.
      const after = kept && this.#find(task)
      if (after && (isOwed(after) || task.own.size > 0)) this.#arrange(task, after.webhook)
      else this.#tasks.delete(keyOf(task.account, task))
    } catch (cause) {
      this.#tasks.delete(keyOf(task.account, task))
      this.core.log.error('a webhook could not be told', { accountId: task.account.id, cause })
    }
  }

  /** Makes one call and notes what came of it. */
  async #call(task: Task): Promise<void> {
    const begun = await this.#begin(task)
    if (!begun) return
    const own = [...task.own]
    task.own.clear()
    const status = await this.sender.post(begun, [...new Set([...own, ...begun.sending])])
    // Broken off by a stop: nobody knows whether it arrived, so it stays owed.
    if (this.#isClosed && status === 0) return
    if (!isSuccess(status)) for (const message of own) task.own.add(message)
    await this.#note(task, status)
  }

  /** The webhook, as long as it and its access are in force. */
  #find({ account, id }: Task): KeptWebhook | undefined {
    const { accounts, clock } = this.core
    if (accounts.find(account.username)?.id !== account.id) return undefined
    const store = accounts.store(account)
    const kept = store.webhooks.find(id)
    if (kept?.webhook.state !== 'active') return undefined
    const access = store.accesses.find(kept.webhook.accessId)
    return access && isInForce(store, access, clock.now()) ? kept : undefined
  }

  /** Moves what is owed to what is being sent. */
  async #begin(task: Task): Promise<KeptWebhook | undefined> {
    const kept = this.#find(task)
    if (!kept || !isOwed(kept)) return task.own.size > 0 ? kept : undefined
    const store = this.core.accounts.store(task.account)
    // On disk before anybody is told, and with it the changes that it tells of.
    return await store.write(() => {
      const current = store.webhooks.find(task.id)
      if (!current) return undefined
      const { owed, sending, ...rest } = current
      const begun = { ...rest, owed: [], sending: [...new Set([...sending, ...owed])] }
      store.webhooks.update(begun)
      return begun
    })
  }

  async #note({ account, id }: Task, status: number): Promise<void> {
    const { accounts, clock, config } = this.core
    if (accounts.find(account.username)?.id !== account.id) return
    const store = accounts.store(account)
    await store.write(() => {
      const before = store.webhooks.find(id)
      if (!before) return
      const webhook = afterRun(before.webhook, status, clock.now(), config.webhooks)
      const unsent = isSuccess(status) ? [] : before.sending
      // An inactive one gets nothing at all, not even later what it has missed.
      const owed = webhook.state === 'active' ? [...new Set([...unsent, ...before.owed])] : []
      store.webhooks.update({ ...before, webhook, owed, sending: [] })
    })
  }
}

function keyOf(account: Account, { id }: { readonly id: string }): string {
  return `${account.id} ${id}`
}

function isOwed({ owed, sending, webhook }: KeptWebhook): boolean {
  return webhook.state === 'active' && (owed.length > 0 || sending.length > 0)
}
