/** What is known of the rules of an account while it is served here: which changes concern which rule, and what is to be evaluated. */
import { findMeasure } from '../../schemas/measures/catalogue.js'
import { maxLag, type Rule } from '../../schemas/rule.js'
import type { StoredRule } from '../../storage/rules/rule-repository.js'
import type { Account } from '../../storage/platform/account.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Services } from '../call/services.js'
import type { ChangedItem, EventState } from '../changed-item.js'
import { createServiceCall } from '../cmc/service-calls.js'
import { NumberTest } from './neutral-numbers.js'
import { findConditionMeasure } from './reading-watcher.js'
import { maxAhead } from './readings.js'
import { createRuleCall, type Unseen } from './rule-call.js'

const seriesPrefix = 'series:'
const noteClass = 'note/'
/** Seconds of past data that are evaluated at most after a start. */
const maxBehind = 7 * 86_400
/** Maximum number of neutral numbers of a rule that are not evaluated, and seconds after which it is evaluated again. */
const maxPassed = 1000
export const maxDelay = 900

/** Numbers that are neutral for a rule, since it was evaluated for the last time. */
interface Passed {
  /** When the first of them was written, in seconds. */
  readonly since: number
  readonly times: number[]
}

/** The rules of one account, and what is pending for them. */
export class WatchedRules {
  /** Rules to be evaluated, with the time of the oldest change that has not been. */
  readonly pending = new Map<string, number>()
  /** When the next evaluation was asked for; differs after each change. */
  asked = 0
  /** When the rules are planned again if nothing happens, in seconds. */
  idleUntil = 0
  /** The rules that watch who reads. */
  readonly lookers: string[] = []
  /** Those that watch events of any type. */
  readonly #anyType: string[] = []
  /** Those that watch a type of events, without `series:`. */
  #types: ReadonlyMap<string, readonly string[]> = new Map()
  /** Of rules that events have concerned since {@link read}; `undefined` if every number of a rule has to be evaluated. */
  readonly #tests = new Map<string, NumberTest | undefined>()
  readonly #passed = new Map<string, Passed>()
  /** Does not keep a closed file in memory. */
  #store: WeakRef<UserStore> | undefined
  #version = -1

  constructor(
    private readonly services: Services,
    public account: Account
  ) {}

  /** Returns whether this is known of the rules as they are now. */
  isOf(store: UserStore): boolean {
    return this.#store?.deref() === store && this.#version === store.rules.version
  }

