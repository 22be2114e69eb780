/** An overview of all nodes of a cluster: the shards that each serves, and all alarms. */
import type { Register } from '../engine.js'
import { Members, type Member } from './members.js'
import { allShards, parsePlacement, parseShard, type ShardPlacement } from './shard-placement.js'

/** A node, and the shards that it serves. */
export interface SeenNode extends Pick<Member, 'node' | 'software' | 'state' | 'url'> {
  readonly shards: readonly number[]
}

/** An alarm, and the nodes that have raised it; empty if it was raised by the overview. */
export interface SeenAlarm {
  readonly kind: string
  readonly about: string
  readonly text: string
  readonly nodes: readonly string[]
}

/** Requests the alarms of a node; `undefined` if it does not answer. */
export type RequestAlarms = (node: string) => Promise<readonly Omit<SeenAlarm, 'nodes'>[] | undefined>

/**
 * Creates the overview. Its alarms are those of the nodes that are up, and those of the overview: dead nodes, shards that
 * no node serves, and nodes that are up but do not answer. Rejects with `EngineUnavailable`.
 */
export async function createOverview(
  register: Pick<Register, 'list'>,
  ask: RequestAlarms
): Promise<{ nodes: SeenNode[]; alarms: SeenAlarm[] }> {
  const members = new Members()
  members.update(await register.list('node.'))
  const placed = await readPlacements(register)
  const known = members.all.toSorted((one, other) => (one.node < other.node ? -1 : 1))
  const nodes = known.map(({ incarnation, node, software, state, url }) => ({
    node,
    state,
    software,
    url,
    shards: Array.from(placed)
      .filter(([, each]) => each.node === node && each.incarnation === incarnation)
      .map(([shard]) => shard)
  }))
  const served = new Set(nodes.flatMap(({ shards, state }) => (isUp(state) ? shards : [])))
  const unserved = allShards.filter(shard => !served.has(shard))
  const up = nodes.filter(({ state }) => isUp(state)).map(({ node }) => node)
  const alarms = [
    ...nodes.filter(({ state }) => state === 'dead').map(({ node }) => createDeadNodeAlarm(node)),
    ...(unserved.length > 0 ? [createUnservedAlarm(unserved)] : []),
    ...(await collectAlarms(up, ask))
  ]
  return { nodes, alarms }
}

/** Reads the placements of shards, without those whose registers cannot be read. */
async function readPlacements(register: Pick<Register, 'list'>): Promise<Map<number, ShardPlacement>> {
  const placed = new Map<number, ShardPlacement>()
  for (const each of await register.list('shard.')) {
    const place = parsePlacement(each)
    if (place) placed.set(parseShard(each), place)
  }
  return placed
}

/** Collects the alarms of nodes, each once, and alarms for nodes that do not answer. */
async function collectAlarms(nodes: readonly string[], ask: RequestAlarms): Promise<SeenAlarm[]> {
  const alarms = new Map<string, SeenAlarm>()
  const answers = await Promise.all(nodes.map(async node => ({ node, answer: await ask(node) })))
  for (const { answer, node } of answers)
    for (const { about, kind, text } of answer ?? [createSilentNodeAlarm(node)]) {
      const key = `${kind} ${about}`
      alarms.set(key, { kind, about, text, nodes: [...(alarms.get(key)?.nodes ?? []), node] })
    }
  return Array.from(alarms.values())
}

function isUp(state: string): boolean {
  return state === 'alive' || state === 'leaving'
}

function createDeadNodeAlarm(node: string): SeenAlarm {
  const text = `${node} stopped responding, and other nodes have taken over its shards. Start it, or replace its machine. To remove it from the cluster, run "coffer cluster drain ${node}"`
  return { kind: 'node', about: node, text, nodes: [] }
}

function createSilentNodeAlarm(node: string): SeenAlarm {
  return {
    kind: 'node',
    about: node,
    text: `${node} is not responding. Check whether it is running`,
    nodes: []
  }
}

function createUnservedAlarm(shards: readonly number[]): SeenAlarm {
  const text = `No node serves ${shards.length === 1 ? 'shard' : 'shards'} ${shards.join(', ')}. Start nodes, or check their logs if they are running`
  return { kind: 'shards', about: 'shards', text, nodes: [] }
}
