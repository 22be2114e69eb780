/**
 * Evaluates the rules of accounts: after changes of data that a rule watches, and at times that a rule waits for. How far a rule has
 * been evaluated is in the account's file, so a restart loses nothing and repeats nothing. (docs/api/rules.md#firing)
 */
import type { StoredRule } from '../../storage/rules/rule-repository.js'
import type { Account } from '../../storage/platform/account.js'
import { nextTurn, runInTurns, type Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Services } from '../call/services.js'
import type { Change, ChangedAccount } from '../changes.js'
import { createServiceCall, writeAsService } from '../cmc/service-calls.js'
import type { TimedTask } from '../timers/timed-task.js'
import { evaluateRule, findRuleTime } from './evaluate.js'
import { prepareRange } from './reading-watcher.js'
import type { Unseen } from './rule-call.js'
import { Sweep } from './sweep.js'
import { tell } from './tell.js'
import { maxDelay, WatchedRules } from './watched-rules.js'

/** Rules are evaluated without a break for at most so many milliseconds, and at most so many. At least one is. */
const turnMs = 10
const rulesPerTurn = 10
/** Seconds after which an account with rules is planned again if nothing happens. */
const idleSeconds = 7 * 86_400
/** Less than the difference of two times. */
const tick = 1e-6

/** Watches the rules of the accounts that this process serves. */
export class RuleWatch implements TimedTask {
  readonly name = 'rules'
  readonly #watched = new Map<string, WatchedRules>()
  readonly #sweep = new Sweep(account => this.#visit(account))
  readonly #unsubscribe: () => void
  #count = 0
  #isClosed = false

  constructor(private readonly services: Services) {
    this.#unsubscribe = services.bus.subscribe((account, change) => this.#note(account, change))
    services.accounts.handover.onRelease(({ id }) => this.#watched.delete(id))
  }

  /**
   * Returns when the rules of the account are to be checked next, in seconds: after a while even if none is
   * due. Returns `undefined` if it has none, messages are off, or the account is to be deleted: then its
   * rules are no longer watched.
   */
  findNext(store: UserStore, account: Account): number | undefined {
    if (!this.services.config.channels.enabled || account.deletion !== null || store.rules.size === 0) {
      this.#watched.delete(account.id)
      return undefined
    }
    const watched = this.#watch(account, store)
    const now = this.services.clock.now()
    // Never without a time: an account without timed work is not resumed after a start.
    if (watched.idleUntil <= now) watched.idleUntil = now + idleSeconds
    let next = watched.pending.size > 0 ? watched.asked : watched.idleUntil
    for (const { rule, state } of store.rules.list())
      next = Math.min(next, findRuleTime(rule, state, now) ?? Infinity)
    return next
  }

  onRead(account: ChangedAccount): void {
    const watched = this.#watched.get(account.id)
    if (watched && watched.lookers.length > 0) this.#ask(account, watched.lookers)
  }

  /** Evaluates the rules that are due, a few at a time, until none is left or the service closes. */
  async run(account: Account): Promise<void> {
    const { accounts, clock } = this.services
    for (;;) {
      const store = accounts.openStore(account)
      const watched = this.#watch(account, store)
      const now = clock.now()
      const due = store
        .read(() => [...store.rules.list()])
        .filter(
          ({ rule, state }) =>
            watched.pending.has(rule.id) || (findRuleTime(rule, state, now) ?? Infinity) <= now
        )
        .map(stored => ({
          ...stored,
          since: watched.pending.get(stored.rule.id) ?? stored.state.evaluatedTo
        }))
        // Those that wait longest come first: otherwise rules on much data could delay others forever.
        .toSorted((a, b) => a.since - b.since)
        .slice(0, rulesPerTurn)
      if (due.length === 0 || this.#isClosed) {
        for (const id of watched.pending.keys()) if (!store.rules.find(id)) watched.pending.delete(id)
        return
      }
      await this.#evaluate(account, store, watched, due)
      // Other work comes first: rules may be many, and data too.
      await nextTurn()
      if (this.#isClosed) return
    }
  }

  catchUp(): void {
    this.#sweep.catchUp()
  }

  /** Stops. What is pending is evaluated after the next start. */
  close(): void {
    this.#isClosed = true
    this.#unsubscribe()
    this.#sweep.close()
    this.#watched.clear()
  }

  /**
   * Evaluates the rules of an account that changes concern. If something follows, it is left to timers, which
   * retry what fails. Never throws.
   */
  #visit(account: ChangedAccount): void {
    const watched = this.#watched.get(account.id)
    if (!watched || watched.pending.size === 0 || this.#isClosed) return
    try {
      const store = this.services.accounts.openStore(watched.account)
      const isSmall = watched.isOf(store) && watched.pending.size <= rulesPerTurn
      if (isSmall && !this.#findUnprepared(watched.account, store, watched.pending.keys())) {
        const taken = takeAll(watched, watched.pending)
        try {
          const { changed, left } = this.#findChanged(watched.account, store, taken)
          for (const id of [...changed, ...left]) watched.putBack(id, taken.get(id)!)
        } catch (error) {
          for (const [id, unseen] of taken) watched.putBack(id, unseen)
          throw error
        }
        if (watched.pending.size === 0) return
      }
    } catch {
      // Timers do the same again, and report why it fails.
    }
    watched.asked = this.services.clock.now() - this.#nextTick()
    this.services.timers.wake(account)
  }

  /** Evaluates rules. What has changed is stored in one transaction with its messages. */
  async #evaluate(
    account: Account,
    store: UserStore,
    watched: WatchedRules,
    due: readonly (StoredRule & { readonly since: number })[]
  ): Promise<void> {
    const taken = takeAll(
      watched,
      due.map(({ rule, since }) => [rule.id, since])
    )
    try {
      // What becomes unknown again meanwhile is computed at once.
      for (let count = 0; count < taken.size; count++) {
        const steps = this.#findUnprepared(account, store, taken.keys())
        if (!steps) break
        await runInTurns(runWhileOpen(store, steps))
        if (store.isOpen && !this.#isClosed) continue
        for (const [id, unseen] of taken) watched.putBack(id, unseen)
        return
      }
      const { changed, left } = this.#findChanged(account, store, taken)
      for (const id of left) watched.putBack(id, taken.get(id)!)
      if (changed.length === 0) return
      await writeAsService(this.services, account, call => {
        for (const id of changed) {
          // Evaluated again: data may have changed since, and only here nothing can.
          const stored = call.store.rules.find(id)
          if (!stored) continue
          const { hasMore, state, tellings } = evaluateRule(call, stored, taken.get(id)!)
          if (hasMore) watched.putBack(id, taken.get(id)!)
          call.store.rules.setState(id, state)
          tell(call, stored.rule, tellings)
        }
      })
    } catch (error) {
      for (const [id, unseen] of taken) watched.putBack(id, unseen)
      throw error
    }
  }

  /** Returns what has to be computed before rules are evaluated: it may take long. `undefined` if there is nothing. */
  #findUnprepared(account: Account, store: UserStore, ids: Iterable<string>): Steps<void> | undefined {
    const call = createServiceCall(this.services, account, store)
    for (const id of ids) {
      const rule = store.rules.find(id)?.rule
      const steps = rule && store.read(() => prepareRange(call, rule))
      if (steps) return steps
    }
    return undefined
  }

  /**
   * Evaluates rules, given with the oldest changes that concern them. Returns those whose states have to be
   * stored, and of the others those that are left for the next turn, also in part. Their states are noted in memory only.
   */
  #findChanged(
    account: Account,
    store: UserStore,
    taken: ReadonlyMap<string, Unseen>
  ): { readonly changed: readonly string[]; readonly left: readonly string[] } {
    const { rules } = store
    const ids = [...taken.keys()]
    if (ids.some(id => rules.find(id)?.rule.condition.kind === 'looked')) store.completeAudit()
    return store.read(() => {
      const call = createServiceCall(this.services, account, store)
      const end = performance.now() + turnMs
      const changed: string[] = []
      const left: string[] = []
      for (const [at, id] of ids.entries()) {
        if (at > 0 && performance.now() >= end) return { changed, left: [...left, ...ids.slice(at)] }
        const stored = rules.find(id)
        if (!stored) continue
        const evaluation = evaluateRule(call, stored, taken.get(id)!)
        if (evaluation.isChanged || rules.getDelay(id) >= maxDelay) {
          changed.push(id)
          continue
        }
        rules.noteState(id, evaluation.state)
        if (evaluation.hasMore) left.push(id)
      }
      return { changed, left }
    })
  }

