/**
 * Delivers queued messages to webhooks: one call at a time per webhook, no more often than its interval. Messages
 * that arrive in the meantime are sent together in the next call. (docs/spec/notifications.md#delivery)
 */
import { isNoLongerServed, StoreUnavailable } from '../../storage/errors.js'
import type { StoredWebhook } from '../../storage/repositories/webhooks.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { isClientRevoked } from '../auth/oauth-marks.js'
import { isInForce } from '../permissions/effective-grants.js'
import { isSuccess, type WebhookSender } from '../outgoing/webhook-sender.js'
import type { Services } from '../call/services.js'
import type { Account } from '../../storage/platform/account.js'
import { nextTurn } from '../../storage/steps.js'
import type { Webhook } from '../../schemas/webhook.js'

/** A webhook that has something to send. */
interface Task {
  readonly account: Account
  readonly id: string
  /** Messages that are not stored, such as the message about the start of the service. */
  readonly transientMessages: Set<string>
  cancelTimer: () => void
}

const bootMessage = 'systemBoot'
/** Seconds after which unavailable accounts are retried. */
const retrySeconds = 30

/** Delivers the messages of the accounts that this process serves, and repeats failed calls. */
export class WebhookDeliveries {
  /** By account and webhook: ids of webhooks may not be unique across accounts that were imported. */
  readonly #tasks = new Map<string, Task>()
  readonly #sending = new Set<Promise<void>>()
  #cancelRetry: () => void = () => {}
  /** User names of the accounts to be retried. */
  readonly #retryUsernames = new Set<string>()
  readonly #unsubscribe: () => void
  #isClosed = false

