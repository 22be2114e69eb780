/**
 * Work that accounts have to do at certain times: it is done by the process that serves the account, and what is due is in the
 * account's file, so a restart or a move loses nothing. (docs/architecture.md#timers)
 */
import { isNoLongerServed } from '../../storage/errors.js'
import type { Account } from '../../storage/platform/account.js'
import type { ChangeKind } from '../changes.js'
import { nextTurn } from '../../storage/steps.js'
import type { Services, Timers } from '../call/services.js'
import { RestingAccounts, type RestOptions } from './resting-accounts.js'
import { retrySeconds, type TimedTask } from './timed-task.js'

/** What is planned for an account. */
interface Plan {
  /** The account, with its current name. */
  account: Account
  readonly running: Set<TimedTask>
  /** When each task is next due, in seconds; infinite if never. */
  readonly due: Map<TimedTask, number>
  /** For each task, the time at which the work that it has just done was due. */
  readonly done: Map<TimedTask, number>
  /** Tasks that have failed, with the time in seconds before which they are not tried again. */
  readonly postponed: Map<TimedTask, number>
  cancelTimer: () => void
}

/** Changes after which all work is planned again: an account that was suspended may have been in no plan since a start. */
const kindsOfAll: ReadonlySet<ChangeKind> = new Set(['timers', 'account'])

type Named = Pick<Account, 'id' | 'username'>
type Needed = 'accounts' | 'bus' | 'clock' | 'log' | 'platform'

/** Runs the due work of all accounts that are served here. */
export class AccountTimers implements Timers {
  readonly #tasks: TimedTask[] = []
  readonly #plans = new Map<string, Plan>()
  /** Accounts to be planned after this turn of the event loop, and which tasks. */
  readonly #changed = new Map<string, { readonly account: Named; readonly tasks: Set<TimedTask> }>()
  readonly #running = new Set<Promise<void>>()
  readonly #cancelRetries = new Set<() => void>()
  /** Accounts whose marks are about to be removed. */
  readonly #unmarking = new Set<string>()
  #unsubscribe: () => void = () => {}
  #cancelSetBack: () => void = () => {}
  #isClosed = false

  readonly #resting: RestingAccounts | undefined

  /** With `rest`, a start does not open files in which nothing is due. */
  constructor(
    private readonly services: Pick<Services, Needed>,
    rest?: RestOptions
  ) {
    this.#resting = rest && new RestingAccounts(services, rest, this)
  }

  /** Adds a kind of work. To be called before {@link open}. */
  add(task: TimedTask): void {
    this.#tasks.push(task)
  }

