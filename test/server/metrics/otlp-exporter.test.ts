/** The export of metrics to an OpenTelemetry collector, a real HTTP server, and to servers that are no such thing. */
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { EventEmitter, once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { Log } from '../../../core/log.js'
import { loadSettings } from '../../../core/settings/load.js'
import { createMetrics } from '../../../server/metrics/metrics.js'
import { CallStatistics } from '../../../server/call-statistics.js'
import { OtlpExporter } from '../../../server/metrics/otlp-exporter.js'
import { sentLabels, sentNames } from '../../../server/metrics/otlp-metrics.js'
import { coffer, testConfig, type Answer } from '../../support/coffer.js'

async function listen(t: Test, listener: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, port: (server.address() as AddressInfo).port }
}

/** Returns an exporter to a port, and what it logs. */
function exporterTo(t: Test, endpoint: string): { exporter: OtlpExporter; lines: string[] } {
  const lines: string[] = []
  const add = (line: string): void => void lines.push(line)
  const log: Log = { info: add, warn: add, error: add }
  const metrics = createMetrics({
    calls: new CallStatistics(['events.get']),
    gauges: () => new Proxy({}, { get: () => 0 }) as never,
    connections: async () => 1,
    sockets: () => 0
  })
  const exporter = new OtlpExporter(
    testConfig(t.testdir(), { metrics: { otlp: { endpoint } } }),
    metrics,
    log
  )
  t.teardown(() => exporter.close())
  return { exporter, lines }
}

t.test('a service sends its metrics to the collector at the start and stops with it', async t => {
  const requests: { request: IncomingMessage; body: Answer }[] = []
  const arrivals = new EventEmitter()
  const arrival = once(arrivals, 'request')
  const { port } = await listen(t, (request, response) => {
    void text(request).then(body => {
      requests.push({ request, body: JSON.parse(body) })
      response.end('{}')
      arrivals.emit('request')
    })
  })
  const { alice } = await coffer(t, {
    metrics: { otlp: { endpoint: `http://127.0.0.1:${port}/collector/`, headers: ['X-Key: a key'] } }
  })
  await arrival
  const { body, request } = requests[0]!
  t.match(
    { method: request.method, url: request.url, headers: request.headers },
    {
      method: 'POST',
      url: '/collector/v1/metrics',
      headers: { 'content-type': 'application/json', 'x-key': 'a key' }
    }
  )
  t.notMatch(JSON.stringify(body), new RegExp(alice.token))
  const [{ resource, scopeMetrics }] = body.resourceMetrics
  t.match(resource.attributes[0], { key: 'service.name', value: { stringValue: 'coffer' } })
  const { metrics } = scopeMetrics[0]
  for (const metric of metrics) {
    t.ok(sentNames.has(metric.name), metric.name)
    const { dataPoints } = metric.sum ?? metric.gauge ?? metric.histogram
    t.ok(dataPoints.length > 0)
    for (const { attributes, timeUnixNano } of dataPoints) {
      t.match(timeUnixNano, /^\d{19}$/)
      for (const { key } of attributes) t.ok(sentLabels.has(key), `${metric.name} ${key}`)
    }
  }
  t.match(
    metrics.find(({ name }: Answer) => name === 'process_resident_memory_bytes'),
    { unit: 'By' }
  )
})

t.test('calls become sums and histograms whose buckets count their own durations', async t => {
  const bodies: Answer[] = []
  const { port } = await listen(t, (request, response) => {
    void text(request).then(body => {
      bodies.push(JSON.parse(body))
      response.end('{}')
    })
  })
  const { exporter } = exporterTo(t, `http://127.0.0.1:${port}`)
  await exporter.export()
  await exporter.close()
  const calls = new CallStatistics(['events.get'])
  for (const ms of [1, 3, 1e9]) calls.record('events.get', 200, ms)
  calls.record('user-chosen-name', 404, 5)
  const counted = new OtlpExporter(
    testConfig(t.testdir(), { metrics: { otlp: { endpoint: `http://127.0.0.1:${port}` } } }),
    createMetrics({
      calls,
      gauges: () => new Proxy({}, { get: () => 0 }) as never,
      connections: async () => 1,
      sockets: () => 0
    }),
    { info() {}, warn() {}, error() {} }
  )
  await counted.export()
  await counted.close()
  const { metrics } = bodies.at(-1).resourceMetrics[0].scopeMetrics[0]
  const find = (name: string): Answer => metrics.find((metric: Answer) => metric.name === name)
  const total = find('coffer_calls_total').sum
  t.match(total, { aggregationTemporality: 2, isMonotonic: true })
  t.same(
    total.dataPoints.map(({ asDouble, attributes }: Answer) => [
      asDouble,
      ...attributes.map(({ value }: Answer) => value.stringValue)
    ]),
    [
      [3, 'events.get', '2xx'],
      [1, 'unknown', '4xx']
    ]
  )
  const [point] = find('coffer_call_duration_seconds').histogram.dataPoints
  t.equal(point.count, '3')
  t.equal(point.bucketCounts.length, point.explicitBounds.length + 1)
  t.equal(
    point.bucketCounts.map(Number).reduce((sum: number, each: number) => sum + each),
    3
  )
  t.equal(point.bucketCounts.at(-1), '1')
  t.notMatch(JSON.stringify(bodies), /user-chosen-name/)
})

