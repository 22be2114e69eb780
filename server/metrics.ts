/**
 * Metrics for Prometheus, computed on demand from counters that exist anyway. No label names a user. The library is
 * loaded on the first request.
 */
import type { Metric, Registry } from 'prom-client'
import type { BackupState, Gauges } from './gauges.js'
import type { CallStatistics } from './call-statistics.js'
import { durationBounds } from './duration-bounds.js'

/** The sources of the metrics. */
export interface MetricSources {
  readonly calls: CallStatistics
  gauges(): Promise<Gauges> | Gauges
  /** Number of open connections, and of the sockets authenticated on them. */
  connections(): Promise<number>
  sockets(): number
  /** Adds those of a node of a cluster. */
  addMore?(library: Library, registry: Registry): Promise<void>
  /** Number of lines of the log that were dropped; absent if the log is not written by this process. */
  readonly logLinesDropped?: (() => number) | undefined
  /** Absent if the service makes no backups by itself. */
  readonly backups?: (() => BackupState) | undefined
}

export interface Metrics {
  readonly contentType: string
  readonly text: string
}

type Library = typeof import('prom-client')

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

/** Returns a function that renders the current metrics. */
export function createMetrics(sources: MetricSources): () => Promise<Metrics> {
  let made: Promise<Registry> | undefined
  return async () => {
    const registry = await (made ??= register(sources))
    return { contentType: registry.contentType, text: await registry.metrics() }
  }
}

async function register(sources: MetricSources): Promise<Registry> {
  const library = await import('prom-client')
  const registry = new library.Registry()
  // Of the process: CPU time, memory, descriptors, event loop lag, garbage collection.
  library.collectDefaultMetrics({ register: registry })
  addCalls(library, registry, sources.calls)
  addGauges(library, registry, sources)
  addDropped(library, registry, sources)
  await sources.addMore?.(library, registry)
  return registry
}

function addCalls({ Counter }: Library, registry: Registry, calls: CallStatistics): void {
  const counter = new Counter({
    name: 'coffer_calls_total',
    help: 'Calls by method and status class; a batch counts once',
    labelNames: ['method', 'status'],
    registers: [registry],
    collect() {
      counter.reset()
      for (const { byStatus, method } of calls.called())
        byStatus.forEach((count, digit) => {
          if (count > 0) counter.inc({ method, status: `${digit}xx` }, count)
        })
    }
  })
  // Histograms of the library take single observations only; these calls are counted already.
  const name = 'coffer_call_duration_seconds'
  const help = 'Time from a call to its result, or to the first page of a list'
  const histogram = {
    name,
    get: async () => ({ name, help, type: 'histogram', values: durations(calls, name) })
  }
  registry.registerMetric(histogram as unknown as Metric)
}

function durations(calls: CallStatistics, name: string): object[] {
  return calls.called().flatMap(({ byDuration, method, seconds }) => {
    let count = 0
    const buckets = byDuration.map((more, range) => {
      count += more
      const le = durationBounds[range] ?? '+Inf'
      return { metricName: `${name}_bucket`, labels: { le, method }, value: count }
    })
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels: { method }, value: seconds },
      { metricName: `${name}_count`, labels: { method }, value: count }
    ]
  })
}

function addGauges({ Gauge }: Library, registry: Registry, sources: MetricSources): void {
  const add = (name: string, help: string, value: () => Promise<number> | number): void => {
    const gauge = new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        gauge.set(await value())
      }
    })
  }
  add('coffer_connections', 'Open connections', () => sources.connections())
  add('coffer_sockets', 'Open sockets', () => sources.sockets())
  const { backups } = sources
  if (backups) {
    const last = 'End of the last successful scheduled backup'
    add('coffer_backup_last_success_timestamp_seconds', last, () => backups().succeeded ?? 0)
    const failures = 'Scheduled backups that failed since the last success'
    add('coffer_backup_failures', failures, () => backups().failures)
    add('coffer_backup_running', 'Whether a scheduled backup is in progress', () =>
      Number(backups().isRunning)
    )
  }
  for (const [key, name, help] of runtimeGauges) add(name, help, async () => (await sources.gauges())[key])
}

/** Adds what the log and the syslog did not take. */
function addDropped({ Counter }: Library, registry: Registry, sources: MetricSources): void {
  const add = (name: string, help: string, value: () => Promise<number> | number): void => {
    const counter = new Counter({
      name,
      help,
      registers: [registry],
      async collect() {
        const total = await value()
        counter.reset()
        counter.inc(total)
      }
    })
  }
  add(
    'coffer_log_lines_dropped_total',
    'Log lines that could not be written',
    () => sources.logLinesDropped?.() ?? 0
  )
  add(
    'coffer_syslog_messages_lost_total',
    'Syslog messages that were not sent',
    async () => (await sources.gauges()).syslogLost
  )
}
