/** What operators see of nodes: metrics, which the sample dashboard and alerts name, and alarms. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type Test } from 'tap'
import { parse } from 'yaml'
import { alarmKinds, type Alarm } from '../../../cluster/alarm.js'
import type { EngineReport } from '../../../cluster/nats/engine-monitor.js'
import { beginPlatform } from '../../../cluster/platform/begin-platform.js'
import { silentLog } from '../../../core/log.js'
import { ManualClock } from '../../../core/time.js'
import { packageDirectory } from '../../../core/version.js'
import { parseControlResponse, encodeControlRequest } from '../../../server/nodes/control.js'
import { startServer } from '../../../server/server.js'
import { Layout } from '../../../storage/files/layout.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import { Client, methodModules, Service, testSettings } from '../../support/coffer.js'
import { until } from '../../support/socket.js'
import { MemoryCluster, type MemoryEngine } from '../memory-engine.js'
import { MemoryObjects } from '../memory-objects.js'

const adminKey = 'the key of the operator'
const objects = new MemoryObjects()

interface Node {
  readonly service: Service
  readonly engine: MemoryEngine
  readonly logged: string[]
  /** The result of the engine check. */
  found: EngineReport
}

function folder(t: Test): string {
  const directory = mkdtempSync(join(tmpdir(), 'coffer-oversight-'))
  t.teardown(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Starts a node on an engine in memory, whose state the test decides. */
async function startNode(t: Test, cluster: MemoryCluster, name: string): Promise<Node> {
  const directory = folder(t)
  const clock = new ManualClock()
  const engine = cluster.connect()
  const logged: string[] = []
  const stream = { stream: 'COFFER_WAL_00', messages: 3, bytes: 500, limitBytes: 1000, current: 3 }
  const node = { engine, logged, found: { alarms: [] as Alarm[], streams: [stream] } }
  const server = await startServer(
    testSettings(directory, {
      workers: 0,
      adminKey,
      cluster: {
        node: name,
        engine: 'nats://memory',
        leaseSeconds: 2,
        takeoverSeconds: 4,
        compareSeconds: 1
      },
      alarms: { freePercent: 0 }
    }),
    {
      clock,
      methodModules,
      shared: { engine, objects, inspect: async () => node.found, linkStatus: { isUp: true, reconnects: 2 } },
      log: {
        ...silentLog,
        info: message => void logged.push(message),
        error: message => void logged.push(message)
      }
    }
  )
  t.teardown(async () => {
    engine.isCutOff = false
    await server.close()
  })
  return Object.assign(node, { service: new Service(server, clock, directory) })
}

/** Creates the platform log, without accounts. */
async function begin(t: Test, cluster: MemoryCluster): Promise<void> {
  const directory = folder(t)
  const platform = new PlatformStore(new Layout(directory))
  await beginPlatform(platform, { engine: cluster.connect(), objects, draftsDirectory: directory })
  platform.close()
}

async function exposition({ service }: Node): Promise<string> {
  const response = await fetch(`${service.server.url}/metrics`, { headers: { authorization: adminKey } })
  if (!response.ok) throw new Error(await response.text())
  return await response.text()
}

/** Returns the value of a metric, with its labels as written. */
async function value(node: Node, metric: string): Promise<number> {
  const line = (await exposition(node)).split('\n').find(each => each.startsWith(`${metric} `))
  return line === undefined ? NaN : Number(line.slice(metric.length + 1))
}

/** Returns the state that the operator page shows. */
async function state({
  service
}: Node): Promise<{ alarms: { text: string; since: number }[]; problems: object[] }> {
  const { body } = await service.http('GET', '/system/state', undefined, { authorization: adminKey })
  return (body as { state: never }).state
}

test('two nodes', { timeout: 240_000 }, async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = (await Promise.all(['n1', 'n2'].map(name => startNode(t, cluster, name)))) as [Node, Node]
  const shards = async (): Promise<number> =>
    (await value(n1, 'coffer_cluster_shards')) + (await value(n2, 'coffer_cluster_shards'))
  const both = async (): Promise<boolean> =>
    (await shards()) === 64 &&
    (await value(n1, 'coffer_cluster_shards')) > 0 &&
    (await value(n2, 'coffer_cluster_shards')) > 0
  await untilSo(both)

  await t.test('report metrics of their work', async t => {
    t.equal(await value(n1, 'coffer_cluster_nodes{state="alive"}'), 2)
    t.equal(await value(n1, 'coffer_cluster_lease_valid'), 1)
    t.ok((await value(n1, 'coffer_cluster_lease_age_seconds')) >= 0)
    t.ok((await value(n1, 'coffer_cluster_shards_taken_total')) >= (await value(n1, 'coffer_cluster_shards')))
    t.equal(await value(n1, 'coffer_engine_connected'), 1)
    t.equal(await value(n1, 'coffer_engine_reconnects_total'), 2)
    await untilSo(async () => (await value(n1, 'coffer_engine_stream_bytes{stream="COFFER_WAL_00"}')) === 500)
    t.equal(await value(n1, 'coffer_engine_stream_limit_bytes{stream="COFFER_WAL_00"}'), 1000)
    t.ok((await value(n1, 'coffer_engine_looked_timestamp_seconds')) > 1e9)
    t.equal(await value(n1, 'coffer_cluster_outbox_commits'), 0)

    const owner = [n1, n2].find(({ service }) =>
      service.server.services.accounts.owns({ username: 'alice' })
    )!
    const other = owner === n1 ? n2 : n1
    const { access } = await owner.service.call(undefined, 'test.createUser', { username: 'alice' })
    await new Client(owner.service, 'alice', access).stream('diary')
    t.equal(await value(owner, 'coffer_cluster_takeover_duration_seconds_count'), 1)
    const before = await value(other, 'coffer_cluster_forwarded_call_duration_seconds_count')
    await new Client(other.service, 'alice', access).event({ content: 'from there' })
    t.equal(await value(other, 'coffer_cluster_forwarded_call_duration_seconds_count'), before + 1)
    t.equal(
      await value(other, 'coffer_cluster_forwarded_call_duration_seconds_bucket{le="+Inf"}'),
      before + 1
    )

    // Another node claims the account.
    owner.engine.isCutOff = true
    const writing = new Client(owner.service, 'alice', access).call('events.create', {
      streamIds: ['diary'],
      type: 'note/txt',
      content: 'under way'
    })
    await untilSo(async () => (await value(owner, 'coffer_cluster_outbox_commits')) > 0)
    t.equal(await value(owner, 'coffer_cluster_outbox_accounts'), 1)
    owner.engine.isCutOff = false
    await writing
    await untilSo(async () => (await value(owner, 'coffer_cluster_outbox_commits')) === 0)
    await untilSo(both)
  })

  await t.test('report each alarm once while it is active', async t => {
    for (const kind of alarmKinds) t.equal(await value(n1, `coffer_cluster_alarms{kind="${kind}"}`), 0, kind)
    const text = 's1 lacks records of COFFER_WAL_00'
    n1.found = { ...n1.found, alarms: [{ kind: 'replica', about: 's1', text }] }
    await untilSo(async () => (await value(n1, 'coffer_cluster_alarms{kind="replica"}')) === 1)
    t.match((await state(n1)).alarms, [{ kind: 'replica', about: 's1', text }])
    t.match((await state(n1)).problems, [{ level: 'error', message: `alert: ${text}`, count: 1 }])
    const told = parseControlResponse(
      await n2.engine.send('n1', encodeControlRequest({ do: 'tell' }), 60_000)
    )
    t.match(told, { ok: true, alarms: [{ kind: 'replica', text }] })
    n1.found = { ...n1.found, alarms: [] }
    await untilSo(async () => (await value(n1, 'coffer_cluster_alarms{kind="replica"}')) === 0)
    t.same((await state(n1)).alarms, [])
    t.equal(n1.logged.filter(message => message === `alert: ${text}`).length, 1)
    t.equal(n1.logged.filter(message => message === 'alert resolved: replica').length, 1)
  })

  await t.test('refuse unknown control requests', async t => {
    const answer = await n2.engine.send('n1', Buffer.from('{"do":"something else"}'), 60_000)
    t.match(parseControlResponse(answer), { ok: false, message: /does not support/ })
    t.match(parseControlResponse(await n2.engine.send('n1', Buffer.from('{'), 60_000)), { ok: false })
    t.ok((await value(n1, 'coffer_cluster_shards')) > 0)
  })

  await t.test('export each metric that the samples name', async t => {
    const known = new Set(Array.from((await exposition(n1)).matchAll(/^# TYPE (\S+)/gm), ([, name]) => name!))
    for (const file of ['alerts.yaml', 'dashboard.json']) {
      const text = readFileSync(join(packageDirectory, 'deploy', 'cluster', file), 'utf8')
      const named = new Set(Array.from(text.matchAll(/\bcoffer_\w+/g), ([name]) => name))
      t.ok(named.size > 5, file)
      for (const name of named)
        t.ok(known.has(name) || known.has(name.replace(/_(?:bucket|count|sum)$/, '')), `${file}: ${name}`)
    }
    const rules = parse(readFileSync(join(packageDirectory, 'deploy', 'cluster', 'alerts.yaml'), 'utf8')) as {
      groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[]
    }
    // Prometheus refuses the whole file if one template is wrong. Templates cannot calculate.
    for (const { alert, annotations, expr } of rules.groups.flatMap(group => group.rules)) {
      t.ok(/^Coffer\w+$/.test(alert) && expr !== '' && annotations.summary !== '', alert)
      t.notMatch(annotations.summary.replaceAll(/\{\{ \$(?:value|labels\.\w+) \}\}/g, ''), '{', alert)
    }
    const described = readFileSync(join(packageDirectory, 'docs', 'cluster.md'), 'utf8')
    for (const name of known)
      if (/^coffer_(?:cluster|engine)_/.test(name))
        t.ok(described.includes(`\`${name}\``), `${name} is documented`)
    for (const kind of alarmKinds) t.ok(described.includes(`\`${kind}\``), `${kind} is documented`)
  })
})

async function untilSo(holds: () => Promise<boolean>): Promise<void> {
  await until(holds, 'it to be so')
}
