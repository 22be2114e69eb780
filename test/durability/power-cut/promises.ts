/** What a client was promised: its calls in order, and what each of them changes. */
import type { Entry } from './recording.js'

/** Changes of one transaction: new values by key, `undefined` for what is removed. */
export type Step = ReadonlyMap<string, string | undefined>

export interface Call {
  /** Monotonic time in nanoseconds. */
  readonly begun: number
  /** Applied in this order, each completely or not at all. */
  readonly steps: readonly Step[]
  /** Local port of the connection, once there is a response. */
  port?: number
}

/** The calls of one client. */
export class Promises {
  readonly calls: Call[] = []
  #answered: number[] = []
  #count = 0
  #state = new Map<string, string>()

  constructor(readonly owner: string) {}

  /** Returns to the start of a recording; finds the entries at which responses began to be sent. */
  begin(sent: ReadonlyMap<number, readonly Sending[]>): void {
    this.#count = 0
    this.#state = new Map()
    this.#answered = this.calls.map(({ begun, port }) => {
      const first = sent.get(port ?? 0)?.find(({ at }) => at > begun)
      if (!first) throw new Error(`Nobody saw how a call of ${this.owner} was answered`)
      return first.index
    })
  }

  /** Indexes of the entries at which the calls were answered. */
  get answers(): readonly number[] {
    return this.#answered
  }

  /** Whether anything must exist at this point. */
  get isKept(): boolean {
    return this.#state.size > 0
  }

  /** Whether everything may be gone, if the pending call is further than its response. */
  get mayBeGone(): boolean {
    const state = new Map(this.#state)
    return (this.calls[this.#count]?.steps ?? []).some(step => {
      take(state, step)
      return state.size === 0
    })
  }

  /** Advances to a later entry: calls answered by then must be stored. */
  advance(index: number): void {
    while (this.#count < this.calls.length && this.#answered[this.#count]! <= index)
      for (const step of this.calls[this.#count++]!.steps) take(this.#state, step)
  }

  /** Returns what differs from the promises; `undefined` if it matches, or is ahead by steps of the next call. */
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

/** Something sent, as entry `index`. */
export interface Sending {
  readonly index: number
  readonly at: number
}

/** Returns everything that was sent, by the recipient's port. */
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
