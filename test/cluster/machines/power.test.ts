/**
 * The power of all machines is cut together under load: acknowledged writes are there when they return. If the engine
 * does not sync before it acknowledges, the same test finds losses.
 */
import t from 'tap'
import { fetchJetStreamState } from '../../../cluster/nats/monitor.js'
import { until } from '../engine-servers.js'
import { Disks, whyNoDisks } from './disks.js'
import { isLeftOut, Machines, rounds, timeoutMs } from './machines.js'

t.setTimeout(timeoutMs)

/** Cuts the power of all machines, and restarts them. */
async function cutPower({ nodes, servers }: Machines, disks: Disks): Promise<void> {
  // A process that still ran without a disk might acknowledge what is stored nowhere.
  for (const [index, node] of nodes.entries()) {
    node.freeze()
    servers.freeze(index)
  }
  disks.cut()
  await Promise.all(nodes.flatMap((node, index) => [node.kill(), servers.kill(index)]))
  disks.return()
  await Promise.all(nodes.map((_, index) => servers.restart(index)))
}

t.test('the power of all machines is cut', { skip: isLeftOut }, async t => {
  t.equal(whyNoDisks(), undefined)
  const disks = Disks.make(t, 3)
  const machines = await Machines.start(t, { places: disks.places })
  for (let round = 1; round <= rounds; round++) {
    await cutPower(machines, disks)
    const fromMs = performance.now()
    await Promise.all(machines.nodes.map(node => machines.startNode(node)))
    await machines.isWhole('all to be well again')
    t.comment(`${round}: all is well ${Math.round(performance.now() - fromMs)} ms after the servers are back`)
    t.same(machines.load.faults, [], `round ${round}`)
  }
  await machines.end(t)
})

t.test('the power is cut and the engine has not synced', { skip: isLeftOut }, async t => {
  t.equal(whyNoDisks(), undefined)
  const disks = Disks.make(t, 3)
  const machines = await Machines.start(t, { places: disks.places, syncAlways: false })
  const before = await recordsIn(machines)
  await cutPower(machines, disks)
  await machines.load.end()
  await until('the servers to have read their files', () => machines.areCurrent())
  const after = await recordsIn(machines)
  t.ok(after < before, `${after} of ${before} records of accounts are left`)
})

/** Returns the number of records in the account logs, by the replicas that have most of them. */
async function recordsIn({ servers }: Machines): Promise<number> {
  const most = new Map<string, number>()
  for (const jetStream of await Promise.all(servers.monitors.map(fetchJetStreamState)))
    for (const [stream, { state }] of jetStream?.streams ?? [])
      if (stream.startsWith('COFFER_WAL_')) most.set(stream, Math.max(most.get(stream) ?? 0, state.messages))
  return Array.from(most.values()).reduce((sum, count) => sum + count, 0)
}
