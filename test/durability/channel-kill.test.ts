/** A server that is killed while messages for channels wait and are sent: each acknowledged one arrives. */
import t from 'tap'
import { until } from '../support/socket.js'
import { receiver } from '../support/receiver.js'
import { rotate } from '../support/rotation.js'
import { post, signIn } from './requests.js'
import { ServerProcess } from './server-process.js'

t.setTimeout(300_000)

const count = 300
const flags = ['--channels.allowInternalTargets', 'true', '--channels.maxPerHour', '10000']

t.test('messages for channels survive being killed', async t => {
  const dataDir = t.testdir({})
  const target = await receiver(t)
  // The first messages hang until the process is killed.
  target.answer = () => {}
  let server = await ServerProcess.start(dataDir, flags)
  t.teardown(async () => await server.kill())
  const token = await signIn(server.url)
  const root = `${server.url}/kill-test/`
  const created = await post(
    `${root}channels`,
    { type: 'webhook', name: 'x', target: { url: target.url } },
    token
  )
  const { id } = created.channel
  const calls = Array.from({ length: count }, () => ({ method: 'channels.test', params: { id } }))
  const { results } = await post(root, calls, token)
  const queued = new Set((results as { deliveryId: string }[]).map(({ deliveryId }) => deliveryId))
  t.equal(queued.size, count)

  const arrivals = new Map<string, number>()
  let isAnswering = 0
  target.answer = response => {
    isAnswering++
    response.writeHead(200).end()
  }
  const kill = async (after: number): Promise<void> => {
    await until(() => isAnswering >= after, `${after} messages`)
    await server.kill()
    server = await ServerProcess.start(dataDir, flags)
  }
  for (const after of rotate(t, [0, count / 2])) await kill(after)
  const countArrivals = (): number => {
    arrivals.clear()
    for (const { body } of target.deliveries) arrivals.set(body.id, (arrivals.get(body.id) ?? 0) + 1)
    return arrivals.size
  }
  await until(() => countArrivals() >= count && isAnswering >= count, 'all messages')
  t.same(new Set(arrivals.keys()), queued, 'none is lost, and none is added')
  // Up to four calls of a channel are in progress, and results that were not recorded yet.
  const repeated = [...arrivals.values()].reduce((sum, each) => sum + each - 1, 0)
  t.ok(repeated <= 2 * 50, `${repeated} were repeated`)
  t.comment(`${repeated} of ${count} messages were sent twice`)
})
