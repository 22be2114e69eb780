/** What operators see of the process: calls, problems, disk usage. (docs/spec/administration.md#state) */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { silentLog } from '../../core/log.js'
import { LatencyHistogram } from '../../server/latency-histogram.js'
import { Problems } from '../../server/problems.js'
import { DiskUsageMeter } from '../../server/disk-usage.js'
import { coffer } from '../support/coffer.js'

const adminKey = 'the key of the operator'
const day = 86_400_000

const page = (name: string, token: string): Record<string, string> => ({
  'coffer-app': '1',
  cookie: `coffer-session=${name}.${token}`
})

t.test('LatencyHistogram', async t => {
  const start = 1_700_000_040_000

  t.test('counts calls, refusals and failures, with their durations', async t => {
    const minutes = new LatencyHistogram()
    for (let i = 0; i < 90; i++) minutes.record(start, 200, 0)
    for (let i = 0; i < 9; i++) minutes.record(start + 59_999, 404, 3)
    minutes.record(start, 500, 13)
    minutes.record(start + 60_000, 200, 13)
    t.same(minutes.list(start + 60_000), [
      { time: start / 1000, calls: 100, failed: 1, refused: 9, median: 0.001, p95: 0.01 },
      { time: start / 1000 + 60, calls: 1, failed: 0, refused: 0, median: null, p95: null }
    ])
  })

  t.test('drops counts after a day', async t => {
    const minutes = new LatencyHistogram()
    minutes.record(start, 200, 0)
    t.equal(minutes.list(start + day - 60_000).length, 1)
    t.same(minutes.list(start + day), [])
    minutes.record(start + day, 200, 0)
    t.match(minutes.list(start + day), [{ calls: 1 }])
  })
})

t.test('Problems', async t => {
  t.test('are stored once, with the number of occurrences', async t => {
    let now = 10
    const problems = new Problems(() => now)
    const log = problems.recordFrom(silentLog)
    log.error('call failed', {
      method: 'events.get',
      cause: Object.assign(new Error('of alice'), { code: 'EIO' })
    })
    log.warn('another')
    now = 20
    log.error('call failed', {
      method: 'events.get',
      cause: Object.assign(new Error('of bobby'), { code: 'EIO' })
    })
    log.info('nothing of interest')
    t.same(problems.list(), [
      {
        level: 'error',
        message: 'call failed',
        method: 'events.get',
        cause: 'EIO',
        count: 2,
        first: 10,
        last: 20
      },
      { level: 'warn', message: 'another', count: 1, first: 10, last: 10 }
    ])
  })

  t.test('are limited in number and size', async t => {
    const problems = new Problems(() => 0)
    const log = problems.recordFrom(silentLog)
    for (let i = 0; i < 1000; i++) log.warn(`problem ${i} ${'x'.repeat(10_000)}`)
    t.equal(problems.list().length, 100)
    t.ok(problems.list().every(({ message }) => message.length <= 300))
  })

  t.test('contain no personal data', async t => {
    const problems = new Problems(() => 0)
    const fields = {
      accountId: 'mark',
      accessId: 'mark',
      link: 'mark',
      url: 'mark',
      cause: new Error('mark')
    }
    problems.recordFrom(silentLog).error('something', fields)
    t.notMatch(JSON.stringify(problems.list()), 'mark')
  })
})

t.test('DiskUsageMeter', async t => {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-space-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  const files: Record<string, number> = {
    'platform.sqlite': 1,
    'users/ab/cd/caccount/user.sqlite': 10,
    'users/ab/cd/caccount/user.sqlite-wal': 20,
    'users/ab/cd/caccount/attachments/x/one': 100,
    'users/ab/cd/caccount/previews/one': 1000
  }
  for (const [path, size] of Object.entries(files)) {
    mkdirSync(join(directory, path, '..'), { recursive: true })
    writeFileSync(join(directory, path), 'x'.repeat(size))
  }

  t.test('sums up files by kind, and caches the result for a while', async t => {
    let now = 1000
    const meter = new DiskUsageMeter(directory, () => now)
    t.equal(meter.getLatest(), undefined)
    await meter.measure()
    t.match(meter.getLatest(), { measured: 1000, documents: 30, attachments: 100, previews: 1000, others: 1 })
    t.ok(meter.getLatest()!.free > 0)
    writeFileSync(join(directory, 'platform.sqlite'), 'xx')
    t.match(meter.getLatest(), { others: 1 })
    now += 601
    meter.getLatest()
    await meter.measure()
    t.match(meter.getLatest(), { measured: 1601, others: 2 })
  })
})

for (const path of ['/system/state', '/system/minutes'])
  t.test(`GET ${path}`, async t => {
    const service = await coffer(t, { adminKey, operators: ['olive'] })
    const { alice } = service
    const olive = await service.user('olive')
    const status = async (headers: Record<string, string>): Promise<number> =>
      (await service.http('GET', path, undefined, headers)).status

    t.test('is for operators only', async t => {
      t.equal(await status({ authorization: adminKey }), 200)
      t.equal(await status(page('olive', olive.token)), 200)
      t.equal(await status({ authorization: olive.token }), 404)
      t.equal(await status(page('alice', alice.token)), 404)
      t.equal(await status({ authorization: alice.token }), 404)
      t.equal(await status({ authorization: 'wrong' }), 404)
      t.equal(await status({}), 404)
      t.equal((await service.http('POST', path, {}, { authorization: adminKey })).status, 404)
    })

    t.test('contains no user names', async t => {
      const { body, headers } = await service.http('GET', path, undefined, { authorization: adminKey })
      t.notMatch(JSON.stringify(body), /alice|olive/)
      t.equal(headers.get('cache-control'), 'no-store')
    })
  })

t.test('the operator routes', async t => {
  const service = await coffer(t, { adminKey })
  const ask = async (path: string) =>
    (await service.http('GET', path, undefined, { authorization: adminKey })).body

  t.test('return the health of the service', async t => {
    await service.http('GET', '/system/users')
    const { state } = await ask('/system/state')
    t.match(state, {
      checks: { platform: true, disk: true, running: true },
      started: Number,
      memory: Number,
      connections: Number,
      sockets: 0,
      mailsWaiting: 0,
      webhooksWaiting: 0,
      importsWaiting: 0,
      importsRunning: 0,
      hasMailServer: false,
      backups: null,
      problems: Array
    })
    t.match(
      state.problems.find(({ message }: { message: string }) => message.includes('wrong or missing key')),
      { level: 'warn', count: Number }
    )
  })

  t.test('return the number of calls', async t => {
    await service.alice.http('GET', '/events/cunknown00000000000000000')
    const { minutes } = await ask('/system/minutes')
    const calls = minutes.reduce((sum: number, minute: { calls: number }) => sum + minute.calls, 0)
    t.ok(calls > 0)
    t.ok(minutes.some(({ refused }: { refused: number }) => refused > 0))
  })
})