  constructor(
    private readonly services: Services,
    private readonly sender: WebhookSender
  ) {
    this.#unsubscribe = services.bus.subscribe(changed => {
      const account = services.accounts.findCurrent(changed)
      if (account?.deletion === null) this.#scheduleOwed(account)
    })
    // Queued messages are in the account's file: the node that serves it next sends them.
    services.accounts.handover.onRelease(account => this.#dropTasks(account))
  }

  /**
   * Notifies all active webhooks of the start, together with messages still queued; or only the webhooks of some users,
   * who are served here from now on. Never rejects.
   */
  async start(isIncluded: (username: string) => boolean = () => true): Promise<void> {
    try {
      await this.#startAll(isIncluded)
    } catch (cause) {
      this.services.log.error('webhooks could not be notified of the start', { cause })
    }
  }

  /** Waits up to `seconds` for calls in progress. Unsent messages stay queued for the next start. */
  async close(seconds: number): Promise<void> {
    this.#isClosed = true
    this.#unsubscribe()
    this.#cancelRetry()
    for (const { cancelTimer } of this.#tasks.values()) cancelTimer()
    this.#tasks.clear()
    this.sender.stop()
    let timer: NodeJS.Timeout | undefined
    const timeout = new Promise(resolve => (timer = setTimeout(resolve, seconds * 1000)))
    await Promise.race([Promise.all(this.#sending), timeout])
    clearTimeout(timer)
    await this.sender.close()
    await Promise.all(this.#sending)
  }

  #dropTasks({ id }: Account): void {
    for (const [key, task] of this.#tasks) {
      if (task.account.id !== id) continue
      task.cancelTimer()
      this.#tasks.delete(key)
    }
  }

  /** Schedules the start message for each webhook, and unmarks accounts that have no webhooks any more. */
  async #startAll(isIncluded: (username: string) => boolean): Promise<void> {
    const { accounts, log, platform } = this.services
    const without: string[] = []
    for (const account of platform.listWebhookAccounts()) {
      if (!accounts.owns(account) || !isIncluded(account.username)) continue
      await nextTurn()
      if (this.#isClosed) return
      try {
        await accounts.waitUntilReady(account)
        const store = accounts.openStore(account)
        if (store.webhooks.size === 0) {
          // Accounts with deliveries to peers are in the same list.
          if (!store.cmc.isUsed) without.push(account.id)
        } else this.#scheduleStart(account, store)
      } catch (cause) {
        if (isNoLongerServed(cause)) continue
        log.error('the webhooks of an account cannot be read', { accountId: account.id, cause })
        if (cause instanceof StoreUnavailable) this.#scheduleRetry(account)
      }
    }
    if (without.length > 0) await platform.change('removeWebhooks', without)
  }

  /**
   * Schedules a retry for an account: otherwise the queued messages of an account whose file was not available at the
   * takeover would wait for its next change.
   */
  #scheduleRetry({ username }: Account): void {
    this.#retryUsernames.add(username)
    this.#cancelRetry()
    this.#cancelRetry = this.services.clock.after(retrySeconds, () => {
      const missed = new Set(this.#retryUsernames)
      this.#retryUsernames.clear()
      void this.start(name => missed.has(name))
    })
  }

  #scheduleStart(account: Account, store: UserStore): void {
    for (const kept of store.webhooks.list())
      if (kept.webhook.state === 'active') this.#schedule(account, kept, [bootMessage])
  }

  #scheduleOwed(account: Account): void {
    const store = this.services.accounts.openStore(account)
    if (store.webhooks.size === 0) return
    for (const kept of store.webhooks.list()) if (hasOwed(kept)) this.#schedule(account, kept)
  }

  /** Schedules a call for as soon as the interval allows, unless a call of this webhook is scheduled or in progress. */
  #schedule(account: Account, { webhook }: StoredWebhook, transientMessages: readonly string[] = []): void {
    if (this.#isClosed) return
    const known = this.#tasks.get(getTaskKey(account, webhook))
    for (const message of transientMessages) known?.transientMessages.add(message)
    if (known) return
    const task: Task = {
      account,
      id: webhook.id,
      transientMessages: new Set(transientMessages),
      cancelTimer: () => {}
    }
    this.#tasks.set(getTaskKey(account, webhook), task)
    this.#setTimer(task, webhook)
  }

  #setTimer(task: Task, webhook: Webhook): void {
    const { clock } = this.services
    const wait = computeWait(webhook, clock.now())
    const begin = (): void => {
      const sending = this.#run(task)
      this.#sending.add(sending)
      void sending.finally(() => this.#sending.delete(sending))
    }
    if (wait <= 0) begin()
    else task.cancelTimer = clock.after(wait, begin)
  }

  /** Calls a webhook, then waits for the next call or forgets the task if nothing is left. Never rejects. */
  async #run(task: Task): Promise<void> {
    try {
      const { id } = task.account
      const kept = this.#find(task)
      if (kept) await this.sender.runWithinLimits(id, kept.webhook.url, () => this.#call(task))
      if (this.#isClosed) return
      // No `await` between this check and the removal of the task, so that no change is missed in between.
      const after = kept && this.#find(task)
      if (after && (hasOwed(after) || task.transientMessages.size > 0)) this.#setTimer(task, after.webhook)
      else this.#tasks.delete(getTaskKey(task.account, task))
    } catch (cause) {
      this.#tasks.delete(getTaskKey(task.account, task))
      if (isNoLongerServed(cause)) return
      this.services.log.error('a webhook could not be called', { accountId: task.account.id, cause })
    }
  }

  /** Makes one call and records its status. */
  async #call(task: Task): Promise<void> {
    const isStarted = await this.#markSending(task)
    // It may have ended in the meantime: then its messages stay queued.
    const kept = isStarted && this.#find(task)
    if (!kept) return
    const transientMessages = [...task.transientMessages]
    task.transientMessages.clear()
    const status = await this.sender.post(kept, [...new Set([...transientMessages, ...kept.sending])])
    // Aborted by a shutdown: it may not have arrived, so the messages stay queued.
    if (this.#isClosed && status === 0) return
    if (!isSuccess(status)) for (const message of transientMessages) task.transientMessages.add(message)
    await this.#recordRun(task, status)
  }

  /** Returns the webhook if it is active and its access is in force; else `undefined`. */
  #find({ account, id }: Task): StoredWebhook | undefined {
    const { accounts, clock } = this.services
    if (accounts.find(account.username)?.id !== account.id) return undefined
    const store = accounts.openStore(account)
    const kept = store.webhooks.find(id)
    if (kept?.webhook.state !== 'active') return undefined
    const access = store.accesses.find(kept.webhook.accessId)
    const isCalled =
      access && isInForce(store, access, clock.now()) && !isClientRevoked(this.services, store, access)
    return isCalled ? kept : undefined
  }

  /** Marks the queued messages as being sent. Resolves with whether there is anything to send. */
  async #markSending(task: Task): Promise<boolean> {
    const kept = this.#find(task)
    if (!kept || !hasOwed(kept)) return task.transientMessages.size > 0
    const store = this.services.accounts.openStore(task.account)
    // The mark is on disk before the call, together with the changes that the call reports.
    return await store.write(() => {
      const current = store.webhooks.find(task.id)
      if (!current) return false
      const { owed, sending, ...rest } = current
      store.webhooks.updateQueues({ ...rest, owed: [], sending: [...new Set([...sending, ...owed])] })
      return true
    })
  }

  /**
   * Records the status of a call. Messages that have not arrived are queued again; a webhook that has failed
   * too often becomes inactive, and its messages are dropped.
   */
  async #recordRun({ account, id }: Task, status: number): Promise<void> {
    const { accounts, clock, config } = this.services
    if (accounts.find(account.username)?.id !== account.id) return
    const store = accounts.openStore(account)
    await store.write(() => {
      const before = store.webhooks.find(id)
      if (!before) return
      const webhook = applyRun(before.webhook, status, clock.now(), config.webhooks)
      const unsent = isSuccess(status) ? [] : before.sending
      // An inactive webhook gets nothing, not even later what it has missed.
      const owed = webhook.state === 'active' ? [...new Set([...unsent, ...before.owed])] : []
      store.webhooks.update({ ...before, webhook, owed, sending: [] })
    })
  }
}

function getTaskKey(account: Account, { id }: { readonly id: string }): string {
  return `${account.id} ${id}`
}

function hasOwed({ owed, sending, webhook }: StoredWebhook): boolean {
  return webhook.state === 'active' && (owed.length > 0 || sending.length > 0)
}

/** Returns the webhook after a call that has just ended with this status. (docs/spec/notifications.md#delivery) */
function applyRun(
  webhook: Webhook,
  status: number,
  now: number,
  { runsSize }: { readonly runsSize: number }
): Webhook {
  const lastRun = { status, timestamp: now }
  const hasSucceeded = isSuccess(status)
  const currentRetries = hasSucceeded ? 0 : webhook.currentRetries + 1
  return {
    ...webhook,
    runCount: webhook.runCount + 1,
    failCount: webhook.failCount + (hasSucceeded ? 0 : 1),
    lastRun,
    runs: [lastRun, ...webhook.runs].slice(0, runsSize),
    currentRetries,
    state: currentRetries >= webhook.maxRetries ? 'inactive' : webhook.state
  }
}

/** Returns the seconds until the next call. The wait grows with each retry; a call of the future was made while the clock was ahead. */
function computeWait({ currentRetries, lastRun, minIntervalMs }: Webhook, now: number): number {
  return Math.min(lastRun.timestamp, now) + (minIntervalMs / 1000) * Math.max(1, currentRetries) - now
}