  /** Reads the active rules. All are to be evaluated. */
  read(store: UserStore): void {
    this.#store = new WeakRef(store)
    this.#version = store.rules.version
    const call = createServiceCall(this.services, this.account, store)
    const types = new Map<string, string[]>()
    this.#anyType.length = this.lookers.length = 0
    this.#tests.clear()
    for (const { rule, state } of store.rules.list()) {
      if (!rule.isActive) continue
      const { condition, id } = rule
      if (condition.kind === 'looked') this.lookers.push(id)
      else if (condition.kind === 'words') addTo(types, noteClass, id)
      else {
        const asRule = 'measure' in condition ? createRuleCall(call, rule) : undefined
        const measure = asRule ? findConditionMeasure(asRule, condition) : findKnownMeasure(rule)
        if (measure) for (const type of measure.types) addTo(types, type, id)
        else this.#anyType.push(id)
      }
      const evaluatedTo = Math.max(state.evaluatedTo, call.now - maxBehind)
      const since = Math.min(evaluatedTo, this.pending.get(id) ?? Infinity)
      this.pending.set(id, since)
    }
    this.#types = types
    for (const id of this.#passed.keys()) if (!store.rules.find(id)) this.#passed.delete(id)
  }

  /**
   * Returns the rules that changes of events concern, without those for which a number changes nothing: it is
   * noted instead. `items` is absent if there were too many: then all that watch events are returned.
   */
  findConcerned(items: readonly ChangedItem[] | undefined, now: number): Iterable<string> {
    if (!items) return [...this.#anyType, ...[...this.#types.values()].flat()]
    const concerned = new Set(this.#anyType)
    for (const { event } of items) {
      if (!event) continue
      const isSeries = event.type.startsWith(seriesPrefix)
      const type = isSeries ? event.type.slice(seriesPrefix.length) : event.type
      for (const id of this.#types.get(type) ?? [])
        if (isSeries || !this.#passes(id, event, now)) concerned.add(id)
      if (type.startsWith(noteClass)) for (const id of this.#types.get(noteClass) ?? []) concerned.add(id)
    }
    return concerned
  }

  /**
   * Lists the rules that go on, have fired, or have a problem: what was seen of their data may be hidden now, or can be read again. Lists
   * all with `ofStreams`: what was not seen may count now, where a stream has been moved or restored.
   */
  *listAffected(ofStreams: boolean): Generator<string> {
    const { rules } = this.#store?.deref() ?? {}
    for (const { rule, state } of rules?.list() ?? [])
      if (rule.isActive && (ofStreams || (state.firedAt ?? state.holdsSince ?? state.problem) !== undefined))
        yield rule.id
  }

  /** Returns what a rule has not seen, and forgets it. `since`: the oldest change to be evaluated, in seconds. */
  take(id: string, since: number): Unseen {
    const times = this.#passed.get(id)?.times ?? []
    this.pending.delete(id)
    this.#passed.delete(id)
    return { since, passed: times }
  }

  /** Notes again what a rule has not seen. */
  putBack(id: string, { passed, since }: Unseen): void {
    this.pending.set(id, Math.min(since, this.pending.get(id) ?? Infinity))
    if (passed.length === 0) return
    const known = this.#passed.get(id)
    // They may have been put back before: what is read in parts, or fails, is evaluated again and again.
    const times = [...new Set([...passed, ...(known?.times ?? [])])]
    this.#passed.set(id, { since: known?.since ?? since, times })
  }

  /** Returns whether an event changes nothing for a rule, and notes it: later, older numbers do not count. */
  #passes(id: string, event: EventState, now: number): boolean {
    const store = this.#store?.deref()
    if (this.pending.has(id) || !store?.isOpen || this.#version !== store.rules.version) return false
    const stored = store.rules.find(id)
    if (!stored) return false
    const test = this.#findTest(store, stored.rule)
    // Data of the future counts later, whatever is written until then.
    if ((event.time ?? Infinity) > now + maxAhead) this.#tests.set(id, undefined)
    const known = this.#passed.get(id)
    // A number that may have been seen was changed or removed.
    const seenTo = Math.max(stored.state.seenTo ?? -Infinity, ...(known?.times ?? []))
    if (event.time! <= seenTo && isCurrent(stored, event.time!, now)) return false
    if (!test?.isNeutral(stored.state, event)) return false
    if (!known) this.#passed.set(id, { since: now, times: [event.time!] })
    else if (known.times.length >= maxPassed || now - known.since > maxDelay) return false
    else known.times.push(event.time!)
    store.rules.notePassed(id, now)
    return true
  }

  /** Returns the test of a rule, which is kept; `undefined` if every number has to be evaluated. */
  #findTest(store: UserStore, rule: Rule): NumberTest | undefined {
    const { id } = rule
    if (!this.#tests.has(id)) {
      const call = createRuleCall(createServiceCall(this.services, this.account, store), rule)
      this.#tests.set(id, call && store.read(() => NumberTest.create(call, rule)))
    }
    return this.#tests.get(id)
  }
}

/** Returns whether a number of a time that has been evaluated may still say whether a rule fires. */
function isCurrent(
  { rule: { condition }, state: { firedAt, isFiring } }: StoredRule,
  time: number,
  now: number
): boolean {
  const hold = 'for' in condition ? (condition.for ?? 0) : 0
  return isFiring || time >= Math.min(now - Math.max(maxLag, hold), (firedAt ?? now) - hold)
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
