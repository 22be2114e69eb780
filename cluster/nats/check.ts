/**
 * Checks at the start of a node that the engine does not lose acknowledged writes: its version, its settings, and its
 * streams.
 */
import { EngineUnavailable } from '../engine.js'
import { formatList } from './format-list.js'
import { objectsStream } from './object-subjects.js'
import {
  fetchJetStreamState,
  fetchServerState,
  type JetStreamState,
  type ServerState,
  type StreamState
} from './monitor.js'
import { bucketStream, platformStream, shardCount, shardStream } from './subjects.js'

/** The engine could lose acknowledged writes, or is not set up. */
export class EngineUnfit extends Error {
  constructor(
    /** The problems, each with what to do. */
    readonly problems: readonly string[]
  ) {
    super(`The engine of the cluster cannot be used:\n${problems.map(problem => `- ${problem}`).join('\n')}`)
    this.name = 'EngineUnfit'
  }
}

/** Number of servers, and of replicas of each stream, needed to tolerate the loss of one server. */
const minReplicas = 3
/** The first version that syncs each message once, and recovers from being killed. */
const firstVersion = [2, 15, 1]
/** Minimum size of a message for records and calls between nodes, in bytes. */
const minPayloadBytes = 8 * 1024 * 1024

export interface CheckOptions {
  /** Monitoring addresses, one of each server. */
  readonly monitors: readonly string[]
  /** True if the engine also stores attachments and snapshots. */
  readonly hasObjects: boolean
}

/**
 * Checks the servers, and resolves with the addresses of those that did not answer: one of three may be down. Rejects
 * with {@link EngineUnfit}, or with `EngineUnavailable` if most servers do not answer.
 */
export async function checkEngine({ hasObjects, monitors }: CheckOptions): Promise<string[]> {
  if (monitors.length < minReplicas)
    throw new EngineUnfit([
      `cluster.engineMonitors lists ${monitors.length} of the servers, but at least ${minReplicas} are required. Add the "http" address of each server`
    ])
  const servers = await Promise.all(
    monitors.map(async monitor => ({
      monitor,
      server: await fetchServerState(monitor),
      jetStream: await fetchJetStreamState(monitor)
    }))
  )
  const silent = servers
    .filter(({ jetStream, server }) => !server || !jetStream)
    .map(({ monitor }) => monitor)
  if (silent.length > (monitors.length - 1) / 2)
    throw new EngineUnavailable(new Error(`No response from ${silent.join(', ')}`))
  const problems = [
    ...findDuplicates(servers),
    ...servers.flatMap(({ jetStream, monitor, server }) =>
      server && jetStream ? findServerProblems(monitor, server, jetStream) : []
    ),
    ...findStreamProblems(
      servers.flatMap(({ jetStream }) => jetStream?.streams ?? []),
      hasObjects
    )
  ]
  if (problems.length > 0) throw new EngineUnfit(problems)
  return silent
}

/** Finds addresses of the same server, which would be compared with itself. */
function findDuplicates(servers: readonly { monitor: string; server: ServerState | undefined }[]): string[] {
  const seen = new Map<string, string>()
  return servers.flatMap(({ monitor, server }) => {
    if (!server) return []
    const other = seen.get(server.server_id)
    seen.set(server.server_id, monitor)
    return other === undefined ? [] : [`${other} and ${monitor} are the same server. List each server once`]
  })
}

/** Returns what makes a server unsuitable; empty if nothing does. */
function findServerProblems(
  monitor: string,
  { max_payload, server_name, version }: ServerState,
  { isEnabled, syncsAlways }: JetStreamState
): string[] {
  const problems: string[] = []
  const add = (problem: string): void => void problems.push(`${server_name} (${monitor}) ${problem}`)
  if (isOlder(version)) add(`has version ${version}. Install ${firstVersion.join('.')} or later`)
  if (!isEnabled) add('runs without JetStream. Add "jetstream" to its configuration')
  else if (!syncsAlways)
    add('acknowledges writes before they are on disk. Set "sync_interval: always" in "jetstream"')
  if (max_payload < minPayloadBytes)
    add(`accepts only ${max_payload} bytes per message. Set "max_payload: 8MB"`)
  return problems
}

function isOlder(version: string): boolean {
  const parts = version.split(/[.-]/).map(Number)
  for (const [index, first] of firstVersion.entries()) {
    const part = parts[index] ?? 0
    if (part !== first) return !(part > first)
  }
  // A pre-release version, such as 2.15.1-dev.
  return version.includes('-')
}

/** Returns problems of the cluster's streams: missing streams, too few replicas, and other unsuitable settings. */
function findStreamProblems(
  copies: readonly ReadonlyMap<string, StreamState>[],
  hasObjects: boolean
): string[] {
  const names = [
    platformStream,
    bucketStream,
    ...Array.from({ length: shardCount }, (_, shard) => shardStream(shard)),
    ...(hasObjects ? [objectsStream] : [])
  ]
  const streams = names.map(name => ({
    name,
    config: copies.find(copy => copy.has(name))?.get(name)?.config
  }))
  const missing = streams.filter(({ config }) => !config).map(({ name }) => name)
  return [
    ...(missing.length > 0 ? [`It has no stream ${formatList(missing)}. Run "coffer cluster init"`] : []),
    ...describeWrong(
      streams,
      `fewer than ${minReplicas} replicas`,
      ({ num_replicas = 1 }) => num_replicas < minReplicas
    ),
    ...describeWrong(streams, 'a storage other than files', ({ storage }) => storage !== 'file'),
    ...describeWrong(
      streams,
      'a discard policy other than refusing new messages',
      ({ discard }) => discard !== 'new'
    )
  ]
}

function describeWrong(
  streams: readonly { name: string; config: StreamState['config'] }[],
  what: string,
  isWrong: (config: NonNullable<StreamState['config']>) => boolean
): string[] {
  const names = streams.flatMap(({ config, name }) => (config && isWrong(config) ? [name] : []))
  return names.length > 0 ? [`${formatList(names)} has ${what}. Run "coffer cluster init"`] : []
}