t.test('failures are logged once, and the next success too', async t => {
  let status = 503
  const { port } = await listen(t, (request, response) => {
    request.resume()
    // A redirect must not be followed: it could lead out of the private network.
    response.writeHead(status, { location: 'http://127.0.0.1:1/' }).end('x'.repeat(200_000))
  })
  const { exporter, lines } = exporterTo(t, `http://127.0.0.1:${port}`)
  for (const next of [503, 503, 307, 200, 200]) {
    await exporter.export()
    status = next
    await exporter.export()
  }
  t.same(lines, [
    'metrics could not be sent to the OTLP collector: status 503',
    'metrics are sent to the OTLP collector again'
  ])
})

t.test('a collector that never answers holds up neither the next export nor the end', async t => {
  const receipts = new EventEmitter()
  const receipt = once(receipts, 'request')
  const { port } = await listen(t, request => {
    request.resume()
    receipts.emit('request')
  })
  const { exporter, lines } = exporterTo(t, `http://127.0.0.1:${port}`)
  const running = exporter.export()
  t.equal(exporter.export(), running, 'exports do not pile up')
  await receipt
  await exporter.close()
  await running
  t.same(lines, [])
})

t.test('cleartext is only sent to private addresses', async t => {
  for (const endpoint of [
    'http://8.8.8.8:4318',
    'http://[2606:4700::1]:4318',
    'http://100.64.0.1',
    'http://192.0.2.1'
  ])
    t.throws(() => loadSettings({ argv: ['--metrics.otlp.endpoint', endpoint], env: {}, cwd: t.testdir() }), {
      message: /metrics\.otlp\.endpoint must begin with https/
    })
  for (const endpoint of [
    'http://127.0.0.1:4318',
    'http://10.1.2.3',
    'http://[fd00::1]',
    'http://collector',
    'https://8.8.8.8'
  ])
    t.equal(
      loadSettings({ argv: ['--metrics.otlp.endpoint', endpoint], env: {}, cwd: t.testdir() }).metrics.otlp
        .endpoint,
      endpoint
    )
  const { exporter, lines } = exporterTo(t, 'http://8.8.8.8:4318')
  await exporter.export()
  t.same(lines, ['metrics could not be sent to the OTLP collector: no response'])
})

t.test('invalid settings are refused', async t => {
  const problems: readonly (readonly [string, string])[] = [
    ['--metrics.otlp.interval', '59'],
    ['--metrics.otlp.interval', '3601'],
    ['--metrics.otlp.endpoint', 'https://user:password@collector'],
    ['--metrics.otlp.endpoint', 'collector:4318'],
    ['--metrics.otlp.endpoint', '<collector>'],
    ['--metrics.otlp.headers', 'no header'],
    ['--metrics.otlp.headers', '["A: b\\r\\nC: d"]'],
    ['--metrics.otlp.headers', '["Authorization: Bearer REPLACE_ME"]'],
    ['--metrics.otlp.headers', '["Authorization: Bearer <token>"]'],
    ['--adminKey', 'changeme'],
    ['--adminKey', '${ADMIN_KEY}'],
    ['--backup.s3.secretKey', 'your-secret-key']
  ]
  for (const [flag, value] of problems)
    t.throws(
      () => loadSettings({ argv: [flag, value], env: {}, cwd: t.testdir() }),
      { message: new RegExp(`${flag.slice(2)}.*must`) },
      `${flag} ${value}`
    )
})
