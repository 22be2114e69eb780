import { createHmac } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { ManualClock } from '../../../core/time.js'
import { startServer } from '../../../server/server.js'
import {
  coffer,
  openCoffer,
  testSettings,
  type Answer,
  type Client,
  type Service
} from '../../support/coffer.js'
import { receiver, type Receiver } from '../../support/receiver.js'
import { until } from '../../support/socket.js'

const settings = { webhooks: { allowInternalTargets: true } }

interface Setup {
  readonly service: Service
  readonly alice: Client
  readonly app: Client
  readonly target: Receiver
  /** Returns the webhook's current state. */
  look(): Promise<Answer>
  /** Waits until a number of runs has been counted. */
  ran(count: number): Promise<Answer>
}

async function setUp(t: Test, webhooks = {}, fields = {}): Promise<Setup> {
  const service = await coffer(t, {
    auth: { sessionMaxAge: 1e9 },
    webhooks: { ...settings.webhooks, ...webhooks },
    shutdownSeconds: 0.4
  })
  const { alice } = service
  for (const id of ['diary', 'work']) await alice.stream(id)
  await alice.stream('private', 'diary')
  const app = await alice.grantAll([{ streamId: 'diary', level: 'manage' }], { type: 'app' })
  const target = await receiver(t)
  const { webhook } = await app.do('webhooks.create', { url: target.url, ...fields })
  const look = async (): Promise<Answer> => (await app.do('webhooks.getOne', { id: webhook.id })).webhook
  return {
    service,
    alice,
    app,
    target,
    look,
    async ran(count) {
      await until(async () => (await look()).runCount >= count, `${count} runs`)
      return await look()
    }
  }
}

t.test('a webhook', async t => {
  t.test('is called after a change, and records the run', async t => {
    const { alice, ran, service, target } = await setUp(t)
    await alice.event()
    t.same(await target.received(1), [['eventsChanged']])
    t.match(target.deliveries[0]!.body.meta, { serverTime: service.clock.now(), apiVersion: '1.6.21' })
    const run = { status: 200, timestamp: service.clock.now() }
    t.match(await ran(1), { runCount: 1, failCount: 0, currentRetries: 0, lastRun: run, runs: [run] })
  })

  t.test('is called although the clock was ahead for a moment', async t => {
    const { alice, ran, service, target } = await setUp(t)
    service.clock.advance(1e8)
    await alice.event()
    await ran(1)
    service.clock.advance(-1e8)
    await alice.event()
    service.clock.advance(4.9)
    t.equal(target.deliveries.length, 1)
    service.clock.advance(0.1)
    await ran(2)
    t.equal(target.deliveries.length, 2)
  })

  t.test('is called at most once per interval, with each pending message once', async t => {
    const { alice, ran, service, target } = await setUp(t)
    await alice.event()
    await ran(1)
    for (let n = 0; n < 3; n++) await alice.event()
    await alice.stream('more', 'diary')
    await alice.grant('read', 'diary')
    service.clock.advance(4.9)
    t.equal(target.deliveries.length, 1)
    service.clock.advance(0.1)
    t.same(await target.received(2), [
      ['eventsChanged'],
      ['eventsChanged', 'streamsChanged', 'accessesChanged']
    ])
    await ran(2)
    service.clock.advance(1000)
    t.equal(target.deliveries.length, 2, 'then nothing is left to tell')
  })

  t.test('gets one call at a time: later changes wait for the next call, in order', async t => {
    const { alice, ran, service, target } = await setUp(t)
    const held: ServerResponse[] = []
    target.answer = response => void held.push(response)
    await alice.event()
    await target.received(1)
    await alice.stream('more', 'diary')
    service.clock.advance(60)
    await alice.event()
    t.equal(target.deliveries.length, 1)
    target.answer = 200
    held[0]!.writeHead(200).end()
    await ran(1)
    service.clock.advance(5)
    t.same(await target.received(2), [['eventsChanged'], ['streamsChanged', 'eventsChanged']])
  })

  t.test('is not called for a call that failed or changed nothing', async t => {
    const { alice, target, look } = await setUp(t)
    await alice.call('events.create', { streamIds: ['unknown'], type: 'note/txt', content: 'x' })
    await alice.call('events.get')
    await alice.do('callBatch', [{ method: 'streams.create', params: { id: 'diary', name: 'x' } }])
    t.equal((await look()).runCount, 0)
    t.same(target.deliveries, [])
  })

  t.test('is called for changes of a batch', async t => {
    const { alice, target } = await setUp(t)
    const event = { streamIds: ['diary'], type: 'note/txt', content: 'x' }
    await alice.do('callBatch', [
      { method: 'events.create', params: event },
      { method: 'events.create', params: event },
      { method: 'streams.create', params: { id: 'new', name: 'new', parentId: 'diary' } }
    ])
    t.same(await target.received(1), [['eventsChanged', 'streamsChanged']])
  })

  t.test('is called for points added to a series', async t => {
    const { alice, ran, service, target } = await setUp(t)
    const { id } = await alice.event({ type: 'series:mass/kg', content: null })
    await ran(1)
    const points = [[0, 70]]
    await alice.do('hfs.add', { id, format: 'flatJSON', fields: ['deltaTime', 'value'], points })
    await until(() => {
      service.clock.advance(5)
      return target.deliveries.length === 2
    }, 'the holder follows')
    t.same(target.messages, [['eventsChanged'], ['eventsChanged']])
  })

  t.test('keeps its last runs, newest first', async t => {
    const { alice, ran, service } = await setUp(t, { runsSize: 3 })
    for (let n = 1; n <= 5; n++) {
      service.clock.advance(10)
      await alice.event()
      await ran(n)
    }
    const now = service.clock.now()
    t.match(await ran(5), {
      runCount: 5,
      lastRun: { timestamp: now },
      runs: [{ timestamp: now }, { timestamp: now - 10 }, { timestamp: now - 20 }]
    })
    t.equal((await ran(5)).runs.length, 3)
  })
})

