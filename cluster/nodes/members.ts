/** The nodes of a cluster as seen by one of them: which are alive, and which have been silent for too long. */
import type { RegisterValue } from '../engine.js'
import { parseNodeState, type NodeState } from './node-state.js'

/** A node. */
export interface Member extends NodeState {
  readonly node: string
  readonly revision: number
  /** True if the node's register cannot be read: the last known state is used, if the register was readable before. */
  readonly isUnreadable: boolean
  /** When the node's register was first seen in this state, in the time of `performance.now`. */
  readonly seenMs: number
}

/** A life of a node. */
export interface Life {
  readonly node: string
  readonly incarnation: number
}

/** The state of a node whose register cannot be read. It may be alive, and serve shards. */
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

  /** Updates the known registers. Reads may come from a replica that lags behind: older revisions are ignored. */
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

  /** All nodes whose registers are known, whatever their state. */
  get all(): Member[] {
    return Array.from(this.#members.values())
  }

  /**
   * Finds a node by its name, as far as its register is known here. Returns `undefined` if it is not known.
   */
  find(node: string): Member | undefined {
    return this.#members.get(node)
  }

  /** The nodes that serve, or still do. */
  get living(): Member[] {
    return this.all.filter(({ state }) => state === 'alive' || state === 'leaving')
  }

  /** Returns whether a life is certain to have ended, according to its register. */
  hasEnded({ incarnation, node }: Life): boolean {
    const member = this.#members.get(node)
    if (!member || member.incarnation < incarnation) return false
    return member.incarnation > incarnation || member.state === 'dead' || member.state === 'ended'
  }

  /** Lists the living nodes whose registers have not changed for a number of milliseconds. */
  listSilent(milliseconds: number): Member[] {
    const untilMs = performance.now() - milliseconds
    return this.living.filter(({ seenMs }) => seenMs <= untilMs)
  }
}
