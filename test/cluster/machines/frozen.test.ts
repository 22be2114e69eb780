/** Nodes, servers of the engine or whole machines that hang under load, and go on: nothing is lost, and nothing stale is read. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { inWords, isLeftOut, Machines, rounds, timeoutMs } from './machines.js'

t.setTimeout(timeoutMs)

/** What hangs. */
const kinds = ['node', 'server', 'machine'] as const
/** Least and most seconds. */
const [shortest, longest] = [2, 30]

t.test('parts of a machine hang', { skip: isLeftOut }, async t => {
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
    // What it is asked now it answers when it goes on.
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
