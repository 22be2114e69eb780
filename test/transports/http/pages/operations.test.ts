/** Health checks and metrics for the operator. */
import { chmodSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { Health } from '../../../../server/health.js'
import { CallStatistics } from '../../../../server/call-statistics.js'
import { coffer, openCoffer } from '../../../support/coffer.js'
import { socketOf } from '../../../support/socket.js'

const adminKey = 'the key of the operator'

for (const path of ['/healthz', '/system/status'])
  t.test(`GET ${path}`, async t => {
    const service = await coffer(t)

    t.test('returns 200 as long as the process runs, whatever the host', async t => {
      const { body, status } = await service.http('GET', path)
      t.equal(status, 200)
      t.match(body, { status: 'ok', meta: { serverTime: Number } })
    })
  })

t.test('GET /readyz', async t => {
  const service = await coffer(t)

  t.test('returns 200 with all checks', async t => {
    const { body, status } = await service.http('GET', '/readyz')
    t.equal(status, 200)
    t.match(body, { status: 'ok', checks: { platform: true, disk: true, running: true } })
  })

  t.test('returns 503 when the disk is not writable', async t => {
    const other = await coffer(t)
    mkdirSync(join(other.directory, '.probe'))
    const { body, status } = await other.http('GET', '/readyz')
    t.equal(status, 503)
    t.match(body, {
      error: { id: 'api-unavailable' },
      checks: { platform: true, disk: false, running: true },
      meta: {}
    })
    rmSync(join(other.directory, '.probe'), { recursive: true })
  })

  t.test('returns 503 when the platform database is not responding', async t => {
    const other = await openCoffer(t)
    other.server.services.platform.close()
    t.match(await other.http('GET', '/readyz'), { status: 503, body: { checks: { platform: false } } })
  })

  t.test('leaves no files behind', async t => {
    t.throws(() => chmodSync(join(service.directory, '.probe'), 0o600), { code: 'ENOENT' })
  })
})

t.test('Health', async t => {
  let asked = 0
  const health = new Health(async () => {
    asked++
    return { platform: true, disk: true }
  })

  t.test('checks once for concurrent requests', async t => {
    await Promise.all(Array.from({ length: 10 }, () => health.readiness()))
    t.equal(asked, 1)
  })

  t.test('reports a shutdown immediately', async t => {
    health.stop()
    t.same(await health.readiness(), { platform: true, disk: true, running: false })
  })
})

t.test('GET /metrics', async t => {
  const service = await coffer(t, { adminKey })
  const { alice } = service
  const figures = async (): Promise<string> => {
    const { body, headers, status } = await service.http('GET', '/metrics', undefined, {
      authorization: adminKey
    })
    t.equal(status, 200)
    t.match(headers.get('content-type'), 'text/plain')
    return body as string
  }

  t.test("requires the operator's key", async t => {
    for (const authorization of ['', 'something else', alice.token, `${adminKey} `])
      t.match(
        await service.http('GET', '/metrics', undefined, { authorization }),
        { status: authorization.trim() === adminKey ? 200 : 404 },
        authorization
      )
    t.equal(
      (await service.http('GET', '/metrics', undefined, { authorization: `Bearer ${adminKey}` })).status,
      200
    )
    const closed = await coffer(t)
    for (const headers of [{}, { authorization: '' }])
      t.equal((await closed.http('GET', '/metrics', undefined, headers)).status, 404)
  })

  t.test('counts calls by method and status, over every transport', async t => {
    await alice.stream('diary')
    const socket = await socketOf(t, alice)
    for (let i = 0; i < 3; i++) await alice.http('GET', '/streams')
    await alice.http('GET', '/events/cunknown00000000000000000')
    await socket.call('events.get', { limit: 1 })
    await socket.call('made.up"} 1', {})
    const text = await figures()
    for (const line of [
      'coffer_calls_total{method="streams.get",status="2xx"} 3',
      'coffer_calls_total{method="events.getOne",status="4xx"} 1',
      'coffer_calls_total{method="events.get",status="2xx"} 1',
      'coffer_calls_total{method="unknown",status="4xx"} 1',
      'coffer_call_duration_seconds_bucket{le="+Inf",method="streams.get"} 3',
      'coffer_call_duration_seconds_count{method="streams.get"} 3',
      '# TYPE coffer_call_duration_seconds histogram',
      'coffer_sockets 1',
      'coffer_open_user_files 1',
      'coffer_webhooks_waiting 0',
      'coffer_previews_waiting 0'
    ])
      t.match(text, line)
    t.match(text, /coffer_connections [1-9]/)
    t.match(text, /^nodejs_eventloop_lag_seconds /m)
    t.match(text, /^process_cpu_seconds_total /m)
  })

  t.test('contains no personal data', async t => {
    const text = await figures()
    for (const secret of ['alice', alice.token, alice.access.id, 'diary', 'made.up']) t.notMatch(text, secret)
  })

  t.test('moves to a separate port if configured', async t => {
    const other = await coffer(t, { adminKey, metrics: { port: 0 } })
    const { metricsUrl } = other.server
    const response = await fetch(`${metricsUrl}/metrics`)
    t.equal(response.status, 200)
    t.match(await response.text(), 'coffer_connections')
    for (const path of ['/', '/alice/events', '/metrics/x'])
      t.equal((await fetch(metricsUrl + path)).status, 404)
    t.equal((await other.http('GET', '/metrics', undefined, { authorization: adminKey })).status, 404)
  })
})

t.test('CallStatistics', async t => {
  t.test('counts durations in buckets', async t => {
    const calls = new CallStatistics(['a', 'b'])
    for (const durationMs of [0.1, 1, 1.1, 20_000]) calls.record('a', 200, durationMs)
    const [a, ...others] = calls.listCalled()
    t.same(others, [])
    t.same(a!.byDuration, [2, 1, ...Array.from({ length: 10 }, () => 0), 0, 1])
    t.same(a!.byStatus, [0, 0, 4, 0, 0, 0])
  })
})
