/**
 * The episodes of a rule: when its condition begins to hold, when it has held long enough, when messages are sent, and when it is
 * over. Has no access to data: the same for what happens now and for past data. (docs/api/rules.md#firing)
 */
import type { Rule, RuleState } from '../../schemas/rule.js'
import { findAllowedTime } from './telling-times.js'

/** `met`: the condition holds; `over`: it does not; `between`: an episode goes on, but none begins. */
export type Verdict = 'met' | 'over' | 'between'

/** What has caused an episode. */
export type Cause = Pick<RuleState, 'cause' | 'value'>

/** A message to be sent. */
export interface Telling extends Cause {
  readonly kind: 'fired' | 'recovered'
  readonly episode: number
  /** How often the message has been sent before. */
  readonly repeat: number
  /** When it has happened, in seconds. */
  readonly time: number
}

/** How often a message is repeated until someone acknowledges what has happened. */
const maxRepeats = 10
/** How many events are remembered that one message is about. */
const maxOthers = 20

type Changing = { -readonly [K in keyof RuleState]: RuleState[K] }

/** The episodes of one rule, from a state on. Changes only its own copy of the state. */
export class Episodes {
  readonly #state: Changing
  readonly tellings: Telling[] = []
  /** Seconds for which the condition has to hold. */
  readonly #hold: number
  /** Kinds that do not last: each time is an episode of its own. */
  readonly #isMomentary: boolean

  constructor(
    private readonly rule: Rule,
    state: RuleState,
    /** Called before an episode begins. Returns false if its cause can no longer be read. */
    private readonly isReadable: (cause: Cause) => boolean = () => true
  ) {
    this.#state = { ...state }
    const { condition } = rule
    this.#hold = 'for' in condition ? (condition.for ?? 0) : 0
    this.#isMomentary = isMomentary(rule)
  }

  /** The state so far. */
  get state(): Changing {
    return this.#state
  }

