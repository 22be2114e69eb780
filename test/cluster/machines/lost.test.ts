/**
 * Machines that die under load, node and server of the engine at once, and come back, with what they had on their disks or with
 * nothing: nothing that was acknowledged is lost, and nothing stale is read.
 */
import { rmSync } from 'node:fs'
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

t.test('a machine dies, and its disks are lost', { skip: isLeftOut }, async t => {
  const machines = await Machines.start(t)
  for (let round = 1; round <= rounds; round++) {
    const index = machines.pick()
    await machines.kill(index)
    machines.servers.wipe(index)
    rmSync(machines.nodes[index]!.options.directory, { recursive: true })
    const times = await machines.recovered('the others to serve everybody')
    t.comment(`${round}: n${index + 1} is gone: ${inWords(times)}`)
    // Nothing else is done by whoever looks after them: the same names, the same settings, empty disks.
    const fromMs = performance.now()
    await machines.restart(index)
    await machines.isWhole('it to have all again')
    t.comment(`${round}: all is there again after ${Math.round(performance.now() - fromMs)} ms`)
    t.pass(`round ${round}`)
  }
  await machines.end(t)
})
