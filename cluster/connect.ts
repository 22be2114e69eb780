/** Connects to what the nodes of a cluster share, as the settings say, and checks that it can be relied upon. */
import type { Engine } from './engine.js'
import { NatsEngine } from './nats-engine.js'
import { EngineMonitor, type EngineReport } from './nats/engine-monitor.js'
import { checkEngine } from './nats/check.js'
import type { LinkStatus } from './nats/connection.js'
import { shardStream } from './nats/subjects.js'
import { Replicas, type ReplicaReport } from './nats/replicas.js'
import { usesEngine, openObjects } from './objects/open.js'
import type { Objects } from './objects.js'

/** The settings that name what is shared. */
export interface SharedSettings {
  readonly node: string
  /** URLs, separated by commas. */
  readonly engine: string
  readonly engineCredentials: string
  /** URLs, separated by commas; empty: nothing is checked. */
  readonly engineMonitors: string
  readonly objects: string
}

/** What the nodes of a cluster share. */
export interface Shared {
  readonly engine: Engine
  readonly objects: Objects
  /** Whether the log of a shard is known to be whole where it is read from. By default it is taken for that. */
  isLogComplete?(shard: number): Promise<boolean>
  /** Looks after the engine, and has sound copies of logs lead. Rejects with `EngineUnavailable`. By default nobody does. */
  readonly inspect?: () => Promise<EngineReport>
  /** How the connection to the engine does, where it is one over a network. */
  readonly linkStatus?: Pick<LinkStatus, 'isUp' | 'reconnects'>
}

/** Longest time for which a sound copy of a log is waited for, in milliseconds. */
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
 * Connects to all that is shared. Rejects with `EngineUnavailable` if no server answers, with `EngineUnfit` if the engine would
 * lose what it acknowledges.
 */
export async function connect(settings: SharedSettings): Promise<Shared> {
  const monitors = splitList(settings.engineMonitors)
  if (monitors.length > 0) await checkEngine({ monitors, hasObjects: usesEngine(settings.objects) })
  const engine = await connectEngine(settings)
  const { linkStatus: link } = engine
  const objects = openObjects(settings.objects, engine)
  if (monitors.length === 0) {
    const watch = new EngineMonitor(engine)
    return { engine, objects, linkStatus: link, inspect: () => watch.inspect() }
  }
  const replicas = new Replicas(engine, monitors)
  const [soundness, watch] = [new LogVerifier(replicas), new EngineMonitor(engine, monitors, replicas)]
  return {
    engine,
    objects,
    linkStatus: link,
    isLogComplete: shard => soundness.isComplete(shard),
    inspect: () => watch.inspect()
  }
}

/** Whether logs are sound, looked at together: many shards are taken over at the same time. */
class LogVerifier {
  #comparing: Promise<ReplicaReport[]> | undefined

  constructor(private readonly replicas: Replicas) {}

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

/** What a setting lists, separated by commas. */
export function splitList(text: string): string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}
