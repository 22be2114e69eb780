/** The nodes of a cluster as one of them sees them: who lives, and who has been silent for too long. */
import type { RegisterValue } from '../engine.js'
import { parseNodeState, type NodeState } from './node-state.js'

/** A node. */
export interface Member extends NodeState {
  readonly node: string
  readonly revision: number
  /** Whether its register cannot be read: it is as it was known before, if at all. */
  readonly isUnreadable: boolean
  /** When its register was first seen like this, by the clock of `performance.now`. */
  readonly seenMs: number
}

/** A life of a node. */
export interface Life {
  readonly node: string
  readonly incarnation: number
}

/** A node whose register cannot be read. It may live, and serve something. */
const unknownState: NodeState = {
  software: '',
  schema: 0,
  url: '',
  incarnation: 0,
  state: 'leaving',
  process: '',
  started: 0,
  beat: 0
}

export class Members {
  readonly #members = new Map<string, Member>()

  /** Takes note of registers. Reads may come from a copy that lags behind: what is older than what is known is ignored. */
  update(registers: readonly RegisterValue[]): void {
    for (const register of registers) {
      const node = register.key.slice('node.'.length)
      const known = this.#members.get(node)
      if (known && known.revision >= register.revision) continue
      const { revision } = register
      const state = parseNodeState(register)
      const isUnreadable = state === undefined
      const seenMs = performance.now()
      this.#members.set(node, { ...unknownState, ...known, ...state, isUnreadable, node, revision, seenMs })
    }
  }

  get all(): Member[] {
    return Array.from(this.#members.values())
  }

  find(node: string): Member | undefined {
    return this.#members.get(node)
  }

  /** Those that serve, or still do. */
  get living(): Member[] {
    return this.all.filter(({ state }) => state === 'alive' || state === 'leaving')
  }

  /** Whether a life is certain to have ended. Nobody else is meant than those whose registers say so. */
  hasEnded({ incarnation, node }: Life): boolean {
    const member = this.#members.get(node)
    if (!member || member.incarnation < incarnation) return false
    return member.incarnation > incarnation || member.state === 'dead' || member.state === 'ended'
  }

  /** Those that have been silent for so many milliseconds. */
  listSilent(milliseconds: number): Member[] {
    const untilMs = performance.now() - milliseconds
    return this.living.filter(({ seenMs }) => seenMs <= untilMs)
  }
}
