/** Metrics of a node of a cluster, for Prometheus: computed on demand, as all others. (docs/cluster.md#metrics) */
import type { Metric, Registry } from 'prom-client'
import type { Alarm } from '../../cluster/alarm.js'
import type { EngineReport } from '../../cluster/nats/engine-monitor.js'
import type { LinkStatus } from '../../cluster/nats/connection.js'
import type { NodeState } from '../../cluster/nodes/node-state.js'
import type { Durations, Tally } from '../../cluster/tally.js'

type Library = typeof import('prom-client')

/** What the metrics tell of. */
export interface NodeSources {
  readonly tally: Tally
  readonly link: Pick<LinkStatus, 'isUp' | 'reconnects'> | undefined
  /** Shards that are served here. */
  readonly shards: () => number
  /** Seconds since the last heartbeat that was confirmed was sent, and whether reads are answered. */
  readonly lease: () => { readonly age: number; readonly isValid: boolean }
  readonly members: () => readonly Pick<NodeState, 'state'>[]
  /** Commits that are not in the log yet, and accounts that have some. */
  readonly outbox: () => { readonly commits: number; readonly accounts: number }
  readonly care: () => { readonly report: EngineReport | undefined; readonly at: number }
  readonly alarms: () => readonly Alarm[]
}

/** A value, and the labels it has. */
type Sample = readonly [value: number, labels?: Readonly<Record<string, string>>]
type AddGauge = (name: string, help: string, samples: () => readonly Sample[], labels?: string[]) => void
type AddCounter = (name: string, help: string, value: () => number) => void

const nodeStates: readonly NodeState['state'][] = ['alive', 'leaving', 'ended', 'dead']

/** Adds the metrics of a node to those of the service. */
export async function addNodeMetrics(
  library: Library,
  registry: Registry,
  sources: NodeSources
): Promise<void> {
  const { alarmKinds } = await import('../../cluster/alarm.js')
  const { durationBounds } = await import('../../cluster/tally.js')
  const { tally } = sources
  const gauge: AddGauge = (name, help, samples, labelNames = []) => {
    const made = new library.Gauge({
      name,
      help,
      labelNames,
      registers: [registry],
      collect() {
        made.reset()
        for (const [value, labels = {}] of samples()) made.set(labels, value)
      }
    })
  }
  const counter: AddCounter = (name, help, value) => {
    const made = new library.Counter({
      name,
      help,
      registers: [registry],
      collect() {
        made.reset()
        made.inc(value())
      }
    })
  }
  gauge('coffer_cluster_shards', 'Shards that this node serves', () => [[sources.shards()]])
  gauge(
    'coffer_cluster_nodes',
    'Nodes as this one sees them, by state',
    () => nodeStates.map(state => [sources.members().filter(each => each.state === state).length, { state }]),
    ['state']
  )
  gauge('coffer_cluster_lease_age_seconds', 'Time since the last confirmed heartbeat of this node', () => [
    [sources.lease().age]
  ])
  gauge('coffer_cluster_lease_valid', 'Whether the lease allows reads', () => [
    [Number(sources.lease().isValid)]
  ])
  gauge('coffer_cluster_outbox_commits', 'Commits not yet confirmed by the log', () => [
    [sources.outbox().commits]
  ])
  gauge('coffer_cluster_outbox_accounts', 'Accounts with unconfirmed commits', () => [
    [sources.outbox().accounts]
  ])
  counter(
    'coffer_cluster_shards_taken_total',
    'Shards that this node started to serve',
    () => tally.shardsTaken
  )
  counter(
    'coffer_cluster_shards_given_total',
    'Shards that this node handed over to other nodes',
    () => tally.shardsGiven
  )
  counter(
    'coffer_cluster_lives_lost_total',
    'Number of times other nodes declared this node dead',
    () => tally.livesLost
  )
  counter('coffer_cluster_fenced_total', 'Accounts lost to another node during a write', () => tally.fenced)
  counter('coffer_cluster_snapshots_total', 'Snapshots made by this node', () => tally.snapshots)
  counter(
    'coffer_cluster_snapshot_failures_total',
    'Snapshots that this node failed to make',
    () => tally.snapshotFailures
  )
  gauge(
    'coffer_cluster_snapshot_last_timestamp_seconds',
    'Time of the last snapshot made by this node',
    () => [[tally.lastSnapshot]]
  )
  addHistogram(
    registry,
    durationBounds,
    'coffer_cluster_takeover_duration_seconds',
    'Time to take over an account, including its database',
    tally.takeovers
  )
  addHistogram(
    registry,
    durationBounds,
    'coffer_cluster_forwarded_call_duration_seconds',
    'Duration of calls forwarded to another node',
    tally.forwarded
  )
  gauge(
    'coffer_cluster_alarms',
    'Open alerts by kind',
    () => {
      const alarms = sources.alarms()
      return alarmKinds.map(kind => [alarms.filter(alarm => alarm.kind === kind).length, { kind }])
    },
    ['kind']
  )
  addEngine(gauge, counter, sources)
}

function addEngine(gauge: AddGauge, counter: AddCounter, { care, link }: NodeSources): void {
  if (link) {
    gauge('coffer_engine_connected', 'Whether this node is connected to the engine', () => [
      [Number(link.isUp)]
    ])
    counter(
      'coffer_engine_reconnects_total',
      'Number of reconnections of this node to the engine',
      () => link.reconnects
    )
  }
  gauge('coffer_engine_looked_timestamp_seconds', 'Time of the last engine check by this node', () => [
    [care().at]
  ])
  const figures = [
    ['messages', 'Messages of a stream'],
    ['bytes', 'Bytes of a stream'],
    ['limit_bytes', 'Maximum bytes of a stream; writes beyond it are refused'],
    ['replicas', 'Servers with a complete replica of a stream']
  ] as const
  for (const [name, help] of figures)
    gauge(
      `coffer_engine_stream_${name}`,
      help,
      () =>
        (care().report?.streams ?? []).map(use => {
          const { bytes, current, limitBytes, messages, stream } = use
          return [{ messages, bytes, limit_bytes: limitBytes, replicas: current }[name], { stream }]
        }),
      ['stream']
    )
}

/** Registers a histogram of what has been counted already. */
function addHistogram(
  registry: Registry,
  bounds: readonly number[],
  name: string,
  help: string,
  durations: Durations
): void {
  const values = (): object[] => {
    let count = 0
    const buckets = durations.byRange.map((more, range) => {
      count += more
      return { metricName: `${name}_bucket`, labels: { le: bounds[range] ?? '+Inf' }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: {}, value: durations.seconds },
      { metricName: `${name}_count`, labels: {}, value: durations.count }
    ]
  }
  const histogram = { name, get: async () => ({ name, help, type: 'histogram', values: values() }) }
  registry.registerMetric(histogram as unknown as Metric)
}
