/** What a node says of itself in its register. */
import type { RegisterValue } from '../engine.js'
import { readJson } from './json.js'

/** What a node says of itself. */
export interface NodeFacts {
  /** Version of its software. */
  readonly software: string
  /** Version of the schema of its files: shards move only to nodes that have the same or a later one. */
  readonly schema: number
  /** Its own URL for clients; empty if it has none. */
  readonly url: string
}

/** The register of a node. */
export interface NodeState extends NodeFacts {
  /** Counts the lives of a node, from 1. Whoever was declared dead begins another one, with nothing. */
  readonly incarnation: number
  /** `leaving`: takes no shards any more. `ended`: it has given up all of them. `dead`: others have ended its life. */
  readonly state: 'alive' | 'leaving' | 'ended' | 'dead'
  /** Tells the process from others that were started as the same node. */
  readonly process: string
  /** Time of the start of the process, seconds since the Unix epoch; for people only. */
  readonly started: number
  /** Number of the heartbeat within the incarnation. */
  readonly beat: number
}

/** The key of a node's register. */
export function nodeKey(node: string): string {
  return `node.${node}`
}

const states: readonly unknown[] = ['alive', 'leaving', 'ended', 'dead'] satisfies NodeState['state'][]

/** What a node says of itself in its register; `undefined` if that cannot be read. */
export function parseNodeState({ bytes }: Pick<RegisterValue, 'bytes'>): NodeState | undefined {
  const state: Partial<NodeState> | undefined = readJson(bytes)
  const isKnown =
    Number.isSafeInteger(state?.incarnation) &&
    Number.isSafeInteger(state?.schema) &&
    states.includes(state?.state) &&
    [state?.software, state?.url, state?.process].every(each => typeof each === 'string')
  return isKnown ? (state as NodeState) : undefined
}
