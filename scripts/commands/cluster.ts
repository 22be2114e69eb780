/** `coffer cluster`: prepares the engine of a cluster, and moves what its nodes serve. (docs/cluster.md) */
import { usesEngine, openObjects } from '../../cluster/objects/open.js'
import { createStreams, createStreamConfigs } from '../../cluster/nats/streams.js'
import { removeDeadNode } from '../../cluster/nodes/remove-dead-node.js'
import { parsePlacement, parseShard } from '../../cluster/nodes/shard-placement.js'
import type { Controlled } from '../../server/nodes/control.js'
import { print, type JsonOption } from '../terminal/answer.js'
import { counted } from '../terminal/counted.js'
import { split, UsageError } from '../terminal/operands.js'
import { clusterSettings, haveDone, withEngine } from './cluster-engine.js'

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
  const settings = await clusterSettings(flags)
  const { cluster } = settings
  const shardBytes = bytesIn('--shard-bytes', options.shardBytes)
  const objectBytes = usesEngine(cluster.objects) ? bytesIn('--object-bytes', options.objectBytes) : 0
  await withEngine(cluster, async engine => {
    const streams = createStreamConfigs({ shardBytes, objectBytes, platformBytes, bucketBytes })
    await createStreams(engine, streams)
    // It needs all of the service, which other commands are not to load.
    const { beginCluster } = await import('../maintenance/begin-cluster.js')
    const accounts = await beginCluster(settings, engine, openObjects(cluster.objects, engine))
    const made = `The engine has ${counted(streams.length, 'stream')}`
    print(
      options.json,
      { streams: streams.length, accounts },
      accounts === 0 ? made : `${made}, and the cluster ${counted(accounts, 'account')}`
    )
  })
}

/** Moves a shard to a node, where it stays while that lives. */
export async function moveShard(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags, operands } = split(args, 'shard', 'node')
  const [shardText = '', to = ''] = operands
  const shard = Number(shardText)
  const { cluster } = await clusterSettings(flags)
  await withEngine(cluster, async engine => {
    const found = (await engine.register.list('shard.')).find(each => parseShard(each) === shard)
    const placed = found && parsePlacement(found)
    if (!/^\d+$/.test(shardText) || !placed) throw new UsageError(`Unknown shard ${shardText}`)
    await haveDone(engine, placed.node, { do: 'move', shard, to }, movingMs, json)
  })
}

/** Has a node give all shards to others, before it is stopped. One that is dead already is forgotten. */
export async function drainNode(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags, operands } = split(args, 'node')
  const [node = ''] = operands
  const { cluster } = await clusterSettings(flags)
  await withEngine(cluster, async engine => {
    if (!(await removeDeadNode(engine.register, node)))
      return await haveDone(engine, node, { do: 'drain' }, movingMs, json)
    const message = `${node} is dead and was removed. Other nodes serve its shards`
    print(json, { ok: true, message } satisfies Controlled, message)
  })
}

function bytesIn(option: string, text: string): number {
  const bytes = Number(text)
  if (!Number.isSafeInteger(bytes) || bytes < mebibyte)
    throw new UsageError(`${option} must be a number of bytes, at least 1048576`)
  return bytes
}
