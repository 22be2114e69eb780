/** A node refuses an engine that would lose acknowledged records, and reports everything that is wrong with it. */
import t from 'tap'
import { EngineUnavailable } from '../../../cluster/engine.js'
import { checkEngine, EngineUnfit } from '../../../cluster/nats/check.js'
import { callApi } from '../../../cluster/nats/jetstream.js'
import { fetchJetStreamState } from '../../../cluster/nats/monitor.js'
import { EngineServers, until } from '../engine-servers.js'

t.setTimeout(900_000)

/** Returns the problems that the check reports. */
async function problemsOf(monitors: readonly string[], hasObjects = true): Promise<string> {
  const end = await checkEngine({ monitors, hasObjects }).catch((error: unknown) => error)
  return end instanceof EngineUnfit ? end.message : ''
}

t.test('a correctly configured engine', async t => {
  const servers = await EngineServers.start(t)
  const engine = await servers.connect(t)
  const { monitors } = servers

  const without = await problemsOf(monitors)
  t.match(
    without,
    /no stream COFFER_PLATFORM, KV_coffer_lease, COFFER_WAL_00 and 64 more\. Run "coffer cluster init"/
  )

  await servers.makeStreams(engine, true)
  t.same(await checkEngine({ monitors, hasObjects: true }), [])

  t.match(await problemsOf(monitors.slice(0, 2)), /lists 2 of the servers/)
  t.match(
    await problemsOf([monitors[0]!, monitors[1]!, monitors[0]!]),
    /are the same server\. List each server once/
  )

  await callApi(engine.connection, 'STREAM.DELETE.COFFER_WAL_07', {}, 5000)
  const config = { name: 'COFFER_WAL_07', subjects: ['coffer.wal.07.>'], storage: 'file', num_replicas: 1 }
  await callApi(engine.connection, 'STREAM.CREATE.COFFER_WAL_07', config, 5000)
  const once = await problemsOf(monitors)
  t.match(once, /COFFER_WAL_07 has fewer than 3 replicas/)
  t.match(
    once,
    /COFFER_WAL_07 has a discard policy other than refusing new messages/,
    'everything is told at once'
  )
  await servers.makeStreams(engine, true)
  // While the replicas are created, no server may report the stream; servers without one cannot lose another yet.
  await until('making the streams again mends it', async () => (await problemsOf(monitors)) === '')
  await until('all servers have the stream', async () => {
    const copies = await Promise.all(monitors.map(fetchJetStreamState))
    return copies.every(jetStream => jetStream?.streams.has('COFFER_WAL_07'))
  })

  await servers.kill(0)
  t.same(await checkEngine({ monitors, hasObjects: true }), [monitors[0]], 'one of three may be down')
  await servers.kill(1)
  await t.rejects(checkEngine({ monitors, hasObjects: true }), EngineUnavailable)
})

t.test('an engine that acknowledges before it syncs', async t => {
  const servers = await EngineServers.start(t, { syncAlways: false })
  const problems = await problemsOf(servers.monitors)
  for (const name of ['n1', 'n2', 'n3'])
    t.match(problems, new RegExp(`${name} .*Set "sync_interval: always" in "jetstream"`))
})