t.test('a failing webhook', async t => {
  t.test(
    'is retried with growing delays, until it becomes inactive after the fifth consecutive failure',
    async t => {
      const { alice, app, look, ran, service, target } = await setUp(t)
      const { clock } = service
      target.answer = 500
      await alice.event()
      for (let run = 1; run <= 4; run++) {
        t.match(await ran(run), { runCount: run, failCount: run, currentRetries: run, state: 'active' })
        clock.advance(5 * run - 0.01)
        t.equal(target.deliveries.length, run, `no call before ${5 * run} seconds`)
        clock.advance(0.02)
      }
      t.match(await ran(5), {
        runCount: 5,
        failCount: 5,
        currentRetries: 5,
        state: 'inactive',
        lastRun: { status: 500 },
        runs: Array.from({ length: 5 }, () => ({ status: 500 }))
      })
      t.same(
        target.messages,
        Array.from({ length: 5 }, () => ['eventsChanged'])
      )

      target.answer = 200
      await alice.event()
      clock.advance(1000)
      t.equal(target.deliveries.length, 5, 'then it gets nothing at all')

      const { id } = await look()
      const { webhook } = await app.do('webhooks.update', { id, update: { state: 'active' } })
      t.match(webhook, { state: 'active', currentRetries: 0, runCount: 5 })
      await alice.stream('more', 'diary')
      t.same((await target.received(6))[5], ['streamsChanged'], 'reactivated, it hears of what comes then')
      t.match(await ran(6), { currentRetries: 0, failCount: 5, runCount: 6, state: 'active' })
    }
  )

  t.test('starts over after a successful call', async t => {
    const { alice, ran, service, target } = await setUp(t)
    target.answer = 404
    await alice.event()
    t.match(await ran(1), { currentRetries: 1, lastRun: { status: 404 } })
    target.answer = 204
    await alice.stream('more', 'diary')
    service.clock.advance(5)
    t.same((await target.received(2))[1], ['eventsChanged', 'streamsChanged'], 'with what came meanwhile')
    t.match(await ran(2), { currentRetries: 0, failCount: 1, lastRun: { status: 204 }, state: 'active' })
  })

  t.test('counts redirects, broken connections and timeouts as failures', async t => {
    const { alice, ran, service, target } = await setUp(t, { timeoutMs: 200 })
    target.answer = response => void response.writeHead(302, { location: '/' }).end()
    await alice.event()
    t.match(await ran(1), { lastRun: { status: 302 }, failCount: 1 })
    target.answer = response => void response.socket?.destroy()
    service.clock.advance(5)
    t.match(await ran(2), { lastRun: { status: 0 }, failCount: 2 })
    target.answer = () => {}
    service.clock.advance(10)
    t.match(await ran(3), { lastRun: { status: 0 }, failCount: 3 })
  })

  t.test('reads a limited part of a response', async t => {
    const { alice, ran, target } = await setUp(t, { timeoutMs: 5000 })
    let sent = 0
    target.answer = response => {
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024))) sent++
      }
      response.writeHead(200).on('drain', more)
      more()
    }
    await alice.event()
    t.match(await ran(1), { lastRun: { status: 200 }, failCount: 0 })
    t.ok(sent < 1000, `${sent} pieces of 64 KiB`)
  })

  t.test('does not delay others', async t => {
    const { alice, app, target } = await setUp(t, { perHost: 2, concurrency: 6 })
    target.answer = () => {}
    const quick = await receiver(t)
    for (let n = 0; n < 5; n++) await app.do('webhooks.create', { url: `${target.url}/${n}` })
    await app.do('webhooks.create', { url: quick.url })
    await alice.event()
    t.same(await quick.received(1), [['eventsChanged']])
    t.equal((await target.received(2)).length, 2, 'no more calls at a time than its host is allowed')
  })
})

