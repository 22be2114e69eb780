/** Metrics of a node of a cluster. (docs/cluster.md#metrics) */
import type { Alarm } from '../../cluster/alarm.js'
import type { EngineReport } from '../../cluster/nats/engine-monitor.js'
import type { LinkStatus } from '../../cluster/nats/connection.js'
import type { NodeState } from '../../cluster/nodes/node-state.js'
import type { Durations, Tally } from '../../cluster/tally.js'
import type { DurationCounts, MetricRegistry } from '../metrics/metric-registry.js'

/** The sources of the metrics. */
interface NodeMetricSources {
  readonly tally: Tally
  readonly link: Pick<LinkStatus, 'isUp' | 'reconnects'> | undefined
  /** Shards that are served here. */
  readonly shards: () => number
  /** Seconds since the last confirmed heartbeat was sent, and whether reads are answered. */
  readonly lease: () => { readonly age: number; readonly isValid: boolean }
  /** The nodes that this one knows. */
  readonly members: () => readonly Pick<NodeState, 'state'>[]
  /** Number of commits that are not in the log yet, and of accounts with such commits. */
  readonly outbox: () => { readonly commits: number; readonly accounts: number }
  /** The last successful check of the engine, and when it was made, in seconds; 0 if never. */
  readonly engineCheck: () => { readonly report: EngineReport | undefined; readonly at: number }
  /** The active alarms of this node. */
  readonly alarms: () => readonly Alarm[]
}

const nodeStates: readonly NodeState['state'][] = ['alive', 'leaving', 'ended', 'dead']

/** Adds the metrics of a node to those of the service. */
export async function addNodeMetrics(registry: MetricRegistry, sources: NodeMetricSources): Promise<void> {
  const { alarmKinds } = await import('../../cluster/alarm.js')
  const { durationBounds } = await import('../../cluster/tally.js')
  const { tally } = sources
  registry.addGauge('coffer_cluster_shards', 'Shards that this node serves', () => sources.shards())
  registry.addGauge(
    'coffer_cluster_nodes',
    'Nodes as this one sees them, by state',
    () => nodeStates.map(state => [sources.members().filter(each => each.state === state).length, { state }]),
    ['state']
  )
  registry.addGauge(
    'coffer_cluster_lease_age_seconds',
    'Time since the last confirmed heartbeat of this node',
    () => sources.lease().age
  )
  registry.addGauge('coffer_cluster_lease_valid', 'Whether the lease allows reads', () =>
    Number(sources.lease().isValid)
  )
  registry.addGauge(
    'coffer_cluster_outbox_commits',
    'Commits not yet confirmed by the log',
    () => sources.outbox().commits
  )
  registry.addGauge(
    'coffer_cluster_outbox_accounts',
    'Accounts with unconfirmed commits',
    () => sources.outbox().accounts
  )
  registry.addCounter(
    'coffer_cluster_shards_taken_total',
    'Shards that this node started to serve',
    () => tally.shardsTaken
  )
  registry.addCounter(
    'coffer_cluster_shards_given_total',
    'Shards that this node handed over to other nodes',
    () => tally.shardsGiven
  )
  registry.addCounter(
    'coffer_cluster_lives_lost_total',
    'Number of times other nodes declared this node dead',
    () => tally.livesLost
  )
  registry.addCounter(
    'coffer_cluster_fenced_total',
    'Accounts lost to another node during a write',
    () => tally.fenced
  )
  registry.addCounter('coffer_cluster_snapshots_total', 'Snapshots made by this node', () => tally.snapshots)
  registry.addCounter(
    'coffer_cluster_snapshot_failures_total',
    'Snapshots that this node failed to make',
    () => tally.snapshotFailures
  )
  registry.addGauge(
    'coffer_cluster_snapshot_last_timestamp_seconds',
    'Time of the last snapshot made by this node',
    () => tally.lastSnapshot
  )
  registry.addHistogram(
    'coffer_cluster_takeover_duration_seconds',
    'Time to take over an account, including its database',
    durationBounds,
    () => toDurationCounts(tally.takeovers)
  )
  registry.addHistogram(
    'coffer_cluster_forwarded_call_duration_seconds',
    'Duration of calls forwarded to another node',
    durationBounds,
    () => toDurationCounts(tally.forwarded)
  )
  registry.addGauge(
    'coffer_cluster_alarms',
    'Open alerts by kind',
    () => {
      const alarms = sources.alarms()
      return alarmKinds.map(kind => [alarms.filter(alarm => alarm.kind === kind).length, { kind }])
    },
    ['kind']
  )
  addEngine(registry, sources)
}

/** Adds the connection to the engine, and what the last check has found there. */
function addEngine(registry: MetricRegistry, { engineCheck, link }: NodeMetricSources): void {
  if (link) {
    registry.addGauge('coffer_engine_connected', 'Whether this node is connected to the engine', () =>
      Number(link.isUp)
    )
    registry.addCounter(
      'coffer_engine_reconnects_total',
      'Number of reconnections of this node to the engine',
      () => link.reconnects
    )
  }
  registry.addGauge(
    'coffer_engine_looked_timestamp_seconds',
    'Time of the last engine check by this node',
    () => engineCheck().at
  )
  const figures = [
    ['messages', 'Messages of a stream'],
    ['bytes', 'Bytes of a stream'],
    ['limit_bytes', 'Maximum bytes of a stream; writes beyond it are refused'],
    ['replicas', 'Servers with a complete replica of a stream']
  ] as const
  for (const [name, help] of figures)
    registry.addGauge(
      `coffer_engine_stream_${name}`,
      help,
      () =>
        (engineCheck().report?.streams ?? []).map(use => {
          const { bytes, current, limitBytes, messages, stream } = use
          return [{ messages, bytes, limit_bytes: limitBytes, replicas: current }[name], { stream }]
        }),
      ['stream']
    )
}

function toDurationCounts({ byRange, seconds }: Durations): DurationCounts[] {
  return [{ counts: byRange, seconds }]
}
