/** Settings of metrics: a port for Prometheus, and a collector to which they are sent. (docs/operation.md#metrics) */
import ipaddr from 'ipaddr.js'
import { Type, type Static } from 'typebox'
import { isPrivate } from '../../ip-range.js'
import { parseUrl } from '../../parse-url.js'
import { group, integer } from '../kinds.js'
import type { TextFormName } from '../text-forms.js'

export const metrics = group({
  port: Type.Union([Type.Null(), Type.Integer({ minimum: 0, maximum: 65535 })], {
    default: null,
    description:
      'Separate port for /metrics, without a key. null: /metrics is on the main port and needs the adminKey; 0: any free port'
  }),
  otlp: group({
    endpoint: Type.String({
      default: '',
      pattern: '^(?:https?://[^\\s?#@]+)?$',
      form: 'webUrl' satisfies TextFormName,
      description:
        'Base URL of an OpenTelemetry collector that receives the metrics over OTLP/HTTP, without /v1/metrics. http:// only works for private addresses. If empty, metrics are not sent'
    }),
    interval: integer('Interval at which metrics are sent, in seconds', 300, 60, 3600),
    headers: Type.Array(Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\\t -~]*$" }), {
      default: [],
      maxItems: 20,
      secret: true,
      description: 'Headers sent to the collector, such as `Authorization: Bearer …`'
    })
  })
})

/** Splits a header as it is set into its name and value. */
export function parseHeader(header: string): [name: string, value: string] {
  const at = header.indexOf(':')
  return [header.slice(0, at).toLowerCase(), header.slice(at + 1).trim()]
}

/**
 * Returns the problems of these settings together: an endpoint by plain HTTP at a public IP address. Names of
 * hosts are resolved, and checked, for each connection. The values may be of any type: the schema check
 * reports wrong types.
 */
export function findMetricsProblems({ otlp }: Static<typeof metrics>): string[] {
  const url = typeof otlp.endpoint === 'string' ? parseUrl(otlp.endpoint) : undefined
  const host = url?.hostname.replace(/^\[|\]$/g, '') ?? ''
  return url?.protocol === 'http:' && ipaddr.isValid(host) && !isPrivate(host)
    ? ['metrics.otlp.endpoint must begin with https:// unless its address is private']
    : []
}