  /** Follows the changes of accounts from now on. */
  open(): void {
    const { accounts, bus, clock } = this.services
    this.#unsubscribe = bus.subscribe((account, { kind }) => {
      // What tasks know of an account that rests is not known yet.
      const isAll = kindsOfAll.has(kind) || this.#resting?.remove(account.id) === true
      const concerned = isAll ? this.#tasks : this.#tasks.filter(({ kinds }) => kinds?.includes(kind))
      if (concerned.length > 0) this.#planLater(account, concerned)
    })
    accounts.handover.onRelease(({ id }) => this.#drop(id))
    this.#cancelSetBack = clock.onSetBack(() => this.#planAgain())
  }

  /**
   * Plans the work of all accounts that may have some, as after a start, or of some users, except of those that rest. Accounts that
   * cannot be read are tried again. Never rejects.
   */
  async resume(isIncluded: (username: string) => boolean = () => true): Promise<void> {
    const { accounts, log, platform } = this.services
    try {
      for (const account of platform.timedAccounts.list()) {
        if (!accounts.owns(account) || !isIncluded(account.username)) continue
        if (await this.#resting?.add(account)) continue
        await nextTurn()
        if (this.#isClosed) return
        if ((await this.#resumeAccount(account)) && !this.#plans.has(account.id))
          this.#unmarking.add(account.id)
      }
      this.#resting?.start()
      if (this.#unmarking.size > 0) await platform.change('unmarkTimed', [...this.#unmarking])
    } catch (cause) {
      log.error('timed work could not be resumed', { cause })
    } finally {
      this.#unmarking.clear()
    }
  }

  /** Plans the work of an account again, in a later turn of the event loop. Changes of an account do so by themselves. */
  wake(account: Named): void {
    this.#resting?.remove(account.id)
    this.#planLater(account, this.#tasks)
  }

  /** Passes on to the tasks that a call has read data. */
  noteRead(account: Named): void {
    if (this.#resting?.remove(account.id)) this.wake(account)
    for (const task of this.#tasks) task.onRead?.(account)
  }

  /** Has tasks look at changes that they have put off for a moment. */
  catchUp(): void {
    for (const task of this.#tasks) task.catchUp?.()
  }

  /**
   * Notes in the platform that an account may have timed work, so that the next start looks. To be called before the first work of an
   * account is stored. Does nothing if it is noted already.
   */
  async mark({ id }: Pick<Account, 'id'>): Promise<void> {
    const { platform } = this.services
    if (this.#unmarking.delete(id) || !platform.timedAccounts.has(id)) await platform.change('markTimed', id)
  }

  /** Returns when an account has work next, in seconds; 0 if that is being found out, and `undefined` if it has none. */
  findDue(id: string): number | undefined {
    const plan = this.#plans.get(id)
    if (this.#changed.has(id) || (plan && plan.running.size > 0)) return 0
    if (this.#tasks.some(task => task.isBusy?.(id))) return 0
    return plan && Math.min(...plan.due.values())
  }

  /** Stops, and waits for the work in progress. What is due is done after the next start. */
  async close(): Promise<void> {
    await this.#resting?.close()
    this.#isClosed = true
    this.#unsubscribe()
    this.#cancelSetBack()
    for (const cancel of this.#cancelRetries) cancel()
    for (const { cancelTimer } of this.#plans.values()) cancelTimer()
    this.#plans.clear()
    await Promise.all(this.#running)
  }

  /** Plans all work again once the clock was set back: what is planned may be due when it is there again. */
  #planAgain(): void {
    for (const { postponed } of this.#plans.values()) postponed.clear()
    this.#resting?.distrust()
    this.#track(this.resume())
  }

  /** Resolves with whether the work has been planned. */
  async #resumeAccount(account: Account): Promise<boolean> {
    const { accounts, clock, log } = this.services
    try {
      await accounts.waitUntilReady(account)
      this.#plan(account, new Set(this.#tasks))
      return true
    } catch (cause) {
      if (isNoLongerServed(cause) || this.#isClosed) return false
      log.error('the timed work of an account cannot be read', { accountId: account.id, cause })
      const cancel = clock.after(retrySeconds, () => {
        this.#cancelRetries.delete(cancel)
        void this.#resumeAccount(account)
      })
      this.#cancelRetries.add(cancel)
      return false
    }
  }

  /** Plans tasks of an account in a later turn of the event loop; without tasks, starts what has become due. */
  #planLater(account: Named, tasks: readonly TimedTask[]): void {
    if (this.#isClosed) return
    if (this.#changed.size === 0) setImmediate(() => this.#planChanged())
    const known = this.#changed.get(account.id) ?? { account, tasks: new Set() }
    for (const task of tasks) known.tasks.add(task)
    this.#changed.set(account.id, known)
  }

  /** Plans the timed work of all accounts that have changed since the last call. */
  #planChanged(): void {
    const changed = [...this.#changed.values()]
    this.#changed.clear()
    for (const { account: named, tasks } of changed) {
      if (this.#isClosed) return
      const account = this.services.accounts.findCurrent(named)
      if (!account) {
        if (this.services.platform.findById(named.id)?.state !== 'active') this.#drop(named.id)
        continue
      }
      try {
        this.#plan(account, tasks)
      } catch (cause) {
        if (isNoLongerServed(cause)) continue
        this.services.log.warn('timed work could not be planned', { accountId: account.id, cause })
      }
    }
  }

  /**
   * Looks when tasks of an account are due, starts all that are, and sets the timer for what comes next. Throws if the account is not
   * served here.
   */
  #plan(account: Account, tasks: ReadonlySet<TimedTask>): void {
    const { accounts, clock } = this.services
    const now = clock.now()
    this.#resting?.remove(account.id)
    const known = this.#plans.get(account.id)
    const plan = known ?? {
      account,
      running: new Set(),
      due: new Map<TimedTask, number>(),
      done: new Map<TimedTask, number>(),
      postponed: new Map(),
      cancelTimer: () => {}
    }
    plan.account = account
    if (tasks.size > 0) {
      const store = accounts.openStore(account)
      store.read(() => {
        for (const task of tasks) {
          const at = task.findNext(store, account) ?? Infinity
          plan.due.set(task, at)
          // The task has run and is due at the same time again: without a pause, it would run all the time.
          if (plan.done.get(task) === at) plan.postponed.set(task, now + retrySeconds)
          plan.done.delete(task)
        }
      })
    }
    let next = Infinity
    const due: TimedTask[] = []
    for (const [task, found] of plan.due) {
      if (plan.running.has(task)) continue
      const at = Math.max(found, plan.postponed.get(task) ?? -Infinity)
      if (at <= now) due.push(task)
      else next = Math.min(next, at)
    }
    plan.cancelTimer()
    if (known || next < Infinity || due.length > 0) this.#resting?.touch(account.id)
    if (next === Infinity && due.length === 0 && plan.running.size === 0) {
      this.#plans.delete(account.id)
      return
    }
    this.#plans.set(account.id, plan)
    if (!known) this.#track(this.#markQuietly(account))
    for (const task of due) this.#start(plan, task)
    plan.cancelTimer =
      next === Infinity ? () => {} : clock.after(next - now, () => this.#planLater(account, []))
  }

  /** Runs a timed task of an account, then plans its next run; if it has failed, after `retrySeconds`. */
  #start(plan: Plan, task: TimedTask): void {
    const { account, done, due, postponed, running } = plan
    const at = due.get(task) ?? Infinity
    running.add(task)
    postponed.delete(task)
    this.#track(
      this.#run(account, task).then(result => {
        running.delete(task)
        if (result === 'done') done.set(task, at)
        if (result === 'failed') postponed.set(task, this.services.clock.now() + retrySeconds)
        if (this.#plans.get(account.id) === plan) this.#planLater(account, [task])
      })
    )
  }

  /** Does or starts the work of a task; failures are logged. Never rejects. */
  async #run(account: Account, task: TimedTask): Promise<'done' | 'failed' | 'started'> {
    try {
      return (await task.run(account)) === true ? 'started' : 'done'
    } catch (cause) {
      if (!this.#isClosed && !isNoLongerServed(cause))
        this.services.log.warn(`timed work failed: ${task.name}`, { accountId: account.id, cause })
      return 'failed'
    }
  }

  async #markQuietly(account: Account): Promise<void> {
    try {
      await this.mark(account)
    } catch (cause) {
      const { id: accountId } = account
      const message = 'an account with timed work could not be noted'
      if (!this.#isClosed) this.services.log.warn(message, { accountId, cause })
    }
  }

  #drop(id: string): void {
    this.#plans.get(id)?.cancelTimer()
    this.#plans.delete(id)
  }

  /** Lets {@link close} wait for work, which must never reject. */
  #track(work: Promise<void>): void {
    this.#running.add(work)
    void work.finally(() => this.#running.delete(work))
  }
}
