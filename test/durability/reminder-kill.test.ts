/** A server that is killed while reminders become due: each is notified, with one message. */
import t from 'tap'
import { receiver } from '../support/receiver.js'
import { rotate } from '../support/rotation.js'
import { until } from '../support/socket.js'
import { post, send, signIn } from './requests.js'
import { ServerProcess } from './server-process.js'

t.setTimeout(300_000)

const count = 100
const flags = ['--channels.allowInternalTargets', 'true', '--channels.maxPerHour', '10000']

t.test('reminders survive being killed', async t => {
  const dataDir = t.testdir({})
  const target = await receiver(t)
  let server = await ServerProcess.start(dataDir, flags)
  t.teardown(async () => await server.kill())
  const token = await signIn(server.url)
  const call = async (path: string, body: object) =>
    await post(`${server.url}/kill-test/${path}`, body, token)
  await call('streams', { id: 'pills', name: 'Pills' })
  const { channel } = await call('channels', { type: 'webhook', name: 'x', target: { url: target.url } })
  // All are due at the next full minute, or at the one after it if that is too soon.
  const due = Math.ceil((Date.now() / 1000 + 10) / 60) * 60
  const reminder = {
    name: 'pill',
    kind: 'medication',
    schedule: { times: [new Date(due * 1000).toISOString().slice(11, 16)] },
    zone: 'UTC',
    streamId: 'pills',
    event: { type: 'note/txt', content: 'taken' },
    channelIds: [channel.id]
  }
  const { results } = await call(
    '',
    Array.from({ length: count }, () => ({ method: 'reminders.create', params: reminder }))
  )
  const ids = new Set((results as { reminder: { id: string; next: number } }[]).map(each => each.reminder.id))
  t.equal(ids.size, count)
  const restart = async (): Promise<void> => {
    await server.kill()
    server = await ServerProcess.start(dataDir, flags)
  }
  await until(() => Date.now() / 1000 > due - 12, 'the minute before')
  for (const after of rotate(t, [1, 50])) {
    await until(() => target.deliveries.length >= after, `${after} messages`)
    await restart()
  }
  const bySource = new Map<string, Set<string>>()
  await until(() => {
    for (const { body } of target.deliveries) {
      const known = bySource.get(body.source.id) ?? new Set()
      bySource.set(body.source.id, known.add(body.id))
    }
    return bySource.size === count
  }, 'all reminders')
  t.same(new Set(bySource.keys()), ids, 'each is notified')
  t.ok(
    [...bySource.values()].every(messages => messages.size === 1),
    'with one message, which channels may repeat after a kill'
  )
  const { occurrences } = await send('GET', `${server.url}/kill-test/reminders`, undefined, token)
  const now = (occurrences as { due: number }[]).filter(each => each.due === due)
  t.equal(now.length, count, 'and recorded once')
})
