/** A server that is killed between the commit of an event and the message about it: each rule that is met tells exactly once. */
import t from 'tap'
import type { Answer } from '../support/coffer.js'
import { until } from '../support/socket.js'
import { receiver } from '../support/receiver.js'
import { rotate } from '../support/rotation.js'
import { post, send, signIn } from './requests.js'
import { ServerProcess } from './server-process.js'

t.setTimeout(300_000)

const rounds = Array.from({ length: process.env['COFFER_TEST_LONG'] === '1' ? 20 : 2 }, (_, round) => round)
const flags = ['--channels.allowInternalTargets', 'true']

t.test('rules survive being killed', async t => {
  const dataDir = t.testdir({})
  const target = await receiver(t)
  let server = await ServerProcess.start(dataDir, flags)
  t.teardown(async () => await server.kill())
  const token = await signIn(server.url)
  const root = (): string => `${server.url}/kill-test/`
  await post(`${root()}streams`, { id: 'body', name: 'body' }, token)
  const { channel } = await post(
    `${root()}channels`,
    { type: 'webhook', name: 'x', target: { url: target.url } },
    token
  )
  const listTold = async (id: string): Promise<Answer[]> => {
    const { deliveries } = await send('GET', `${root()}channels/${channel.id}`, undefined, token)
    return deliveries.filter(({ source }: Answer) => source.id === id)
  }
  let stored = 0
  for (const round of rotate(t, rounds)) {
    const { rule } = await post(
      `${root()}rules`,
      {
        name: `rule ${round}`,
        channelIds: [channel.id],
        condition: { kind: 'above', measure: 'heart-rate', value: 100 }
      },
      token
    )
    const event = { streamIds: ['body'], type: 'frequency/bpm', content: 120 }
    const sent = post(`${root()}events`, event, token).then(
      () => true,
      () => false
    )
    // Before, during and after the commit.
    const delayMs = (round * 7) % 20
    await Promise.race([sent, new Promise(resolve => setTimeout(resolve, delayMs))])
    if (round % 2 === 0) await sent
    await server.kill()
    const isAcknowledged = await sent
    server = await ServerProcess.start(dataDir, flags)
    const { events } = await send('GET', `${root()}events?types[]=frequency/bpm&limit=1000`, undefined, token)
    const isStored = events.length > stored
    stored = events.length
    t.ok(isStored || !isAcknowledged, 'what was acknowledged is stored')
    if (!isStored) continue
    await until(async () => (await listTold(rule.id)).length > 0, `a message of round ${round}`)
    t.equal((await listTold(rule.id)).length, 1, `round ${round}`)
  }
  await until(() => target.deliveries.length >= stored, 'all calls')
  const { rules } = await send('GET', `${root()}rules`, undefined, token)
  for (const { id } of rules as Answer[]) t.ok((await listTold(id)).length <= 1, 'none tells twice')
  t.comment(`${stored} events were stored`)
})
