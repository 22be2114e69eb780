/** Connects to what the nodes of a cluster share, as the settings say, and checks that it can be relied upon. */
import type { Engine } from './engine.js'
import { NatsEngine } from './nats-engine.js'
import { EngineCare, type EngineReport } from './nats/care.js'
import { checkEngine } from './nats/check.js'
import type { Link } from './nats/connection.js'
import { shardStream } from './nats/places.js'
import { Replicas, type ReplicaReport } from './nats/replicas.js'
import { areInEngine, openObjects } from './objects/open.js'
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
  isSound?(shard: number): Promise<boolean>
  /** Looks after the engine, and has sound copies of logs lead. Rejects with `EngineUnavailable`. By default nobody does. */
  readonly care?: () => Promise<EngineReport>
  /** How the connection to the engine does, where it is one over a network. */
  readonly link?: Pick<Link, 'isUp' | 'reconnects'>
}

/** Longest time for which a sound copy of a log is waited for, in milliseconds. */
const soundMs = 3000

/** Connects to the engine. Rejects with `EngineUnavailable` if no server answers. */
export async function connectEngine(
  settings: Pick<SharedSettings, 'engine' | 'engineCredentials' | 'node'>
): Promise<NatsEngine> {
  const { engine, engineCredentials, node } = settings
  const credentials = engineCredentials === '' ? undefined : engineCredentials
  return await NatsEngine.connect({ servers: parted(engine), credentials, name: node })
}

/**
 * Connects to all that is shared. Rejects with `EngineUnavailable` if no server answers, with `EngineUnfit` if the engine would
 * lose what it acknowledges.
 */
export async function connect(settings: SharedSettings): Promise<Shared> {
  const monitors = parted(settings.engineMonitors)
  if (monitors.length > 0) await checkEngine({ monitors, hasObjects: areInEngine(settings.objects) })
  const engine = await connectEngine(settings)
  const { link } = engine
  const objects = openObjects(settings.objects, engine)
  if (monitors.length === 0) {
    const watch = new EngineCare(engine)
    return { engine, objects, link, care: () => watch.look() }
  }
  const replicas = new Replicas(engine, monitors)
  const [soundness, watch] = [new Soundness(replicas), new EngineCare(engine, monitors, replicas)]
  return { engine, objects, link, isSound: shard => soundness.of(shard), care: () => watch.look() }
}

/** Whether logs are sound, looked at together: many shards are taken over at the same time. */
class Soundness {
  #looking: Promise<ReplicaReport[]> | undefined

  constructor(private readonly replicas: Replicas) {}

  async of(shard: number): Promise<boolean> {
    const stream = shardStream(shard)
    this.#looking ??= this.replicas.compare().finally(() => (this.#looking = undefined))
    try {
      const report = (await this.#looking).find(each => each.stream === stream)
      if (!report?.sound.includes(report.leader)) await this.replicas.waitUntilSound(stream, soundMs)
      return true
    } catch {
      return false
    }
  }
}

/** What a setting lists, separated by commas. */
export function parted(text: string): string[] {
  return text
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
}
