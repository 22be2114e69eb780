/** The state of a node in its register. */
import type { RegisterValue } from '../engine.js'
import { readJson } from './json.js'

/** Properties of a node that do not change while it runs. */
export interface NodeFacts {
  /** Version of its software. */
  readonly software: string
  /** Version of the schema of its files: shards move only to nodes that have the same or a later one. */
  readonly schema: number
  /** The node's own URL for clients; empty if it has none. */
  readonly url: string
}

/** The content of a node's register. */
export interface NodeState extends NodeFacts {
  /** Counts the lives of a node, from 1. A node that was declared dead begins another life, without shards. */
  readonly incarnation: number
  /** `leaving`: takes no more shards. `ended`: has given up all of them. `dead`: other nodes have ended its life. */
  readonly state: 'alive' | 'leaving' | 'ended' | 'dead'
  /** Distinguishes the process from others that were started as the same node. */
  readonly process: string
  /** Start of the process, in seconds since the Unix epoch; for information only. */
  readonly started: number
  /** Number of the heartbeat within the incarnation. */
  readonly beat: number
}

/** Returns the key of a node's register. */
export function nodeKey(node: string): string {
  return `node.${node}`
}

const states: readonly unknown[] = ['alive', 'leaving', 'ended', 'dead'] satisfies NodeState['state'][]

/** Parses a node's register; `undefined` if it cannot be read. */
export function parseNodeState({ bytes }: Pick<RegisterValue, 'bytes'>): NodeState | undefined {
  const state: Partial<NodeState> | undefined = readJson(bytes)
  const isKnown =
    Number.isSafeInteger(state?.incarnation) &&
    Number.isSafeInteger(state?.schema) &&
    states.includes(state?.state) &&
    [state?.software, state?.url, state?.process].every(each => typeof each === 'string')
  return isKnown ? (state as NodeState) : undefined
}
