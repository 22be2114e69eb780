/** A registry of metrics for Prometheus, whose values are read when they are requested. */
import type { Metric, Registry } from 'prom-client'

type Labels = Readonly<Record<string, string>>

/** A value, and its labels. */
export type Sample = readonly [value: number, labels?: Labels]

/** A metric with its values. A value of a histogram names the bucket, sum or count that it is. */
export interface CollectedMetric {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly values: readonly {
    readonly value: number
    readonly labels: Readonly<Record<string, string | number>>
    readonly metricName?: string
  }[]
}

/** Returns the values of a metric: a single value without labels, or several with labels. */
type ReadSamples = () => readonly Sample[] | number | Promise<number>

/** A histogram of durations with the same labels. */
export interface DurationCounts {
  readonly labels?: Labels
  /** Number of durations per bucket; the last bucket counts durations above all bounds. */
  readonly counts: readonly number[]
  /** Sum of all durations. */
  readonly seconds: number
}

export class MetricRegistry {
  private constructor(
    private readonly library: typeof import('prom-client'),
    private readonly registry: Registry
  ) {}

  /** Creates a registry with the metrics of the process: CPU time, memory, descriptors, event loop lag, garbage collection. */
  static async create(): Promise<MetricRegistry> {
    const library = await import('prom-client')
    const registry = new library.Registry()
    library.collectDefaultMetrics({ register: registry })
    return new MetricRegistry(library, registry)
  }

  /** Renders the current metrics, and returns them with their media type. */
  async render(): Promise<{ readonly contentType: string; readonly text: string }> {
    return { contentType: this.registry.contentType, text: await this.registry.metrics() }
  }

  /** Returns the current metrics. */
  async collect(): Promise<readonly CollectedMetric[]> {
    return (await this.registry.getMetricsAsJSON()) as unknown as CollectedMetric[]
  }

  /** Adds a metric that may rise and fall; `read` is called for each scrape. */
  addGauge(name: string, help: string, read: ReadSamples, labelNames: string[] = []): void {
    const gauge = new this.library.Gauge({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        const samples = toSamples(await read())
        gauge.reset()
        for (const [value, labels = {}] of samples) gauge.set(labels, value)
      }
    })
  }

  /** Adds a metric that only rises; `read` returns totals, and is called for each scrape. */
  addCounter(name: string, help: string, read: ReadSamples, labelNames: string[] = []): void {
    const counter = new this.library.Counter({
      name,
      help,
      labelNames,
      registers: [this.registry],
      async collect() {
        const samples = toSamples(await read())
        counter.reset()
        for (const [value, labels = {}] of samples) counter.inc(labels, value)
      }
    })
  }

  /** Adds a histogram of durations that are counted already: the library's histograms only take single observations. */
  addHistogram(
    name: string,
    help: string,
    bounds: readonly number[],
    read: () => readonly DurationCounts[]
  ): void {
    const values = (): object[] => read().flatMap(durations => listBuckets(name, bounds, durations))
    const histogram = { name, get: async () => ({ name, help, type: 'histogram', values: values() }) }
    this.registry.registerMetric(histogram as unknown as Metric)
  }
}

function toSamples(read: readonly Sample[] | number): readonly Sample[] {
  return typeof read === 'number' ? [[read]] : read
}

/** Returns the cumulative buckets of a histogram, its sum and its count. */
function listBuckets(
  name: string,
  bounds: readonly number[],
  { counts, labels = {}, seconds }: DurationCounts
): object[] {
  let count = 0
  const buckets = counts.map((more, index) => {
    count += more
    return { metricName: `${name}_bucket`, labels: { le: bounds[index] ?? '+Inf', ...labels }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: count }
  ]
}
