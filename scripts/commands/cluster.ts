/** `coffer cluster`: prepares the engine of a cluster, shows its nodes, and moves what they serve. (docs/cluster.md) */
import { connectEngine } from '../../cluster/connect.js'
import { areInEngine, openObjects } from '../../cluster/objects/open.js'
import { makeStreams, streamsOf } from '../../cluster/nats/streams.js'
import { Members } from '../../cluster/nodes/members.js'
import { placedIn, shardOf } from '../../cluster/nodes/places.js'
import type { NatsEngine } from '../../cluster/nats-engine.js'
import type { Settings } from '../../core/settings/settings.js'
import { controlledIn, controlMessage, type Control } from '../../server/nodes/control.js'
import { print, type JsonOption } from '../terminal/answer.js'
import { checkedSettings } from '../terminal/checked-settings.js'
import { counted } from '../terminal/counted.js'
import { split, UsageError } from '../terminal/operands.js'

export interface ClusterInitOptions extends JsonOption {
  readonly shardBytes: string
  readonly objectBytes: string
}

/** Time within which a node moves what it is asked to move, in milliseconds. */
const movingMs = 20_000
const mebibyte = 1024 * 1024
/** Bytes of the log of the platform, and of the registers. */
const [platformBytes, bucketBytes] = [1024 * mebibyte, 64 * mebibyte]

/**
 * Makes the streams of the engine, or gives those that are there their limits. A cluster that has no accounts yet gets those of
 * the data directory.
 */
export async function initCluster(args: readonly string[], options: ClusterInitOptions): Promise<void> {
  const { flags } = split(args)
  const settings = await settingsOf(flags)
  const { cluster } = settings
  const shardBytes = bytesIn('--shard-bytes', options.shardBytes)
  const objectBytes = areInEngine(cluster.objects) ? bytesIn('--object-bytes', options.objectBytes) : 0
  await withEngine(cluster, async engine => {
    const streams = streamsOf({ shardBytes, objectBytes, platformBytes, bucketBytes })
    await makeStreams(engine, streams)
    // It needs all of the service, which other commands are not to load.
    const { beginCluster } = await import('../maintenance/begin-cluster.js')
    const accounts = await beginCluster(settings, engine, openObjects(cluster.objects, engine))
    const made = `The engine has ${streams.length} streams`
    print(
      options.json,
      { streams: streams.length, accounts },
      accounts === 0 ? made : `${made}, and the cluster ${counted(accounts, 'account')}`
    )
  })
}

/** Prints the nodes, and how many shards each serves. */
export async function clusterStatus(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags } = split(args)
  const { cluster } = await settingsOf(flags)
  await withEngine(cluster, async ({ register }) => {
    const members = new Members()
    members.update(await register.list('node.'))
    const shards = (await register.list('shard.')).map(each => ({ shard: shardOf(each), ...placedIn(each) }))
    const nodes = members.all.map(({ incarnation, node, software, state, url }) => ({
      node,
      state,
      software,
      url,
      shards: shards
        .filter(each => each.node === node && each.incarnation === incarnation)
        .map(({ shard }) => shard)
    }))
    const lines = nodes.map(
      each => `${each.node}\t${each.state}\t${each.software}\t${each.shards.length} shards\t${each.url}`
    )
    print(json, { nodes }, ...lines)
  })
}

/** Moves a shard to a node, where it stays while that lives. */
export async function moveShard(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags, operands } = split(args, 'shard', 'node')
  const [shardText = '', to = ''] = operands
  const shard = Number(shardText)
  const { cluster } = await settingsOf(flags)
  await withEngine(cluster, async engine => {
    const placed = (await engine.register.list('shard.')).find(each => shardOf(each) === shard)
    if (!/^\d+$/.test(shardText) || !placed) throw new UsageError(`There is no shard ${shardText}`)
    await ask(engine, placedIn(placed).node, { do: 'move', shard, to }, json)
  })
}

/** Has a node give all shards to others, before it is stopped. */
export async function drainNode(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags, operands } = split(args, 'node')
  const { cluster } = await settingsOf(flags)
  await withEngine(cluster, engine => ask(engine, operands[0]!, { do: 'drain' }, json))
}

async function settingsOf(flags: readonly string[]): Promise<Settings> {
  const settings = await checkedSettings(flags)
  if (settings.cluster.engine === '') throw new UsageError('cluster.engine names no engine: set it first')
  return settings
}

async function withEngine(
  settings: Settings['cluster'],
  work: (engine: NatsEngine) => Promise<void>
): Promise<void> {
  const engine = await connectEngine({ ...settings, node: 'coffer-cluster' })
  try {
    await work(engine)
  } finally {
    await engine.close()
  }
}

async function ask(engine: NatsEngine, node: string, control: Control, json?: true): Promise<void> {
  const answer = controlledIn(await engine.send(node, controlMessage(control), movingMs))
  print(json, answer, answer.message)
  if (!answer.ok) process.exitCode = 1
}

function bytesIn(option: string, text: string): number {
  const bytes = Number(text)
  if (!Number.isSafeInteger(bytes) || bytes < mebibyte)
    throw new UsageError(`${option} has to be a number of bytes, 1048576 at least`)
  return bytes
}
