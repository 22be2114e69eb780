/** Converts metrics to the JSON form of OTLP. Only listed names and labels are sent, so that none can name a user. */
import type { CollectedMetric } from './metric-registry.js'

/** When counting began, when the metrics were read, and who sends them. */
interface Context {
  readonly startMs: number
  readonly nowMs: number
  readonly resource: Readonly<Record<string, string>>
}

/** Names of metrics that are sent. */
export const sentNames: ReadonlySet<string> = new Set([
  'coffer_calls_total',
  'coffer_call_duration_seconds',
  'coffer_connections',
  'coffer_sockets',
  'coffer_open_user_files',
  'coffer_passwords_waiting',
  'coffer_previews_waiting',
  'coffer_mails_waiting',
  'coffer_webhooks_waiting',
  'coffer_webhooks_running',
  'coffer_imports_waiting',
  'coffer_imports_running',
  'coffer_log_lines_dropped_total',
  'coffer_syslog_messages_lost_total',
  'coffer_backup_last_success_timestamp_seconds',
  'coffer_backup_failures',
  'coffer_backup_running',
  'coffer_cluster_shards',
  'coffer_cluster_nodes',
  'coffer_cluster_lease_age_seconds',
  'coffer_cluster_lease_valid',
  'coffer_cluster_outbox_commits',
  'coffer_cluster_outbox_accounts',
  'coffer_cluster_shards_taken_total',
  'coffer_cluster_shards_given_total',
  'coffer_cluster_lives_lost_total',
  'coffer_cluster_fenced_total',
  'coffer_cluster_snapshots_total',
  'coffer_cluster_snapshot_failures_total',
  'coffer_cluster_snapshot_last_timestamp_seconds',
  'coffer_cluster_takeover_duration_seconds',
  'coffer_cluster_forwarded_call_duration_seconds',
  'coffer_cluster_alarms',
  'coffer_engine_connected',
  'coffer_engine_reconnects_total',
  'coffer_engine_looked_timestamp_seconds',
  'process_cpu_seconds_total',
  'process_resident_memory_bytes',
  'process_open_fds',
  'process_start_time_seconds',
  'nodejs_eventloop_lag_seconds',
  'nodejs_eventloop_lag_p99_seconds',
  'nodejs_heap_size_used_bytes'
])

/** Labels that are sent: their values are ids of methods, digits of statuses, and words of the service. */
export const sentLabels: ReadonlySet<string> = new Set(['method', 'status', 'state', 'kind'])

/**
 * Returns the metrics as the body of an export request. Only metrics and labels that are listed above are
 * sent.
 */
export function toOtlp(collected: readonly CollectedMetric[], context: Context): object {
  return {
    resourceMetrics: [
      {
        resource: { attributes: toAttributes(context.resource) },
        scopeMetrics: [
          {
            scope: { name: 'coffer' },
            metrics: collected
              .filter(({ name }) => sentNames.has(name))
              .map(metric => toMetric(metric, context))
              .filter(metric => metric !== undefined)
          }
        ]
      }
    ]
  }
}

/** Converts a metric; `undefined` if it has no finite values. */
function toMetric(metric: CollectedMetric, context: Context): object | undefined {
  const { help, name, type, values } = metric
  const timeUnixNano = toNanoseconds(context.nowMs)
  const described = { name, description: help, unit: getUnit(name) }
  if (type === 'histogram') {
    const dataPoints = toHistogramPoints(metric, context)
    return dataPoints.length === 0
      ? undefined
      : { ...described, histogram: { dataPoints, aggregationTemporality: cumulative } }
  }
  const start = type === 'counter' ? { startTimeUnixNano: toNanoseconds(context.startMs) } : {}
  const dataPoints = values
    .filter(({ value }) => Number.isFinite(value))
    .map(({ labels, value }) => ({
      attributes: toSentAttributes(labels),
      ...start,
      timeUnixNano,
      asDouble: value
    }))
  if (dataPoints.length === 0) return undefined
  return type === 'counter'
    ? { ...described, sum: { dataPoints, aggregationTemporality: cumulative, isMonotonic: true } }
    : { ...described, gauge: { dataPoints } }
}

/** The value of `AGGREGATION_TEMPORALITY_CUMULATIVE`. */
const cumulative = 2

/** Values of a histogram with the same labels. */
interface Durations {
  readonly labels: Readonly<Record<string, string | number>>
  /** Cumulative counts by the upper bound of the bucket, in rising order; the last bound is infinite. */
  readonly buckets: (readonly [bound: number, count: number])[]
  sum: number
  count: number
}

/** Converts the samples of a histogram, whose buckets are cumulative, to one point for each set of labels. */
function toHistogramPoints({ name, values }: CollectedMetric, { nowMs, startMs }: Context): object[] {
  const series = new Map<string, Durations>()
  for (const { labels, metricName, value } of values) {
    const { le, ...rest } = labels
    const key = JSON.stringify(rest)
    const durations = series.get(key) ?? { labels: rest, buckets: [], sum: 0, count: 0 }
    series.set(key, durations)
    if (metricName === `${name}_sum`) durations.sum = value
    else if (metricName === `${name}_count`) durations.count = value
    else durations.buckets.push([le === '+Inf' ? Infinity : Number(le), value])
  }
  return Array.from(series.values(), ({ buckets, count, labels, sum }) => ({
    attributes: toSentAttributes(labels),
    startTimeUnixNano: toNanoseconds(startMs),
    timeUnixNano: toNanoseconds(nowMs),
    count: String(count),
    sum,
    // Each bucket of OTLP counts only its own durations.
    bucketCounts: buckets.map(([, total], index) => String(total - (buckets[index - 1]?.[1] ?? 0))),
    explicitBounds: buckets.flatMap(([bound]) => (Number.isFinite(bound) ? [bound] : []))
  }))
}

function toSentAttributes(labels: Readonly<Record<string, string | number>>): object[] {
  return toAttributes(Object.fromEntries(Object.entries(labels).filter(([name]) => sentLabels.has(name))))
}

function toAttributes(values: Readonly<Record<string, string | number>>): object[] {
  return Object.entries(values).map(([key, value]) => ({ key, value: { stringValue: String(value) } }))
}

/** Returns the unit by its UCUM code; `1` for plain numbers. */
function getUnit(name: string): string {
  if (name.endsWith('_bytes')) return 'By'
  return /_seconds(?:_total)?$/.test(name) ? 's' : '1'
}

/** Converts a time to text: nanoseconds are beyond the whole numbers of JSON. */
function toNanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms)) * 1_000_000n)
}
