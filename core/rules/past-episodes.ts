/** Replays what has happened, and lists when a rule would have fired. (docs/api/rules.md#testing-a-rule) */
import type { Rule } from '../../schemas/rule.js'
import { createState, Episodes, type Verdict } from './episodes.js'

/** The times that are tested, in seconds. */
export interface PastSpan {
  readonly from: number
  readonly to: number
}

/** When a rule would have fired. Times in seconds. */
export interface Firing {
  readonly time: number
  /** When it would have been over. */
  readonly recovered?: number
  /** When a message would have been sent; absent if the last one was too recent, or it was over by then. */
  readonly told?: number
}

/** Maximum number of firings that are listed. */
export const maxFirings = 200

/** Collects the firings of one rule as its past is replayed. */
export class PastEpisodes {
  readonly #episodes: Episodes
  readonly #firings: { -readonly [K in keyof Firing]: Firing[K] }[] = []
  #tellings = 0
  #first = 0

  constructor(rule: Rule, from: number) {
    this.#episodes = new Episodes({ ...rule, isActive: true }, createState(from))
  }

  /** Firings so far. */
  get firings(): readonly Firing[] {
    return this.#firings
  }

  /** Whether as many firings are listed as may be. */
  get isFull(): boolean {
    return this.#firings.length >= maxFirings
  }

  /** Adds a reading; see {@link Episodes.step}. */
  step(time: number, verdict: Verdict): void {
    this.advance(time)
    this.#episodes.step(time, verdict, { now: time })
    this.#note(time)
  }

  /** Adds data that ends a silence. */
  restart(time: number): void {
    this.advance(time)
    this.#episodes.restart(time, { now: time })
    this.#note(time)
  }

  /** Adds something that happens in a moment. */
  happen(time: number): void {
    this.advance(time)
    this.#episodes.happen(time, { now: time })
    this.#note(time)
  }

  /** Adds a position that is where the person is, not where they have gone: it is no firing. */
  beginUntold(): void {
    this.#episodes.beginUntold()
    this.#first = this.#episodes.state.episode
  }

  /** Does what is due until a time. */
  advance(until: number): void {
    let last = -Infinity
    for (;;) {
      const { next } = this.#episodes
      if (next === undefined || next > until || next <= last) return
      this.#episodes.advance(next)
      this.#note(next)
      last = next
    }
  }

  #note(now: number): void {
    const { state, tellings } = this.#episodes
    const count = state.episode - this.#first
    if (count > this.#firings.length) this.#firings.push({ time: state.firedAt ?? now })
    const last = this.#firings.at(-1)
    if (!last) return
    if (!state.isFiring && state.recoveredAt !== undefined && state.recoveredAt >= last.time)
      last.recovered ??= state.recoveredAt
    for (; this.#tellings < tellings.length; this.#tellings++)
      if (tellings[this.#tellings]!.kind === 'fired') last.told ??= now
  }
}
