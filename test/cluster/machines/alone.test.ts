/**
 * Machines that are cut off from the others under load, with clients on both sides: the one that is alone acknowledges nothing and
 * answers no read once its lease has ended, and nothing is lost or stale. Without the rules of the cluster that is noticed.
 */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { until } from '../engine-servers.js'
import type { Success } from '../load.js'
import { inWords, isLeftOut, Machines, rounds, timeoutMs } from './machines.js'
import { Network, whyNoNetwork } from './network.js'

t.setTimeout(timeoutMs)

/** Least and most seconds. */
const [shortest, longest] = [5, 30]
/** What `cluster.leaseSeconds` is by default, in milliseconds. */
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
    const seconds = shortest + random.below(longest - shortest + 1)
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
    environment: { COFFER_TEST_FENCE: 'off' }
  })
  const { load, nodes } = machines
  for (let round = 1; load.faults.length === 0 && round <= Math.max(rounds, 5); round++) {
    const index = machines.pick()
    const { url } = nodes[index]!
    const endVisits = load.visit(url)
    load.shunned.add(url)
    network.cut(index)
    await machines.recovered('the others to serve everybody')
    network.heal(index)
    await load.probe(url)
    await endVisits()
    load.shunned.clear()
  }
  t.not(load.faults.length, 0, 'is noticed')
  t.comment(load.faults.slice(0, 5).join('; '))
})
