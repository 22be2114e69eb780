/** What a client was promised: the calls it made, one after the other, and what each of them changes. */
import type { Entry } from './recording.js'

/** What is changed at once: new values by key, `undefined` for what is no more. */
export type Step = ReadonlyMap<string, string | undefined>

export interface Call {
  /** Monotonic time in nanoseconds. */
  readonly begun: number
  /** Done in this order, each wholly or not at all. */
  readonly steps: readonly Step[]
  /** Port of the connection, once it has been answered. */
  port?: number
}

/** The calls of one client. */
export class Promises {
  readonly calls: Call[] = []
  #answered: number[] = []
  #count = 0
  #state = new Map<string, string>()

  constructor(readonly owner: string) {}

  /** Goes back to the beginning of a recording; finds out at which entries the answers began to leave. */
  begin(sent: ReadonlyMap<number, readonly Sending[]>): void {
    this.#count = 0
    this.#state = new Map()
    this.#answered = this.calls.map(({ begun, port }) => {
      const first = sent.get(port ?? 0)?.find(({ at }) => at > begun)
      if (!first) throw new Error(`Nobody saw how a call of ${this.owner} was answered`)
      return first.index
    })
  }

  /** Indexes of the entries by which the calls were answered. */
  get answers(): readonly number[] {
    return this.#answered
  }

  /** Whether anything has to be there by now. */
  get isKept(): boolean {
    return this.#state.size > 0
  }

  /** Whether nothing has to be there any more, should the call that is under way be further than its answer. */
  get mayBeGone(): boolean {
    const state = new Map(this.#state)
    return (this.calls[this.#count]?.steps ?? []).some(step => {
      take(state, step)
      return state.size === 0
    })
  }

  /** Goes on to a later entry: what was answered up to it has to be there. */
  advance(index: number): void {
    while (this.#count < this.calls.length && this.#answered[this.#count]! <= index)
      for (const step of this.calls[this.#count++]!.steps) take(this.#state, step)
  }

  /** What is wrong with what was found; nothing if it is as promised, or further by steps of the next call. */
  verify(found: ReadonlyMap<string, string>): string | undefined {
    const problem = difference(found, this.#state)
    const next = this.calls[this.#count]
    if (problem === undefined || !next) return problem
    const state = new Map(this.#state)
    for (const step of next.steps) {
      take(state, step)
      if (difference(found, state) === undefined) return undefined
    }
    return problem
  }
}

/** Something was sent, as entry `index`. */
export interface Sending {
  readonly index: number
  readonly at: number
}

/** Everything that was sent, by the port of who got it. */
export function sendings(entries: readonly Entry[]): Map<number, Sending[]> {
  const sent = new Map<number, Sending[]>()
  for (const [index, { at, detail, kind }] of entries.entries()) {
    if (kind !== 'sent') continue
    const known = sent.get(detail)
    if (known) known.push({ index, at })
    else sent.set(detail, [{ index, at }])
  }
  return sent
}

function take(state: Map<string, string>, step: Step): void {
  for (const [key, value] of step) {
    if (value === undefined) state.delete(key)
    else state.set(key, value)
  }
}

function difference(
  found: ReadonlyMap<string, string>,
  expected: ReadonlyMap<string, string>
): string | undefined {
  for (const [key, value] of expected)
    if (found.get(key) !== value) return `${key} is ${found.get(key)}, not ${value}`
  if (found.size === expected.size) return undefined
  const surplus = [...found.keys()].find(key => !expected.has(key))
  return `${surplus} is ${found.get(surplus!)}, but should not be there`
}
