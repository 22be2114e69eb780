/**
 * Evaluates the rules of accounts: after changes of data that a rule watches, and at times that a rule waits for. How far a rule has
 * been evaluated is in the account's file, so a restart loses nothing and repeats nothing. (docs/api/rules.md#firing)
 */
import { findMeasure } from '../../schemas/measures/catalogue.js'
import type { Rule } from '../../schemas/rule.js'
import type { StoredRule } from '../../storage/rules/rule-repository.js'
import type { Account } from '../../storage/platform/account.js'
import { nextTurn } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Services } from '../call/services.js'
import type { Change, ChangedAccount, ChangeKind } from '../changes.js'
import { createServiceCall, writeAsService } from '../cmc/service-calls.js'
import type { TimedTask } from '../timers/account-timers.js'
import { evaluateRule, findRuleTime } from './evaluate.js'
import { findConditionMeasure } from './reading-watcher.js'
import { createRuleCall } from './rule-call.js'
import { Sweep } from './sweep.js'
import { tell } from './tell.js'

/** What is known of the rules of an account while it is served here. */
interface Watched {
  account: Account
  /** Of the rules that {@link types} was made from. Does not keep a closed file in memory. */
  store: WeakRef<UserStore>
  version: number
  /** The rules that watch a type of events, without `series:`. */
  types: ReadonlyMap<string, readonly string[]>
  /** The rules that watch events of any type, and those that watch who reads. */
  readonly anyType: string[]
  readonly lookers: string[]
  /** Rules to be evaluated, with the time of the oldest change that has not been. */
  readonly pending: Map<string, number>
  /** When the next evaluation was asked for; differs after each change. */
  asked: number
}

const seriesPrefix = 'series:'
const noteClass = 'note/'
/** Rules are evaluated without a break for at most so many milliseconds, and at most so many. At least one is. */
const turnMs = 10
const rulesPerTurn = 10
/** Seconds of past data that are evaluated at most after a start. */
const maxBehind = 7 * 86_400
/** Seconds after which an account with rules is planned again if nothing happens. */
const idleSeconds = 7 * 86_400
/** Seconds after which a state is stored that nothing else has stored. */
const maxDelay = 900
/** Less than the difference of two times. */
const tick = 1e-6

export class RuleWatch implements TimedTask {
  readonly name = 'rules'
  /** An account that was suspended may be active again; own measures may have changed. */
  readonly kinds: readonly ChangeKind[] = ['account']
  readonly #watched = new Map<string, Watched>()
  readonly #sweep = new Sweep(account => this.#visit(account))
  readonly #unsubscribe: () => void
  #count = 0
  #isClosed = false