t.test('webhooks are called for changes within their access', async t => {
  const { alice, app, service, target } = await setUp(t, { minIntervalMs: 0 })
  const own = (await app.do('webhooks.get')).webhooks[0]
  await app.do('webhooks.delete', { id: own.id })
  const permissions: Record<string, Parameters<Client['grantAll']>[0]> = {
    read: [{ streamId: 'diary', level: 'read' }],
    'create-only': [{ streamId: 'diary', level: 'create-only' }],
    child: [{ streamId: 'private', level: 'read' }],
    others: [
      { streamId: 'diary', level: 'read' },
      { streamId: 'private', level: 'none' }
    ],
    everything: [{ streamId: '*', level: 'read' }],
    work: [{ streamId: 'work', level: 'read' }]
  }
  const accesses = new Map<string, Client>()
  for (const [name, granted] of Object.entries(permissions)) accesses.set(name, await alice.grantAll(granted))
  for (const [name, access] of accesses) await access.do('webhooks.create', { url: `${target.url}/${name}` })
  const matrix: [what: string, change: () => Promise<unknown>, message: string, hears: string[]][] = [
    [
      'an event in diary',
      () => alice.event(),
      'eventsChanged',
      ['create-only', 'everything', 'others', 'read']
    ],
    [
      'an event in the child',
      () => alice.event({ streamIds: ['private'] }),
      'eventsChanged',
      ['child', 'create-only', 'everything', 'read']
    ],
    ['an event in work', () => alice.event({ streamIds: ['work'] }), 'eventsChanged', ['everything', 'work']],
    [
      'an event in both',
      () => alice.event({ streamIds: ['work', 'private'] }),
      'eventsChanged',
      ['child', 'create-only', 'everything', 'read', 'work']
    ],
    ['a stream', () => alice.stream('w', 'work'), 'streamsChanged', ['everything', 'work']],
    [
      'an access',
      () => alice.grant('read', 'private'),
      'accessesChanged',
      ['child', 'create-only', 'everything', 'read']
    ]
  ]
  for (const [what, change, message, hears] of matrix) {
    target.deliveries.length = 0
    await change()
    await target.received(hears.length)
    await until(
      async () =>
        (await alice.do('webhooks.get')).webhooks.every((webhook: Answer) => webhook.failCount === 0),
      'no failures'
    )
    service.clock.advance(1)
    const heard = target.deliveries.map(({ path }) => path.slice('POST /'.length))
    t.same(heard.toSorted(), hears, what)
    t.same(new Set(target.messages.flat()), new Set([message]))
  }
})

t.test('a scoped webhook receives the keys of the scopes that changed', async t => {
  const { alice, ran, service, target } = await setUp(
    t,
    {},
    {
      scopes: {
        notes: { kind: 'events', query: { streams: ['private'] } },
        tree: { kind: 'streams' }
      }
    }
  )
  await alice.event()
  await alice.stream('x', 'diary')
  t.same(await target.received(1), [['tree']])
  await ran(1)
  service.clock.advance(5)
  await alice.event({ streamIds: ['private'] })
  t.same((await target.received(2))[1], ['notes'])
})

t.test('a signed webhook has a signature of time and body', async t => {
  const { alice, app, target } = await setUp(t)
  const { webhook } = await app.do('webhooks.create', { url: `${target.url}/signed`, signed: true })
  await alice.event()
  await target.received(2)
  const signed = target.deliveries.find(({ path }) => path === 'POST /signed')!
  const [, time, digest] = /^t=([\d.]+),v1=([0-9a-f]{64})$/.exec(String(signed.headers['webhook-signature']))!
  t.equal(digest, createHmac('sha256', webhook.secret).update(`${time}.${signed.text}`).digest('hex'))
  const plain = target.deliveries.find(({ path }) => path === 'POST /')!
  t.notOk('webhook-signature' in plain.headers)
})

