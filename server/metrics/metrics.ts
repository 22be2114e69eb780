/**
 * Metrics for Prometheus and OTLP, computed on demand from existing counters. No label names a user. The library is loaded on
 * the first request.
 */
import type { BackupState, Gauges } from '../service-state.js'
import type { CallStatistics } from '../call-statistics.js'
import { durationBounds } from '../latency-histogram.js'
import { MetricRegistry, type Sample } from './metric-registry.js'

/** The sources of the metrics. */
interface MetricSources {
  readonly calls: CallStatistics
  /** Returns the current load. */
  gauges(): Promise<Gauges> | Gauges
  /** Returns the number of open connections. */
  connections(): Promise<number>
  /** Returns the number of authenticated sockets on them. */
  sockets(): number
  /** Adds the metrics of a node of a cluster. */
  addMore?(registry: MetricRegistry): Promise<void>
  /** Number of log lines that were dropped; absent if the log is not written by this process. */
  readonly logLinesDropped?: (() => number) | undefined
  /** Returns the state of scheduled backups; absent if no backups are scheduled. */
  readonly backups?: (() => BackupState) | undefined
}

const runtimeGauges: readonly [keyof Gauges, name: string, help: string][] = [
  ['openUserFiles', 'coffer_open_user_files', 'Open user files'],
  ['passwordsWaiting', 'coffer_passwords_waiting', 'Passwords waiting to be hashed or verified'],
  ['previewsWaiting', 'coffer_previews_waiting', 'Images waiting to be scaled down'],
  ['mailsWaiting', 'coffer_mails_waiting', 'Emails waiting to be sent'],
  ['webhooksWaiting', 'coffer_webhooks_waiting', 'Webhook calls waiting'],
  ['importsWaiting', 'coffer_imports_waiting', 'Files waiting to be read for an import'],
  ['importsRunning', 'coffer_imports_running', 'Files being read for an import'],
  ['webhooksRunning', 'coffer_webhooks_running', 'Webhook calls in progress']
]

/** The current metrics, as text for Prometheus and as objects. */
export type Metrics = Pick<MetricRegistry, 'collect' | 'render'>

/** Returns the metrics of the service. */
export function createMetrics(sources: MetricSources): Metrics {
  let created: Promise<MetricRegistry> | undefined
  const getRegistry = async (): Promise<MetricRegistry> => await (created ??= createRegistry(sources))
  return {
    collect: async () => await (await getRegistry()).collect(),
    render: async () => await (await getRegistry()).render()
  }
}

/** Creates the registry of all metrics. */
async function createRegistry(sources: MetricSources): Promise<MetricRegistry> {
  const registry = await MetricRegistry.create()
  addCalls(registry, sources.calls)
  addGauges(registry, sources)
  registry.addCounter(
    'coffer_log_lines_dropped_total',
    'Log lines that could not be written',
    () => sources.logLinesDropped?.() ?? 0
  )
  registry.addCounter(
    'coffer_syslog_messages_lost_total',
    'Syslog messages that were not sent',
    async () => (await sources.gauges()).syslogLost
  )
  await sources.addMore?.(registry)
  return registry
}

/** Adds the number and durations of calls. */
function addCalls(registry: MetricRegistry, calls: CallStatistics): void {
  registry.addCounter(
    'coffer_calls_total',
    'Calls by method and status class; a batch counts once',
    () =>
      calls
        .listCalled()
        .flatMap(({ byStatus, method }) =>
          byStatus
            .map((count, digit): Sample => [count, { method, status: `${digit}xx` }])
            .filter(([count]) => count > 0)
        ),
    ['method', 'status']
  )
  registry.addHistogram(
    'coffer_call_duration_seconds',
    'Time from a call to its result, or to the first page of a list',
    durationBounds,
    () =>
      calls
        .listCalled()
        .map(({ byDuration, method, seconds }) => ({ labels: { method }, counts: byDuration, seconds }))
  )
}

/** Adds what is in use now: connections, sockets, backups and the state of the runtime. */
function addGauges(registry: MetricRegistry, sources: MetricSources): void {
  registry.addGauge('coffer_connections', 'Open connections', () => sources.connections())
  registry.addGauge('coffer_sockets', 'Open sockets', () => sources.sockets())
  const { backups } = sources
  if (backups) {
    const last = 'End of the last successful scheduled backup'
    registry.addGauge('coffer_backup_last_success_timestamp_seconds', last, () => backups().succeeded ?? 0)
    const failures = 'Scheduled backups that failed since the last success'
    registry.addGauge('coffer_backup_failures', failures, () => backups().failures)
    registry.addGauge('coffer_backup_running', 'Whether a scheduled backup is in progress', () =>
      Number(backups().isRunning)
    )
  }
  for (const [key, name, help] of runtimeGauges)
    registry.addGauge(name, help, async () => (await sources.gauges())[key])
}
