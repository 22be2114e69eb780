/**
 * Machines cut off from the others under load, with clients on both sides: the isolated machine acknowledges no
 * writes, and serves no reads once its lease has ended. Nothing is lost or stale, and a cluster without fencing fails
 * this test.
 */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { fetchJetStreamState } from '../../../cluster/nats/monitor.js'
import { until } from '../engine-servers.js'
import type { Success } from '../load.js'
import { inWords, isLeftOut, longestMs, Machines, rounds, timeoutMs } from './machines.js'
import { Network, whyNoNetwork } from './network.js'

t.setTimeout(timeoutMs)

/** Range of half of the cuts, in seconds; the others end when takeover is about to begin or has just begun. */
const [shortest, longest] = [5, 30]
const [earliest, latest] = [8, 11]
/** Most rounds until missing fencing must be detected; one usually suffices. */
const mostUnfenced = 10
/** Time without a write after which nothing more will be written, in milliseconds. */
const quietMs = 10_000
/** Default of `cluster.leaseSeconds`, in milliseconds. */
const leaseMs = 6000

t.test('a machine is cut off', { skip: isLeftOut }, async t => {
  t.equal(whyNoNetwork(), undefined)
  const network = Network.make(t, 3)
  let successes: Success[] = []
  const told = (success: Success): void => void successes.push(success)
  const machines = await Machines.start(t, { places: network.places, load: { told } })
  const { load, nodes, random } = machines
  for (let round = 1; round <= rounds; round++) {
    const index = machines.pick()
    const [from, to] = random.chance(0.5) ? [shortest, longest] : [earliest, latest]
    const seconds = from + random.below(to - from + 1)
    const { url: there } = nodes[index]!
    const endVisits = load.visit(there)
    load.shunned.add(there)
    await until('both kinds of clients to be answered', () => successes.some(({ url }) => url === there))
    successes = []
    network.cut(index)
    const cutMs = performance.now()
    const outage = machines.recovered('the others to serve everybody')
    await wait(1000 * seconds)
    const healMs = performance.now()
    network.heal(index)
    const alone = successes.filter(
      ({ fromMs, untilMs, url }) => url === there && fromMs > cutMs && untilMs < healMs
    )
    const others = successes.filter(({ url }) => url !== there)
    const reads = alone.filter(({ isWrite }) => !isWrite)
    const last = reads.reduce((latest, { fromMs }) => Math.max(latest, fromMs - cutMs), 0)
    const times = await outage
    t.comment(
      `${round}: n${index + 1} for ${seconds} s: ${inWords(times)}; ${reads.length} reads there, the last one after ` +
        `${Math.round(last)} ms; ${others.length} answers elsewhere`
    )
    t.same(
      alone.filter(({ isWrite }) => isWrite),
      [],
      'acknowledges nothing'
    )
    t.ok(last <= leaseMs, `its last answer was to a read that began after ${Math.round(last)} ms`)
    t.ok(others.length > 0)
    await endVisits()
    load.shunned.clear()
    await machines.isWhole('all to be as before')
  }
  await machines.end(t)
})

const unfenced = 'a machine is cut off, without lease and without the rule that the log is the lock'
t.test(unfenced, { skip: isLeftOut }, async t => {
  t.equal(whyNoNetwork(), undefined)
  const network = Network.make(t, 3)
  const machines = await Machines.start(t, {
    places: network.places,
    environment: { COFFER_TEST_FENCE: 'off' },
    // Tracking and audit are commits, which the isolated machine would wait for before its next response.
    flags: ['--accessTracking=false', '--audit.active=false']
  })
  const { load, nodes } = machines
  await load.end()
  for (let round = 1; round <= mostUnfenced; round++) {
    const index = machines.pick()
    const other = nodes[(index + 1) % nodes.length]!
    await quiet(machines)
    network.cut(index)
    await until('the others to serve everybody', () => load.setAll(other.url), longestMs)
    // It has written nothing yet that it would wait for.
    await load.readAll(nodes[index]!.url)
    await load.probe(nodes[index]!.url)
    network.heal(index)
    t.comment(`${round}: n${index + 1}, ${load.faults.length} faults`)
    if (load.faults.length > 0) break
    await until('all to be as before', () => load.setAll(nodes[index]!.url), longestMs)
  }
  t.not(load.faults.length, 0, 'is noticed')
  t.comment(load.faults.slice(0, 5).join('; '))
})

/**
 * Resolves when nothing has been written to the logs for long enough that nothing more will be: calls are tracked
 * within a second, texts indexed after five.
 */
async function quiet({ servers }: Machines): Promise<void> {
  let [written, sinceMs] = [-1, 0]
  await until('nothing to be written any more', async () => {
    const jetStream = await fetchJetStreamState(servers.monitors[0]!)
    const now = Array.from(jetStream?.streams.values() ?? []).reduce(
      (sum, { name, state }) => sum + (name.startsWith('COFFER_WAL') ? state.last_seq : 0),
      0
    )
    if (now !== written) [written, sinceMs] = [now, performance.now()]
    return performance.now() - sinceMs > quietMs
  })
}