t.test('revoking or expiry of an access ends its webhooks', async t => {
  const { alice, app, ran, service, target } = await setUp(t)
  const short = await alice.grant('read', 'diary', { expireAfter: 60 })
  await short.do('webhooks.create', { url: `${target.url}/short` })
  await alice.event()
  await target.received(2)
  await ran(1)
  service.clock.advance(5)
  await target.received(3)
  await ran(2)
  service.clock.advance(60)
  await alice.do('accesses.delete', { id: app.access.id })
  await alice.event()
  service.clock.advance(60)
  await alice.event()
  service.clock.advance(60)
  t.equal(target.deliveries.length, 3, 'whether deleted or expired')
})

t.test('starting the service', async t => {
  const clock = new ManualClock()
  const start = (directory: string): ReturnType<typeof startServer> =>
    startServer(testSettings(directory, settings), { clock })

  t.test('notifies active webhooks only, together with messages pending at shutdown', async t => {
    const { alice, app, ran, service, target } = await setUp(t)
    const idle = (await app.do('webhooks.create', { url: `${target.url}/idle` })).webhook
    await app.do('webhooks.update', { id: idle.id, update: { state: 'inactive' } })
    await alice.event()
    await ran(1)
    await alice.stream('more', 'diary')
    t.equal(target.deliveries.length, 1, 'the interval is not over')

    // Simulates a crash: copies the files as they are, without a shutdown.
    const copy = mkdtempSync(join(tmpdir(), 'coffer-test-'))
    cpSync(service.directory, copy, { recursive: true, filter: path => !path.endsWith('.lock') })
    const server = await start(copy)
    t.teardown(async () => {
      await server.close()
      rmSync(copy, { recursive: true, force: true })
    })
    await until(() => {
      clock.advance(5)
      return target.deliveries.length >= 2
    }, 'the boot message')
    t.same(target.messages[1], ['systemBoot', 'streamsChanged'])
    t.same(
      target.deliveries.map(({ path }) => path),
      ['POST /', 'POST /']
    )
  })

  t.test('sends calls again that were pending when the process ended', async t => {
    const { alice, service, target } = await setUp(t)
    target.answer = () => {}
    await alice.event()
    await target.received(1)
    const copy = mkdtempSync(join(tmpdir(), 'coffer-test-'))
    cpSync(service.directory, copy, { recursive: true, filter: path => !path.endsWith('.lock') })
    target.answer = 200
    const server = await start(copy)
    t.teardown(async () => {
      await server.close()
      rmSync(copy, { recursive: true, force: true })
    })
    t.same((await target.received(2))[1], ['systemBoot', 'eventsChanged'])
  })

  t.test('is possible immediately, however many calls were queued at shutdown', async t => {
    const { alice, app, service, target } = await setUp(t, { perHost: 1 })
    target.answer = () => {}
    for (let n = 0; n < 20; n++) await app.do('webhooks.create', { url: `${target.url}/${n}` })
    await alice.event()
    await target.received(1)
    await service.server.close()
    target.answer = 200
    const server = await start(service.directory)
    t.teardown(() => server.close())
    const messages = await target.received(22)
    t.same(
      messages.slice(1),
      Array.from({ length: 21 }, () => ['systemBoot', 'eventsChanged'])
    )
  })

  t.test('notifies webhooks of the right account, even if others have the same ids', async t => {
    const service = await openCoffer(t, { ...settings, shutdownSeconds: 0.4 })
    const target = await receiver(t)
    target.answer = () => {}
    for (const client of [service.alice, await service.user('bob')]) {
      await client.stream('diary')
      const app = await client.grant('manage', 'diary', { type: 'app' })
      const { webhook } = await app.do('webhooks.create', { url: `${target.url}/${client.username}` })
      const { accounts } = service.server.services
      const store = accounts.openStore(accounts.find(client.username)!)
      await store.write(() => {
        const kept = store.webhooks.find(webhook.id)!
        store.webhooks.remove(webhook.id)
        store.webhooks.insert({ ...kept, webhook: { ...kept.webhook, id: 'one-for-all' } })
      })
      await client.event()
    }
    await target.received(2)
    t.same(target.deliveries.map(({ path }) => path).toSorted(), ['POST /alice', 'POST /bob'])
  })

  t.test('does not wait for unresponsive servers, and neither does stopping', async t => {
    const { alice, service, target } = await setUp(t)
    target.answer = () => {}
    await alice.event()
    await target.received(1)
    const before = performance.now()
    await service.server.close()
    t.ok(performance.now() - before < 5000)
  })
})
