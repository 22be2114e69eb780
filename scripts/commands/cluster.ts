/**
 * `coffer cluster`: prepares the engine of a cluster, lists nodes and alerts, and moves shards between nodes.
 * (docs/cluster.md)
 */
import { usesEngine, openObjects } from '../../cluster/objects/open.js'
import { createStreams, createStreamConfigs } from '../../cluster/nats/streams.js'
import { removeDeadNode } from '../../cluster/nodes/remove-dead-node.js'
import { parsePlacement, parseShard } from '../../cluster/nodes/shard-placement.js'
import {
  type ControlRequest,
  type ControlResponse,
  encodeControlRequest,
  parseControlResponse,
  requestAlarms
} from '../../server/nodes/control.js'
import { formatCount, type JsonOption, printResult } from '../terminal/output.js'
import { splitArguments, UsageError } from '../terminal/operands.js'
import { createOverview } from '../../cluster/nodes/overview.js'
import { connectEngine } from '../../cluster/connect.js'
import type { NatsEngine } from '../../cluster/nats-engine.js'
import type { Settings } from '../../core/settings/settings.js'
import { loadCheckedSettings } from '../terminal/load-checked-settings.js'

export interface ClusterInitOptions extends JsonOption {
  readonly shardBytes: string
  readonly objectBytes: string
}

/** Timeout for moving shards, in milliseconds. */
const moveTimeoutMs = 20_000
const mebibyte = 1024 * 1024
/** Maximum size of the platform log, and of the registers, in bytes. */
const [platformBytes, bucketBytes] = [1024 * mebibyte, 64 * mebibyte]

/**
 * Creates the engine's streams, or sets the limits of existing ones. A cluster without accounts gets the accounts of the
 * data directory.
 */
export async function initCluster(args: readonly string[], options: ClusterInitOptions): Promise<void> {
  const { flags } = splitArguments(args)
  const settings = await loadClusterSettings(flags)
  const { cluster } = settings
  const shardBytes = parseBytes('--shard-bytes', options.shardBytes)
  const objectBytes = usesEngine(cluster.objects) ? parseBytes('--object-bytes', options.objectBytes) : 0
  await withEngine(cluster, async engine => {
    const streams = createStreamConfigs({ shardBytes, objectBytes, platformBytes, bucketBytes })
    await createStreams(engine, streams)
    // The module is loaded on demand, because it needs the whole service.
    const { createCluster } = await import('../maintenance/create-cluster.js')
    const accounts = await createCluster(settings, engine, openObjects(cluster.objects, engine))
    const summary = `The engine has ${formatCount(streams.length, 'stream')}`
    printResult(
      options.json,
      { streams: streams.length, accounts },
      accounts === 0 ? summary : `${summary}, and the cluster ${formatCount(accounts, 'account')}`
    )
  })
}

/**
 * Moves a shard to a node, where it stays as long as the node is alive. The exit code is 1 if the node
 * refuses. Throws {@link UsageError} if there is no such shard.
 */
export async function moveShard(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags, operands } = splitArguments(args, 'shard', 'node')
  const [shardText = '', to = ''] = operands
  const shard = Number(shardText)
  const { cluster } = await loadClusterSettings(flags)
  await withEngine(cluster, async engine => {
    const found = (await engine.register.list('shard.')).find(each => parseShard(each) === shard)
    const placed = found && parsePlacement(found)
    if (!/^\d+$/.test(shardText) || !placed) throw new UsageError(`Unknown shard ${shardText}`)
    await sendControl(engine, placed.node, { do: 'move', shard, to }, moveTimeoutMs, json)
  })
}

/**
 * Moves all shards of a node to others before it is stopped. A dead node is removed from the cluster instead.
 * The exit code is 1 if the node could not do it.
 */
export async function drainNode(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags, operands } = splitArguments(args, 'node')
  const [node = ''] = operands
  const { cluster } = await loadClusterSettings(flags)
  await withEngine(cluster, async engine => {
    if (!(await removeDeadNode(engine.register, node)))
      return await sendControl(engine, node, { do: 'drain' }, moveTimeoutMs, json)
    const message = `${node} is dead and was removed. Other nodes serve its shards`
    printResult(json, { ok: true, message } satisfies ControlResponse, message)
  })
}

function parseBytes(option: string, text: string): number {
  const bytes = Number(text)
  if (!Number.isSafeInteger(bytes) || bytes < mebibyte)
    throw new UsageError(`${option} must be a number of bytes, at least 1048576`)
  return bytes
}

/** Prints the nodes with their number of shards, and the alerts. The exit code is 1 if there are alerts. */
export async function clusterStatus(args: readonly string[], { json }: JsonOption): Promise<void> {
  const { flags } = splitArguments(args)
  const { cluster } = await loadClusterSettings(flags)
  await withEngine(cluster, async engine => {
    const { alarms, nodes } = await createOverview(
      engine.register,
      async node => await requestAlarms(engine, node)
    )
    const lines = [
      ...nodes.map(
        each =>
          `${each.node}\t${each.state}\t${each.software}\t${formatCount(each.shards.length, 'shard')}\t${each.url}`
      ),
      ...alarms.map(({ kind, text }) => `alert\t${kind}\t${text}`)
    ]
    printResult(json, { nodes, alarms }, ...lines)
    if (alarms.length > 0) process.exitCode = 1
  })
}

/** Reads the settings. Throws `UsageError` if they name no engine. */
export async function loadClusterSettings(flags: readonly string[]): Promise<Settings> {
  const settings = await loadCheckedSettings(flags)
  if (settings.cluster.engine === '') throw new UsageError('cluster.engine is not set')
  return settings
}

/** Runs `work` with the engine that the settings name. Rejects with `EngineUnavailable` if it does not respond. */
export async function withEngine(
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

/** Sends a request to a node and prints its reply. The exit code is 1 if the node did not fulfil it. */
export async function sendControl(
  engine: NatsEngine,
  node: string,
  control: ControlRequest,
  patienceMs: number,
  json?: true
): Promise<void> {
  const answer = parseControlResponse(await engine.send(node, encodeControlRequest(control), patienceMs))
  printResult(json, answer, answer.message)
  if (!answer.ok) process.exitCode = 1
}