  constructor(private readonly services: Services) {
    this.#unsubscribe = services.bus.subscribe((account, change) => this.#note(account, change))
    services.accounts.handover.onRelease(({ id }) => this.#watched.delete(id))
  }

  findNext(store: UserStore, account: Account): number | undefined {
    if (!this.services.config.channels.enabled || account.deletion !== null || store.rules.size === 0) {
      this.#watched.delete(account.id)
      return undefined
    }
    const watched = this.#watch(account, store)
    const now = this.services.clock.now()
    // Never without a time: an account without timed work is not resumed after a start.
    let next = watched.pending.size > 0 ? watched.asked : now + idleSeconds
    for (const { rule, state } of store.rules.list())
      next = Math.min(next, findRuleTime(rule, state, now) ?? Infinity)
    return next
  }

  onRead(account: ChangedAccount): void {
    const watched = this.#watched.get(account.id)
    if (watched && watched.lookers.length > 0) this.#ask(account, watched.lookers)
  }

  async run(account: Account): Promise<void> {
    const { accounts, clock } = this.services
    for (;;) {
      const store = accounts.store(account)
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

  /** Evaluates the rules of an account that changes concern. If something follows, it is left to timers, which retry what fails. */
  #visit(account: ChangedAccount): void {
    const watched = this.#watched.get(account.id)
    if (!watched || watched.pending.size === 0 || this.#isClosed) return
    try {
      const store = this.services.accounts.store(watched.account)
      const isKnown = watched.store.deref() === store && watched.version === store.rules.version
      if (isKnown && watched.pending.size <= rulesPerTurn) {
        const taken = new Map(watched.pending)
        const { changed, left } = this.#findChanged(watched.account, store, taken)
        const remaining = new Set([...changed, ...left])
        for (const id of taken.keys()) if (!remaining.has(id)) watched.pending.delete(id)
        if (remaining.size === 0) return
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
    { pending }: Watched,
    due: readonly (StoredRule & { readonly since: number })[]
  ): Promise<void> {
    const taken = new Map(due.map(({ rule, since }) => [rule.id, since]))
    for (const id of taken.keys()) pending.delete(id)
    try {
      const { changed, left } = this.#findChanged(account, store, taken)
      for (const id of left) putBack(pending, id, taken.get(id)!)
      if (changed.length === 0) return
      await writeAsService(this.services, account, call => {
        for (const id of changed) {
          // Evaluated again: data may have changed since, and only here nothing can.
          const stored = call.store.rules.find(id)
          if (!stored) continue
          const { state, tellings } = evaluateRule(call, stored, taken.get(id)!)
          call.store.rules.setState(id, state)
          tell(call, stored.rule, tellings)
        }
      })
    } catch (error) {
      for (const [id, since] of taken) putBack(pending, id, since)
      throw error
    }
  }

  /**
   * Evaluates rules, given with the oldest changes that concern them. Returns those whose states have to be stored, and those that are
   * left for the next turn.
   */
  #findChanged(
    account: Account,
    store: UserStore,
    taken: ReadonlyMap<string, number>
  ): { readonly changed: readonly string[]; readonly left: readonly string[] } {
    const { rules } = store
    const ids = [...taken.keys()]
    if (ids.some(id => rules.find(id)?.rule.condition.kind === 'looked')) store.completeAudit()
    return store.read(() => {
      const call = createServiceCall(this.services, account, store)
      const end = performance.now() + turnMs
      const changed: string[] = []
      for (const [at, id] of ids.entries()) {
        if (at > 0 && performance.now() >= end) return { changed, left: ids.slice(at) }
        const stored = rules.find(id)
        if (!stored) continue
        const evaluation = evaluateRule(call, stored, taken.get(id)!)
        if (evaluation.isChanged || rules.getDelay(id) >= maxDelay) changed.push(id)
        else rules.noteState(id, evaluation.state)
      }
      return { changed, left: [] }
    })
  }

  /** Returns what is known of an account's rules. At first, and after changes of rules, all are evaluated. */
  #watch(account: Account, store: UserStore): Watched {
    const known = this.#watched.get(account.id)
    if (known?.store.deref() === store && known.version === store.rules.version) return known
    const watched: Watched = known ?? {
      account,
      store: new WeakRef(store),
      version: store.rules.version,
      types: new Map(),
      anyType: [],
      lookers: [],
      pending: new Map(),
      asked: 0
    }
    watched.account = account
    watched.store = new WeakRef(store)
    watched.version = store.rules.version
    this.#compile(store, watched)
    this.#watched.set(account.id, watched)
    return watched
  }

  #compile(store: UserStore, watched: Watched): void {
    const call = createServiceCall(this.services, watched.account, store)
    const types = new Map<string, string[]>()
    const now = this.services.clock.now()
    watched.anyType.length = watched.lookers.length = 0
    for (const { rule, state } of store.rules.list()) {
      if (!rule.isActive) continue
      const { condition, id } = rule
      if (condition.kind === 'looked') watched.lookers.push(id)
      else if (condition.kind === 'words') addTo(types, noteClass, id)
      else {
        const asRule = 'measure' in condition ? createRuleCall(call, rule) : undefined
        const measure = asRule ? findConditionMeasure(asRule, condition) : findKnownMeasure(rule)
        if (measure) for (const type of measure.types) addTo(types, type, id)
        else watched.anyType.push(id)
      }
      const evaluatedTo = Math.max(state.evaluatedTo, now - maxBehind)
      const since = Math.min(evaluatedTo, watched.pending.get(id) ?? Infinity)
      watched.pending.set(id, since)
    }
    watched.types = types
    watched.asked = now - this.#nextTick()
  }

  /** Notes which rules a change concerns. Costs one lookup for accounts without rules. */
  #note(account: ChangedAccount, { items, kind }: Change): void {
    const watched = this.#watched.get(account.id)
    if (!watched || kind !== 'events') return
    if (!items) return this.#ask(account, [...watched.anyType, ...[...watched.types.values()].flat()])
    const concerned = new Set(watched.anyType)
    for (const { event } of items) {
      if (!event) continue
      const type = event.type.startsWith(seriesPrefix) ? event.type.slice(seriesPrefix.length) : event.type
      for (const id of watched.types.get(type) ?? []) concerned.add(id)
      if (type.startsWith(noteClass)) for (const id of watched.types.get(noteClass) ?? []) concerned.add(id)
    }
    this.#ask(account, concerned)
  }

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

function putBack(pending: Map<string, number>, id: string, since: number): void {
  pending.set(id, Math.min(since, pending.get(id) ?? Infinity))
}

function findKnownMeasure({ condition }: Rule): { readonly types: readonly string[] } | undefined {
  if (condition.kind === 'place') return findMeasure('position')
  return 'measure' in condition ? findMeasure(condition.measure) : undefined
}

function addTo(map: Map<string, string[]>, key: string, id: string): void {
  const ids = map.get(key)
  if (ids) ids.push(id)
  else map.set(key, [id])
}
