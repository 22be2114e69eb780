/** Nodes and servers that are restarted one by one under load, as for an upgrade: calls wait, but not long. */
import t from 'tap'
import { inWords, Pauses } from '../anywhere/pauses.js'
import { isLeftOut, Machines, rounds, timeoutMs } from './machines.js'

t.setTimeout(timeoutMs)

t.test('machines are restarted one by one', { skip: isLeftOut }, async t => {
  const pauses = new Pauses()
  const machines = await Machines.start(t, {
    load: { patienceMs: 20_000, told: ({ untilMs, username }) => pauses.answered(username, untilMs) }
  })
  const { load, nodes, servers } = machines
  const users = machines.people.map(({ username }) => username)
  for (let round = 0; round < rounds; round++) {
    const index = round % nodes.length
    const node = nodes[index]!
    const steps: readonly [what: string, act: () => Promise<void>][] = [
      ['node is stopped', () => node.stop()],
      ['node is started', () => machines.startNode(node)],
      ['server is stopped', () => servers.stop(index, 'SIGUSR2')],
      ['server is started', () => servers.restart(index)]
    ]
    for (const [what, act] of steps) {
      pauses.ms.length = 0
      const over = pauses.begin(users)
      const [fromMs, refused] = [performance.now(), load.refused]
      await act()
      const tookMs = Math.round(performance.now() - fromMs)
      if (what.endsWith('started')) await machines.isWhole('all to be as before')
      else await machines.recovered('everybody to be served')
      await over()
      if (what.startsWith('node')) t.equal(load.refused, refused, `${what}: calls wait, and none is refused`)
      t.comment(
        `${round + 1}: ${what} in ${tookMs} ms: pauses of ${inWords(pauses.ms)}; ${load.refused - refused} refused`
      )
    }
  }
  await machines.end(t)
})
