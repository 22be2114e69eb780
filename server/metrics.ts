/**
 * Figures for Prometheus: made when they are asked for, of numbers that are there anyway. No label names a user. The
 * library is loaded at the first question.
 */
import type { Metric, Registry } from 'prom-client'
import type { Gauges } from './gauges.js'
import { durationBounds, type CallStatistics } from './call-statistics.js'

/** Where the figures come from. */
export interface MetricSources {
  readonly calls: CallStatistics
  gauges(): Promise<Gauges> | Gauges
  /** Connections that are open, and the sockets that have been let in over them. */
  connections(): Promise<number>
  sockets(): number
}

export interface Metrics {
  readonly contentType: string
  readonly text: string
}

type Library = typeof import('prom-client')

const engineGauges: readonly [keyof Gauges, name: string, help: string][] = [
  ['openUserFiles', 'coffer_open_user_files', "Users' files that are open"],
  ['passwordsWaiting', 'coffer_passwords_waiting', 'Passwords that wait to be hashed or checked'],
  ['previewsWaiting', 'coffer_previews_waiting', 'Pictures that wait to be made smaller'],
  ['mailsWaiting', 'coffer_mails_waiting', 'Mails that wait to be sent'],
  ['webhooksWaiting', 'coffer_webhooks_waiting', 'Calls of webhooks that wait for their turn'],
  ['webhooksRunning', 'coffer_webhooks_running', 'Calls of webhooks that are under way']
]

/** A function that answers the figures of now. */
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
  // Of the process: CPU time, memory, descriptors, lag of the event loop, garbage collection.
  library.collectDefaultMetrics({ register: registry })
  addCalls(library, registry, sources.calls)
  addGauges(library, registry, sources)
  return registry
}

function addCalls({ Counter }: Library, registry: Registry, calls: CallStatistics): void {
  const counter = new Counter({
    name: 'coffer_calls_total',
    help: 'Calls by method and class of status; a batch counts once',
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
  // Histograms of the library only grow one observation at a time; this one is counted already.
  const name = 'coffer_call_duration_seconds'
  const help = 'Time from a call to its answer, or to the first page of a list'
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
  add('coffer_connections', 'Connections that are open', () => sources.connections())
  add('coffer_sockets', 'Sockets that are open', () => sources.sockets())
  for (const [key, name, help] of engineGauges) add(name, help, async () => (await sources.gauges())[key])
}
