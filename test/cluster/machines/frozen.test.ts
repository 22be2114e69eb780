/** Nodes, engine servers or whole machines that freeze under load and resume: nothing is lost or stale. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { inWords, isLeftOut, Machines, rounds, timeoutMs } from './machines.js'

t.setTimeout(timeoutMs)

/** What freezes. */
const kinds = ['node', 'server', 'machine'] as const
/** Range of the duration, in seconds. */
const [shortest, longest] = [2, 30]

t.test('parts of a machine freeze', { skip: isLeftOut }, async t => {
  const machines = await Machines.start(t)
  const { load, nodes, random, servers } = machines
  for (let round = 0; round < rounds; round++) {
    const index = machines.pick()
    const kind = kinds[round % kinds.length]!
    const node = nodes[index]!
    const seconds = shortest + random.below(longest - shortest + 1)
    if (kind !== 'server') node.freeze()
    if (kind !== 'node') servers.freeze(index)
    const outage = machines.recovered('everybody to be served')
    await wait(1000 * seconds)
    // The calls sent now are handled when it resumes.
    const probing = load.probe(node.url)
    if (kind !== 'node') servers.thaw(index)
    if (kind !== 'server') node.thaw()
    await probing
    t.comment(`${round + 1}: ${kind} ${index + 1} for ${seconds} s: ${inWords(await outage)}`)
    await machines.isWhole('all to be as before')
    t.pass(`round ${round + 1}`)
  }
  await machines.end(t)
})
