/**
 * Sends the metrics to an OpenTelemetry collector, over OTLP/HTTP in JSON. A collector that is slow, wrong or down never
 * disturbs the service: a failed export is not repeated, the next one has newer totals. (docs/operation.md#metrics)
 */
import { Outgoing } from '../../core/outgoing/http.js'
import type { Log } from '../../core/log.js'
import type { Config } from '../../core/settings/config.js'
import { parseHeader } from '../../core/settings/groups/metrics.js'
import { version } from '../../core/version.js'
import type { Metrics } from './metrics.js'
import { toOtlp } from './otlp-metrics.js'

/** Longest duration of an export, from the look-up of the name to the end of the response, in milliseconds. */
const timeoutMs = 10_000

export class OtlpExporter {
  readonly #outgoing: Outgoing
  readonly #timer: NodeJS.Timeout
  readonly #startMs = Date.now() - process.uptime() * 1000
  #running: Promise<void> | undefined
  /** Whether the last export failed: only the first of several failures is logged. */
  #hasFailed = false
  #isClosed = false

  constructor(
    private readonly config: Config,
    private readonly metrics: Pick<Metrics, 'collect'>,
    private readonly log: Log
  ) {
    const { endpoint, interval } = config.metrics.otlp
    const isCleartext = endpoint.startsWith('http:')
    this.#outgoing = new Outgoing({
      allowInternal: true,
      ...(isCleartext && { onlyPrivate: true }),
      timeoutMs
    })
    this.#timer = setInterval(() => void this.export(), interval * 1000).unref()
    void this.export()
  }

  /** Sends the current metrics, unless an export is in progress. Never rejects. */
  export(): Promise<void> {
    this.#running ??= this.#export()
      .catch((cause: unknown) => this.#reportFailure('they could not be read', cause))
      .finally(() => (this.#running = undefined))
    return this.#running
  }

  /** Stops exports, also one in progress. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    await this.#outgoing.close()
    await this.#running
  }

  /** Sends the metrics once. An answer other than success is logged. */
  async #export(): Promise<void> {
    const { cluster, metrics } = this.config
    const { endpoint, headers } = metrics.otlp
    const collected = await this.metrics.collect()
    if (this.#isClosed) return
    const body = JSON.stringify(
      toOtlp(collected, {
        startMs: this.#startMs,
        nowMs: Date.now(),
        resource: {
          'service.name': 'coffer',
          'service.version': version,
          ...(cluster.node !== '' && { 'service.instance.id': cluster.node })
        }
      })
    )
    const status = await this.#outgoing.post(`${endpoint.replace(/\/$/, '')}/v1/metrics`, body, {
      ...Object.fromEntries(headers.map(parseHeader)),
      'content-type': 'application/json',
      'user-agent': `coffer/${version}`
    })
    if (this.#isClosed) return
    if (status >= 200 && status < 300) {
      if (this.#hasFailed) this.log.info('metrics are sent to the OTLP collector again')
      this.#hasFailed = false
    } else this.#reportFailure(status === 0 ? 'no response' : `status ${status}`)
  }

  #reportFailure(reason: string, cause?: unknown): void {
    if (!this.#hasFailed)
      this.log.warn(
        `metrics could not be sent to the OTLP collector: ${reason}`,
        cause === undefined ? {} : { cause }
      )
    this.#hasFailed = true
  }
}
