/**
 * Makes the queued deliveries: in order for each relationship, and again after failures. What is queued is in the accounts' files, so
 * whichever process serves an account goes on with it. (docs/spec/consent.md#delivery)
 */
import { isNoLongerServed, StoreUnavailable } from '../../storage/errors.js'
import type { Account } from '../../storage/platform/account.js'
import { nextTurn } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Dispatcher } from '../call/dispatcher.js'
import type { Services } from '../call/services.js'
import type { ChangedAccount } from '../changes.js'
import { ConcurrencyLimiter } from '../outgoing/concurrency.js'
import { makeAttempt, findTargetHost, giveUp } from './attempts.js'
import { PeerUnavailable } from './failures.js'
import { Farewells } from './peers/farewells.js'
import { announceAllEnds, healAccount } from './healing.js'
import { getDelay, parseDelivery, type DeliveryTask, type QueuedDelivery } from './outbox.js'
import { PeerCalls } from './peers/peer-calls.js'
import { amendContent, writeAsService, writeStepsAsService } from './service-calls.js'

const daySeconds = 86_400
/** Seconds after which accounts that cannot be opened are tried again. */
const retrySeconds = 30
/** How long the removal of an account waits for its peers, in milliseconds. */
const maxFarewellMs = 10_000
/** How long the relationships of one account are checked, in milliseconds; the next day goes on with the others. */
const maxHealingMs = 120_000
/** How many deliveries of one account are started together. */
const maxFirst = 200
/** Returns how many deliveries are made at a time: to one host for an account, or in all for an account. */
const limitFor = (key: string): number => (key.startsWith('peer ') ? 2 : 8)

/** Delivers what the accounts of this process have queued for peers. Accounts that were restored and wait for confirmation send nothing. */
export class Deliveries {
  readonly #tasks = new Map<string, DeliveryTask>()
  readonly #running = new Set<Promise<void>>()
  /** Functions that are called after each delivery. */
  readonly #waiting = new Set<() => void>()
  readonly #limiter: ConcurrencyLimiter
  readonly #farewells: Farewells
  #peers: PeerCalls | undefined
  #healing: Promise<void> = Promise.resolve()
  #cancelRetry: () => void = () => {}
  #unsubscribe: () => void = () => {}
  #isClosed = false

  constructor(private readonly services: Services) {
    this.#limiter = new ConcurrencyLimiter({ concurrency: 64, perSecond: 500, limitFor })
    this.#farewells = new Farewells(services, () => this.peers)
  }