  /**
   * Adds what a reading says: begins an episode once the condition has held long enough, and ends it. `now`:
   * the time at which a message would be sent.
   */
  step(time: number, verdict: Verdict, { now, ...cause }: Cause & { readonly now: number }): void {
    const state = this.#state
    if (verdict === 'met') {
      if (state.isFiring) return
      if (state.holdsSince === undefined) {
        state.holdsSince = time
        setCause(state, cause)
      }
      this.#fireIfHeld(time, now)
      return
    }
    // It may have held long enough before this reading, where several arrive together.
    if (this.#hold > 0) this.#fireIfHeld(time, now)
    if (verdict === 'between' && state.isFiring) return
    delete state.holdsSince
    if (state.isFiring) this.#recover(time, now)
  }

  /** Adds something that happens in a moment, such as a note: an episode, with a message. */
  happen(time: number, { now, ...cause }: Cause & { readonly now: number }): void {
    const state = this.#state
    if (state.tellAt === undefined) delete state.others
    else if (typeof state.cause === 'string')
      state.others = [state.cause, ...(state.others ?? [])].slice(0, maxOthers)
    setCause(state, cause)
    this.#fire(time, now)
  }

  /** Begins an episode that is firing, without a message. */
  beginUntold(): void {
    this.#state.isFiring = true
    this.#state.episode++
  }

  /** Ends what holds, and waits again from a time on. */
  restart(time: number, { now, ...cause }: Cause & { readonly now: number }): void {
    const state = this.#state
    if (state.isFiring) this.#recover(time, now)
    state.holdsSince = time
    setCause(state, cause)
  }

  /**
   * Corrects what holds, after data has been changed or removed. `since`: the first time for which the condition holds without a break
   * until now, and its cause; `undefined` if it does not hold. `isHidden`: it may still hold, but the rule's access can no longer read
   * that: then no message says that it is over.
   */
  correct(
    since: (Cause & { readonly time: number }) | undefined,
    now: number,
    { isHidden = false }: { readonly isHidden?: boolean } = {}
  ): void {
    const state = this.#state
    const heldAt = since ? since.time + this.#hold : Infinity
    if (state.isFiring && heldAt <= now) return
    if (state.isFiring) this.#recover(now, now, isHidden)
    delete state.holdsSince
    if (!since) return
    setCause(state, since)
    if (state.firedAt === heldAt) this.#resume(now)
    else state.holdsSince = since.time
  }

  /** Sets what has caused the episode that goes on. */
  setCause(cause: Cause): void {
    setCause(this.#state, cause)
  }

  /** Does what is due at a time: episodes that begin, messages, and repeats of them. */
  advance(now: number): void {
    const { holdsSince, tellAt } = this.#state
    const heldAt = holdsSince === undefined ? Infinity : holdsSince + this.#hold
    // In the order of their times.
    if (tellAt !== undefined && tellAt <= heldAt) this.#tellIfDue(now)
    this.#fireIfHeld(now, now)
    this.#tellIfDue(now)
    this.#planRepeat(this.#state.toldAt, now)
  }

  /** When something is due next, in seconds. */
  get next(): number | undefined {
    return findNextTime(this.rule, this.#state)
  }

  #fireIfHeld(time: number, now: number): void {
    const { holdsSince } = this.#state
    if (holdsSince === undefined || time < holdsSince + this.#hold) return
    if (!this.isReadable(this.#state)) delete this.#state.holdsSince
    else this.#fire(holdsSince + this.#hold, now)
  }

  #fire(time: number, now: number): void {
    const state = this.#state
    delete state.holdsSince
    state.isFiring = !this.#isMomentary
    state.firedAt = time
    state.episode++
    for (const name of ['acknowledgedAt', 'acknowledgedBy', 'isOpen', 'repeats'] as const) delete state[name]
    if (state.isFiring) state.isOpen = true
    // Moments until the next message share it.
    if (state.tellAt === undefined) this.#planTelling(now)
    this.#tellIfDue(now)
  }

  #planTelling(now: number): void {
    const earliest = Math.max(now, (this.#state.toldAt ?? -Infinity) + this.rule.atMostEvery)
    this.#state.tellAt = findAllowedTime(this.rule, earliest)
  }

  #recover(time: number, now: number, isHidden = false): void {
    const state = this.#state
    state.isFiring = false
    state.recoveredAt = time
    delete state.tellAt
    delete state.isOpen
    const isTold = state.toldEpisode === state.episode && !isHidden
    if (isTold && this.rule.tellsRecovery && findAllowedTime(this.rule, now) <= now)
      this.tellings.push({ kind: 'recovered', episode: state.episode, repeat: 0, time, ...getCause(state) })
  }

  /** Goes on with the last episode, which has turned out not to be over. */
  #resume(now: number): void {
    const state = this.#state
    state.isFiring = true
    delete state.recoveredAt
    if (state.acknowledgedAt !== undefined) return
    state.isOpen = true
    if (state.toldEpisode !== state.episode) this.#planTelling(now)
  }

  /**
   * Sends the message that is due, unless the rule's times forbid it (then it waits) or no cause is readable any
   * more.
   */
  #tellIfDue(now: number): void {
    const state = this.#state
    if (state.tellAt === undefined || state.tellAt > now) return
    // It was due before: the service was down, for example, or a firing that was over goes on.
    const allowed = findAllowedTime(this.rule, now)
    if (allowed > now) {
      state.tellAt = allowed
      return
    }
    delete state.tellAt
    const isRepeat = state.toldEpisode === state.episode
    // The rule may have been changed since.
    if (isRepeat && this.rule.remindAfter === undefined) return
    if (isRepeat) state.repeats = (state.repeats ?? 0) + 1
    const causes: readonly Cause[] = [state, ...(state.others ?? []).map(cause => ({ cause }))]
    const readable = causes.find(cause => this.isReadable(cause))
    delete state.others
    if (!readable) {
      // It counts, and the next one is later: otherwise this one would stay due.
      if (isRepeat) this.#planRepeat(now, now)
      return
    }
    if (readable.cause !== undefined) state.cause = readable.cause
    state.toldAt = now
    state.toldEpisode = state.episode
    this.tellings.push({
      kind: 'fired',
      episode: state.episode,
      repeat: state.repeats ?? 0,
      time: state.firedAt ?? now,
      ...getCause(state)
    })
  }

  /** Plans the next message about a firing that goes on without an acknowledgement. `last`: when the last one was due. */
  #planRepeat(last: number | undefined, now: number): void {
    const { remindAfter } = this.rule
    const { episode, isOpen, repeats = 0, tellAt, toldEpisode } = this.#state
    if (remindAfter === undefined || isOpen !== true || tellAt !== undefined) return
    if (last === undefined || toldEpisode !== episode || repeats >= maxRepeats) return
    this.#state.tellAt = findAllowedTime(this.rule, Math.max(now, last + remindAfter))
  }
}

/** Returns when a rule has something to do that no data causes, in seconds; `undefined` if never. */
export function findNextTime({ condition }: Rule, { holdsSince, tellAt }: RuleState): number | undefined {
  const hold = 'for' in condition ? (condition.for ?? 0) : 0
  const next = Math.min(holdsSince === undefined ? Infinity : holdsSince + hold, tellAt ?? Infinity)
  return next === Infinity ? undefined : next
}

/** Returns the state of a rule that begins now. */
export function createState(now: number): RuleState {
  return { isFiring: false, activeFrom: now, evaluatedTo: now, episode: 0 }
}

/**
 * Returns the state of a rule that begins again: what people were told is remembered, but not what it waits
 * for.
 */
export function restartState({ episode, firedAt, toldAt, toldEpisode }: RuleState, now: number): RuleState {
  return {
    ...createState(now),
    episode,
    ...(firedAt !== undefined && { firedAt }),
    // The clock may have been set back since.
    ...(toldAt !== undefined && { toldAt: Math.min(toldAt, now) }),
    ...(toldEpisode !== undefined && { toldEpisode })
  }
}

/** Returns whether each time that a condition is met is an episode of its own. */
export function isMomentary({ condition: { kind } }: Rule): boolean {
  return kind === 'arrived' || kind === 'looked' || kind === 'words'
}

function setCause(state: Changing, { cause, value }: Cause): void {
  delete state.cause
  delete state.value
  if (cause !== undefined) state.cause = cause
  if (value !== undefined) state.value = value
}

function getCause({ cause, value }: RuleState): Cause {
  return { ...(cause !== undefined && { cause }), ...(value !== undefined && { value }) }
}
