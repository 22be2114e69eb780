/**
 * Inspects the engine while nodes run: whether copies agree and servers answer, and how much space their logs have
 * left.
 */
import type { Alarm } from '../alarm.js'
import { translateRefusal, callApi } from './jetstream.js'
import type { ReadContext } from './last.js'
import { formatList } from './format-list.js'
import { fetchServerState, type ServerState } from './monitor.js'
import { objectsStream } from './object-subjects.js'
import { bucketStream, platformStream, shardCount, shardStream } from './subjects.js'
import type { Replicas } from './replicas.js'

/** The size of a stream, and its copies. */
export interface StreamUse {
  readonly stream: string
  readonly messages: number
  readonly bytes: number
  /** Maximum size in bytes; beyond it, writes are refused. */
  readonly limitBytes: number
  /** Number of servers whose copies are complete, according to the leader. */
  readonly current: number
}

export interface EngineReport {
  readonly alarms: readonly Alarm[]
  readonly streams: readonly StreamUse[]
}

interface StreamPage {
  readonly total: number
  readonly streams?: readonly {
    readonly config: { readonly name: string; readonly max_bytes: number }
    readonly state: { readonly messages: number; readonly bytes: number }
    readonly cluster?: {
      readonly leader?: string
      readonly replicas?: readonly { readonly current?: boolean; readonly offline?: boolean }[]
    }
  }[]
}

/** Share of its limit at which a stream raises an alarm. */
export const fullShare = 0.7
/** Number of servers that have each stream. */
const copies = 3
/** Time limit for listing streams, in milliseconds. */
const listTimeoutMs = 5000
/** The streams of the cluster; others in the same engine are ignored. */
const clusterStreams: ReadonlySet<string> = new Set([
  platformStream,
  bucketStream,
  objectsStream,
  ...Array.from({ length: shardCount }, (_, shard) => shardStream(shard))
])

export class EngineMonitor {
  /** Streams that were incomplete on some server at the last inspection. */
  #incomplete: ReadonlySet<string> = new Set()

  /** `monitors`: the monitoring addresses of servers. Without `replicas`, copies are not compared. */
  constructor(
    private readonly engine: ReadContext,
    private readonly monitors: readonly string[] = [],
    private readonly replicas?: Replicas
  ) {}

  /**
   * Inspects the engine, and moves leadership to complete copies. Rejects with `EngineUnavailable`. Also
   * reports the use of each stream, and alarms.
   */
  async inspect(): Promise<EngineReport> {
    const [streams, servers, replicaAlarms] = await Promise.all([
      this.#listStreams(),
      Promise.all(this.monitors.map(monitor => fetchServerState(monitor))),
      this.replicas?.repairLeaders() ?? []
    ])
    const silent = this.#findSilent(servers)
    const missing = silent.length > 0 ? [] : this.#findMissing(streams)
    const runs = servers.flatMap(server => (server ? [[server.server_name, server.server_id] as const] : []))
    const damaged = this.engine.damaged?.alarms(new Map(runs)) ?? []
    return {
      streams,
      alarms: [...replicaAlarms, ...damaged, ...silent, ...missing, ...streams.flatMap(createLimitAlarms)]
    }
  }

  /** Lists the streams of the cluster with their use and the number of complete replicas, page by page. */
  async #listStreams(): Promise<StreamUse[]> {
    const found: StreamUse[] = []
    for (let offset = 0; ;) {
      const page = await this.#readPage(offset)
      const streams = page.streams ?? []
      for (const { cluster, config, state } of streams)
        if (clusterStreams.has(config.name))
          found.push({
            stream: config.name,
            messages: state.messages,
            bytes: state.bytes,
            limitBytes: config.max_bytes,
            current:
              (cluster?.replicas ?? []).filter(({ current, offline }) => current && !offline).length +
              (cluster?.leader ? 1 : 0)
          })
      offset += streams.length
      if (streams.length === 0 || offset >= page.total) return found
    }
  }

  async #readPage(offset: number): Promise<StreamPage> {
    return await translateRefusal(
      callApi<StreamPage>(this.engine.connection, 'STREAM.LIST', { offset }, listTimeoutMs)
    )
  }

  /**
   * Raises an alarm for streams that are incomplete on some server, now and at the last inspection: a server that was
   * just started catches up.
   */
  #findMissing(streams: readonly StreamUse[]): Alarm[] {
    const incomplete = streams.filter(({ current }) => current < copies).map(({ stream }) => stream)
    const lasting = incomplete.filter(stream => this.#incomplete.has(stream))
    this.#incomplete = new Set(incomplete)
    if (lasting.length === 0) return []
    const text = `Not all ${copies} servers have a complete replica of ${formatList(lasting)}. Check whether one is down or cannot read its replica, and have that replica rebuilt`
    return [{ kind: 'replica', about: 'streams', text }]
  }

  #findSilent(servers: readonly (ServerState | undefined)[]): Alarm[] {
    return this.monitors
      .filter((_, index) => !servers[index])
      .map(monitor => ({
        kind: 'server',
        about: monitor,
        text: `The engine server monitored at ${monitor} is not responding. Start it, or replace its machine`
      }))
  }
}

function createLimitAlarms({ bytes, limitBytes, stream }: StreamUse): Alarm[] {
  if (limitBytes <= 0 || bytes < fullShare * limitBytes) return []
  const percent = Math.floor((100 * bytes) / limitBytes)
  return [
    {
      kind: 'limit',
      about: stream,
      text: `${stream} uses ${percent}% of its space. Increase its limit with "coffer cluster init", and check that snapshots are being made`
    }
  ]
}