  /** Returns what is known of an account's rules. At first, and after changes of rules, all are evaluated. */
  #watch(account: Account, store: UserStore): WatchedRules {
    const watched = this.#watched.get(account.id) ?? new WatchedRules(this.services, account)
    watched.account = account
    if (watched.isOf(store)) return watched
    watched.read(store)
    watched.asked = this.services.clock.now() - this.#nextTick()
    this.#watched.set(account.id, watched)
    return watched
  }

  /** Notes which rules a change concerns. Costs one lookup for accounts without rules. */
  #note(account: ChangedAccount, { items, kind }: Change): void {
    const watched = this.#watched.get(account.id)
    if (!watched) return
    if (kind === 'events') this.#ask(account, watched.findConcerned(items, this.services.clock.now()))
    // What rules see of the same events may be more or less now.
    if (kind === 'streams' || kind === 'accesses')
      this.#ask(account, watched.listAffected(kind === 'streams'))
  }

  /** Asks for the evaluation of rules. Those that wait already keep their place. */
  #ask(account: ChangedAccount, ids: Iterable<string>): void {
    const watched = this.#watched.get(account.id)
    if (!watched) return
    const now = this.services.clock.now()
    let isNew = false
    for (const id of ids) {
      isNew = true
      if (!watched.pending.has(id)) watched.pending.set(id, now)
    }
    if (!isNew) return
    watched.asked = now - this.#nextTick()
    this.#sweep.add(account)
  }

  /** Returns a short time that differs from the last one: otherwise timers would take new work for work that has failed. */
  #nextTick(): number {
    return (this.#count++ % 1000) * tick
  }
}

/** Runs steps that read from a file; stops once it is closed. */
function* runWhileOpen(store: UserStore, steps: Steps<void>): Steps<void> {
  while (store.isOpen && store.read(() => steps.next().done) !== true) yield
}

/** Takes what rules have not seen, given with the times of the oldest changes that concern them. */
function takeAll(watched: WatchedRules, rules: Iterable<readonly [string, number]>): Map<string, Unseen> {
  return new Map(Array.from(rules, ([id, since]) => [id, watched.take(id, since)]))
}