  /** The calls to peers. Throws before the start. */
  get peers(): PeerCalls {
    if (!this.#peers) throw new Error('Not started')
    return this.#peers
  }

  /** Begins to make deliveries. `dispatcher` makes the calls on accounts of this service. */
  open(dispatcher: Pick<Dispatcher, 'call'>): void {
    this.#peers = new PeerCalls(this.services, dispatcher)
    if (!this.services.config.cmc.enabled) return
    const { accounts, bus } = this.services
    this.#unsubscribe = bus.subscribe(account => this.#wake(account))
    accounts.handover.onRelease(account => this.#drop(account))
    this.#farewells.open()
  }

  /** Resumes the deliveries of accounts, as after a start. Never rejects. */
  async resume(isIncluded: (username: string) => boolean = () => true): Promise<void> {
    if (!this.services.config.cmc.enabled) return
    const { accounts, log, platform } = this.services
    this.#farewells.wake()
    try {
      for (const account of platform.listWebhookAccounts()) {
        if (!accounts.owns(account) || !isIncluded(account.username)) continue
        await nextTurn()
        if (this.#isClosed) return
        await this.resumeAccount(account)
      }
    } catch (cause) {
      log.error('deliveries to peers could not be resumed', { cause })
    }
  }

  /** Resumes the deliveries of an account. Never rejects. */
  async resumeAccount(account: Account): Promise<void> {
    const { accounts, clock, log } = this.services
    try {
      await accounts.waitUntilReady(account)
      this.#wake(account)
    } catch (cause) {
      if (isNoLongerServed(cause)) return
      log.error('the deliveries of an account cannot be read', { accountId: account.id, cause })
      if (!(cause instanceof StoreUnavailable)) return
      this.#cancelRetry()
      this.#cancelRetry = clock.after(retrySeconds, () => void this.resume())
    }
  }

  /** Resolves once the peer that has accepted an offer with an event has got our side, or after `maxMs` milliseconds. */
  async waitForAnswered(account: Account, event: string, maxMs: number): Promise<void> {
    const access = this.services.accounts.openStore(account).cmc.findAccessOfAnswer(event)
    if (access !== undefined) await this.#waitWhile(account, ({ cmc }) => cmc.isPending(access), maxMs)
  }

  /** Resolves once the acceptance of an offer, by its event, has been carried out or has failed, or after `maxMs` milliseconds. */
  async waitForAccepted(account: Account, event: string, maxMs: number): Promise<void> {
    await this.#waitWhile(account, ({ cmc }) => cmc.isPending(`accept ${event}`), maxMs)
  }

  /** Begins to check an account's relationships, after those of other accounts: daily jobs must not wait for peers that hang. Does nothing for accounts without relationships, and for restored ones that wait. */
  startHealing(account: Account): void {
    const { accounts, log } = this.services
    const { cmc, deliveryPause } = accounts.openStore(account)
    if (!cmc.isUsed || deliveryPause.since !== null) return
    this.#healing = this.#healing
      .then(async () => {
        await accounts.waitUntilReady(account)
        if (accounts.owns(account)) await this.heal(account)
      })
      .catch((cause: unknown) => {
        if (!this.#isClosed && !isNoLongerServed(cause))
          log.warn('relationships could not be checked', { accountId: account.id, cause })
      })
  }

  /** Checks relationships, as many as there is time for: marks peers that are gone, sends our side again where it never arrived, removes ended offers. Continues the deliveries. */
  async heal(account: Account): Promise<void> {
    if (!this.services.config.cmc.enabled || this.#isClosed) return
    const until = performance.now() + maxHealingMs
    const isStopped = (): boolean => this.#isClosed || performance.now() > until
    await healAccount({ services: this.services, peers: this.peers, account }, isStopped)
    this.#wake(account)
  }

  /** Tells the peers of an account about to be removed, unless it was restored and waits; unreachable ones later. Never rejects. */
  async tellPeersOfEnd(account: Account): Promise<void> {
    const { accounts, config, log } = this.services
    if (!config.cmc.enabled || this.#isClosed) return
    try {
      await accounts.waitUntilReady(account)
      const store = accounts.openStore(account)
      // A restored copy does not end what the account itself has agreed to.
      if (!store.read(() => store.cmc.isUsed && store.deliveryPause.since === null)) return
      await writeStepsAsService(this.services, account, announceAllEnds)
      this.#wake(account)
      await this.#waitWhile(account, ({ cmc }) => cmc.hasUntried, maxFarewellMs)
      await this.#farewells.keep(account)
    } catch (cause) {
      log.warn('the peers of an account could not be told of its end', { accountId: account.id, cause })
    }
  }

  /** Resolves once `isOpen` is false, the store cannot be read, the service closes, or `maxMs` have passed. Never rejects. */
  async #waitWhile(account: Account, isOpen: (store: UserStore) => boolean, maxMs: number): Promise<void> {
    const isDone = (): boolean => {
      try {
        const store = this.services.accounts.openStore(account)
        return this.#isClosed || !store.read(() => isOpen(store))
      } catch {
        return true
      }
    }
    if (isDone()) return
    await new Promise<void>(resolve => {
      const check = (): void => {
        if (isDone()) end()
      }
      const end = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(check)
        resolve()
      }
      const timer = setTimeout(end, maxMs)
      this.#waiting.add(check)
    })
  }

  /** Stops, and waits for deliveries under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#unsubscribe()
    this.#cancelRetry()
    for (const { account } of this.#tasks.values()) this.#drop(account)
    this.#limiter.close()
    for (const check of this.#waiting) check()
    const ended = this.#farewells.close()
    await this.#peers?.close()
    await Promise.allSettled([...this.#running, this.#healing, ended])
  }

  #drop({ id }: Account): void {
    this.#tasks.get(id)?.cancelTimer()
    this.#tasks.delete(id)
  }

  /** Starts what is due, and sets the timer for what comes next. */
  #wake(known: ChangedAccount): void {
    if (this.#isClosed) return
    try {
      const { accounts, clock } = this.services
      const account = accounts.findCurrent(known)
      if (!account || !accounts.owns(account)) return
      const store = accounts.openStore(account)
      if (!store.read(() => store.cmc.isUsed && store.deliveryPause.since === null)) return
      const now = clock.now()
      const empty = { account, running: new Set<string>(), cancelTimer: () => {} }
      const task: DeliveryTask = this.#tasks.get(account.id) ?? empty
      this.#tasks.set(account.id, task)
      task.account = account
      let next = Infinity
      const first = store.read(() => (store.cmc.hasDeliveries ? store.cmc.listFirstDeliveries(maxFirst) : []))
      for (const row of first) {
        if (task.running.has(row.relationship)) continue
        if (row.next > now) next = Math.min(next, row.next)
        else this.#start(task, parseDelivery(row))
      }
      task.cancelTimer()
      task.cancelTimer = next === Infinity ? () => {} : clock.after(next - now, () => this.#wake(account))
    } catch (cause) {
      if (isNoLongerServed(cause)) return
      this.services.log.warn('deliveries to peers could not be made', { accountId: known.id, cause })
    }
  }

  #start(task: DeliveryTask, queued: QueuedDelivery): void {
    task.running.add(queued.relationship)
    this.#track(
      this.#run(task.account, queued).finally(() => {
        task.running.delete(queued.relationship)
        for (const check of this.#waiting) check()
        this.#wake(task.account)
      })
    )
  }

  #track(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }

  /** Makes an attempt of a delivery. Never rejects. */
  async #run(account: Account, queued: QueuedDelivery): Promise<void> {
    const { log } = this.services
    try {
      await this.#mark(account)
      const host = findTargetHost(this.services, account, queued)
      // A peer that hangs must not delay the deliveries to others.
      await this.#limiter.run([`user ${account.id}`, `peer ${account.id} ${host}`], async () => {
        try {
          await makeAttempt({ services: this.services, peers: this.peers, account }, queued)
        } catch (error) {
          if (this.#isClosed) return
          // Whatever went wrong, the delivery is repeated: it must not be lost.
          if (!(error instanceof PeerUnavailable) && !isNoLongerServed(error))
            log.warn('a delivery to a peer failed', { accountId: account.id, cause: error })
          await this.#postpone(account, queued, error)
        }
      })
    } catch (cause) {
      if (!this.#isClosed && !isNoLongerServed(cause))
        log.error('a delivery to a peer could not be recorded', { accountId: account.id, cause })
    }
  }

  /** Notes in the platform that the account has something to deliver, so that the next start looks. */
  async #mark({ id }: Account): Promise<void> {
    const { platform } = this.services
    if (!platform.isWebhookAccount(id)) await platform.change('addWebhooks', id)
  }

  async #postpone(account: Account, queued: QueuedDelivery, error: unknown): Promise<void> {
    const { clock, config } = this.services
    const { retryDays, retryMaxDelayMs } = config.cmc
    const now = clock.now()
    const attempts = queued.attempts + 1
    if (now - queued.created >= retryDays * daySeconds)
      return await giveUp({ services: this.services, peers: this.peers, account }, queued)
    const retryAfter = error instanceof PeerUnavailable ? error.retryAfter : undefined
    const next = now + getDelay(attempts, retryMaxDelayMs, retryAfter)
    const { body } = queued
    const isReading = body.kind === 'accept' && !body.granted
    const lastError = error instanceof PeerUnavailable ? error.message : 'internal error'
    await writeAsService(this.services, account, call => {
      const current = call.store.cmc.findDelivery(queued)
      if (!current) return
      call.store.cmc.updateDelivery({ ...current, attempts, next })
      if (body.trigger === undefined) return
      const delivery = { attempts, nextTry: next, lastError }
      amendContent(call, body.trigger, { status: isReading ? 'pending' : 'delivered', delivery })
    })
  }
}
