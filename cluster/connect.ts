/** Connects to the services that the nodes of a cluster share, as configured, and checks that they are reliable. */
import type { Engine } from './engine.js'
import { NatsEngine } from './nats-engine.js'
import { EngineMonitor, type EngineReport } from './nats/engine-monitor.js'
import { checkEngine } from './nats/check.js'
import type { LinkStatus } from './nats/connection.js'
import { shardStream } from './nats/subjects.js'
import { Replicas, type ReplicaReport } from './nats/replicas.js'
import { usesEngine, openObjects } from './objects/open.js'
import type { Objects } from './objects.js'

/** The settings of shared services. */
export interface SharedSettings {
  readonly node: string
  /** URLs, separated by commas. */
  readonly engine: string
  readonly engineCredentials: string
  /** URLs, separated by commas; empty: no checks. */
  readonly engineMonitors: string
  readonly objects: string
}

/** The services that the nodes of a cluster share. */
export interface Shared {
  readonly engine: Engine
  readonly objects: Objects
  /**
   * Returns whether the log of a shard is known to be complete where it is read from. Without this method, logs count
   * as complete.
   */
  isLogComplete?(shard: number): Promise<boolean>
  /**
   * Inspects the engine, and moves leadership to complete copies of logs. Rejects with `EngineUnavailable`. Absent: not
   * inspected.
   */
  readonly inspect?: () => Promise<EngineReport>
  /** The status of the connection to the engine; absent if the engine is not reached over a network. */
  readonly linkStatus?: Pick<LinkStatus, 'isUp' | 'reconnects'>
}

/** Maximum time to wait for a complete copy of a log, in milliseconds. */
const completeTimeoutMs = 3000

/** Connects to the engine. Rejects with `EngineUnavailable` if no server answers. */
export async function connectEngine(
  settings: Pick<SharedSettings, 'engine' | 'engineCredentials' | 'node'>
): Promise<NatsEngine> {
  const { engine, engineCredentials, node } = settings
  const credentials = engineCredentials === '' ? undefined : engineCredentials
  return await NatsEngine.connect({ servers: splitList(engine), credentials, name: node })
}

/**
 * Connects to all shared services. Rejects with `EngineUnavailable` if no server answers, with `EngineUnfit`
 * if the engine could lose acknowledged writes. The engine is only checked if its monitoring addresses are
 * set.
 */
export async function connect(settings: SharedSettings): Promise<Shared> {
  const monitors = splitList(settings.engineMonitors)
  if (monitors.length > 0) await checkEngine({ monitors, hasObjects: usesEngine(settings.objects) })
  const engine = await connectEngine(settings)
  const { linkStatus } = engine
  const objects = openObjects(settings.objects, engine)
  if (monitors.length === 0) {
    const watch = new EngineMonitor(engine)
    return { engine, objects, linkStatus, inspect: () => watch.inspect() }
  }
  const replicas = new Replicas(engine, monitors)
  const [soundness, watch] = [new LogVerifier(replicas), new EngineMonitor(engine, monitors, replicas)]
  return {
    engine,
    objects,
    linkStatus,
    isLogComplete: shard => soundness.isComplete(shard),
    inspect: () => watch.inspect()
  }
}

/** Verifies logs. Concurrent requests share a comparison, since many shards are taken over at the same time. */
class LogVerifier {
  #comparing: Promise<ReplicaReport[]> | undefined

  constructor(private readonly replicas: Replicas) {}

  /**
   * Returns whether the log's leader is complete, waiting for that until a timeout; false also if replicas cannot be
   * compared.
   */
  async isComplete(shard: number): Promise<boolean> {
    const stream = shardStream(shard)
    this.#comparing ??= this.replicas.compare().finally(() => (this.#comparing = undefined))
    try {
      const report = (await this.#comparing).find(each => each.stream === stream)
      if (!report?.complete.includes(report.leader))
        await this.replicas.waitUntilComplete(stream, completeTimeoutMs)
      return true
    } catch {
      return false
    }
  }
}

/** Splits a comma-separated list. Empty parts are omitted. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}
