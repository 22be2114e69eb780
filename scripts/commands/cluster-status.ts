/** `coffer cluster status`: the nodes, what they serve, and what has to be looked after. (docs/cluster.md#alarms) */
import type { Alarm } from '../../cluster/alarm.js'
import { Members } from '../../cluster/nodes/members.js'
import { allShards, placedIn, shardOf, type Placed } from '../../cluster/nodes/places.js'
import type { NatsEngine } from '../../cluster/nats-engine.js'
import { controlledIn, controlMessage } from '../../server/nodes/control.js'
import { print, type JsonOption } from '../terminal/answer.js'
import { split } from '../terminal/operands.js'
import { clusterSettings, withEngine } from './cluster-engine.js'

/** An alarm, and the nodes that have raised it; none where the command has found it itself. */
interface Told extends Pick<Alarm, 'text'> {
  readonly kind: string
  readonly about: string
  readonly nodes: readonly string[]
}

/** Time within which a node tells of its alarms, in milliseconds. */
const patienceMs = 5000

/** Prints the nodes, how many shards each serves, and the alarms. Ends with 1 if there are any. */
export async function clusterStatus(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags } = split(args)
  const { cluster } = await clusterSettings(flags)
  await withEngine(cluster, async engine => {
    const members = new Members()
    members.update(await engine.register.list('node.'))
    const placed = await placesOf(engine)
    const nodes = members.all.map(({ incarnation, node, software, state, url }) => ({
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
    const alarms = [
      ...nodes.filter(({ state }) => state === 'dead').map(({ node }) => deadNode(node)),
      ...(unserved.length > 0 ? [unservedShards(unserved)] : []),
      ...(await told(
        engine,
        nodes.filter(({ state }) => isUp(state)).map(({ node }) => node)
      ))
    ]
    const lines = [
      ...nodes.map(
        each => `${each.node}\t${each.state}\t${each.software}\t${each.shards.length} shards\t${each.url}`
      ),
      ...alarms.map(({ kind, text }) => `alarm\t${kind}\t${text}`)
    ]
    print(json, { nodes, alarms }, ...lines)
    if (alarms.length > 0) process.exitCode = 1
  })
}

/** Where shards are. One whose register cannot be read is nowhere. */
async function placesOf({ register }: NatsEngine): Promise<Map<number, Placed>> {
  const placed = new Map<number, Placed>()
  for (const each of await register.list('shard.')) {
    const place = placedIn(each)
    if (place) placed.set(shardOf(each), place)
  }
  return placed
}

/** The alarms of nodes, each once, and the nodes that do not answer. */
async function told(engine: NatsEngine, nodes: readonly string[]): Promise<Told[]> {
  const alarms = new Map<string, Told>()
  const answers = await Promise.all(nodes.map(async node => ({ node, answer: await asked(engine, node) })))
  for (const { answer, node } of answers)
    for (const { about, kind, text } of answer ?? [silentNode(node)]) {
      const key = `${kind} ${about}`
      alarms.set(key, { kind, about, text, nodes: [...(alarms.get(key)?.nodes ?? []), node] })
    }
  return Array.from(alarms.values())
}

async function asked(engine: NatsEngine, node: string): Promise<readonly Told[] | undefined> {
  try {
    const answer = controlledIn(await engine.send(node, controlMessage({ do: 'tell' }), patienceMs))
    return answer.alarms?.map(alarm => ({ ...alarm, nodes: [] }))
  } catch {
    return undefined
  }
}

function isUp(state: string): boolean {
  return state === 'alive' || state === 'leaving'
}

function deadNode(node: string): Told {
  const text = `${node} was silent, and others have taken over what it served: start it, or replace its machine; under another name, "coffer cluster drain ${node}" forgets it`
  return { kind: 'node', about: node, text, nodes: [] }
}

function silentNode(node: string): Told {
  return { kind: 'node', about: node, text: `${node} does not answer: see whether it runs`, nodes: [] }
}

function unservedShards(shards: readonly number[]): Told {
  const text = `Nobody serves ${shards.length === 1 ? 'shard' : 'shards'} ${shards.join(', ')}: start nodes; if they run, see their logs`
  return { kind: 'shards', about: 'shards', text, nodes: [] }
}
