/**
 * Machines that die under load, node and engine server together, and return with the files on their disks or with
 * none: nothing acknowledged is lost, and nothing stale is read.
 */
import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { inWords, isLeftOut, Machines, rounds, timeoutMs } from './machines.js'

t.setTimeout(timeoutMs)

t.test('a machine dies', { skip: isLeftOut }, async t => {
  const machines = await Machines.start(t)
  for (let round = 1; round <= rounds; round++) {
    const index = machines.pick()
    await machines.kill(index)
    const times = await machines.recovered('the others to serve everybody')
    t.comment(`${round}: n${index + 1} is dead: ${inWords(times)}`)
    await machines.restart(index)
    await machines.isWhole('it to be back')
    t.pass(`round ${round}`)
  }
  await machines.end(t)
})

t.test('a machine dies and its disks are lost', { skip: isLeftOut }, async t => {
  const machines = await Machines.start(t)
  for (let round = 1; round <= rounds; round++) {
    const index = machines.pick()
    await machines.kill(index)
    machines.servers.wipe(index)
    rmSync(machines.nodes[index]!.options.directory, { recursive: true })
    const times = await machines.recovered('the others to serve everybody')
    t.comment(`${round}: n${index + 1} is gone: ${inWords(times)}`)
    // The operator does nothing else: the same names and settings, empty disks.
    const fromMs = performance.now()
    await machines.restart(index)
    await machines.isWhole('it to have all again')
    t.comment(`${round}: all is there again after ${Math.round(performance.now() - fromMs)} ms`)
    t.pass(`round ${round}`)
  }
  await machines.end(t)
})

t.test('a second node is killed while the others take over from the first', { skip: isLeftOut }, async t => {
  const machines = await Machines.start(t)
  const { nodes, random } = machines
  for (let round = 1; round <= rounds; round++) {
    const first = random.pick(nodes)
    const second = random.pick(nodes.filter(node => node !== first))
    await first.kill()
    // Others notice the first after 8 s of silence.
    const afterMs = 6000 + random.below(6000)
    await wait(afterMs)
    await second.kill()
    const times = await machines.recovered('the third node to serve everybody')
    t.comment(`${round}: killed ${afterMs} ms apart: after the second, ${inWords(times)}`)
    for (const node of [first, second]) await machines.startNode(node)
    await machines.isWhole('both to be back')
    t.pass(`round ${round}`)
  }
  await machines.end(t)
})
