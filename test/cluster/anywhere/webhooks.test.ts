/** Webhooks of users whose account file was unavailable at takeover, over an in-memory engine. */
import { test } from 'tap'
import { logSubject } from '../../../cluster/nodes/shard-placement.js'
import { createFixedShards } from '../../../core/call/shard.js'
import { receiver } from '../../support/receiver.js'
import { until } from '../../support/socket.js'
import { MemoryCluster } from '../memory-engine.js'
import { begin, client, move, nameAt, startPair, userAt } from './memory-nodes.js'

const shards = createFixedShards(64)

test('the node that takes an account over sends its pending messages once the log is available', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = await startPair(t, cluster)
  const username = nameAt(n1, 0)
  await userAt([n1, n2], username)
  const app = await receiver(t)
  const access = await client(n1, username).grant('read', 'diary', { type: 'app' })
  await access.do('webhooks.create', { url: app.url })
  const shard = shards.indexOf(username)
  const { id } = n1.service.server.services.accounts.find(username)!
  n2.engine.silent.add(logSubject(shard, id))
  await move(n1, n2, shard)
  await until(() => n2.owns(username), 'the shard to move')
  t.match(await client(n2, username).call('events.get', {}), { error: { id: 'api-unavailable' } })
  t.same(app.messages, [])
  n2.engine.silent.clear()
  await until(() => {
    n2.service.clock.advance(30)
    return app.deliveries.length > 0
  }, 'the webhook to be called')
  t.same(app.messages[0], ['systemBoot'])
})

test('the next node sends the messages of an account that moves', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = await startPair(t, cluster)
  const username = nameAt(n1, 0)
  await userAt([n1, n2], username)
  const app = await receiver(t)
  const access = await client(n1, username).grant('read', 'diary', { type: 'app' })
  const { webhook } = await access.do('webhooks.create', { url: app.url })
  const shard = shards.indexOf(username)
  const stateAt = async (node: typeof n1): Promise<{ state: string; currentRetries: number }> =>
    (await client(node, username).do('webhooks.getOne', { id: webhook.id })).webhook

  await t.test('after a failed call', async t => {
    app.answer = 503
    await client(n1, username).event({ content: 'something new' })
    await app.received(1)
    // It may have been retried already.
    t.same(app.messages[0], ['eventsChanged'])
    await until(async () => (await stateAt(n1)).currentRetries > 0, 'the failure to be noted')
    app.answer = 200
    await move(n1, n2, shard)
    await until(() => n2.owns(username), 'the shard to move')
    await until(() => {
      n2.service.clock.advance(60)
      const sent = app.messages.slice(1).flat()
      // It may be sent together with the message about the takeover, or before.
      return sent.includes('eventsChanged') && sent.includes('systemBoot')
    }, 'the messages to be sent by the other node')
    await until(async () => (await stateAt(n2)).currentRetries === 0, 'the success to be noted')
    t.equal((await stateAt(n2)).state, 'active')
    const { length } = app.messages
    for (const { service } of [n1, n2]) service.clock.advance(3600)
    await client(n2, username).event({ content: 'later' })
    await app.received(length + 1)
    t.same(app.messages.slice(length), [['eventsChanged']], 'and once only')
  })

  await t.test('during a call', async t => {
    const { length } = app.messages
    const waiting: (() => void)[] = []
    app.answer = response => void waiting.push(() => response.writeHead(200).end())
    await client(n2, username).event({ content: 'something else' })
    await app.received(length + 1)
    await move(n2, n1, shard)
    await until(() => n1.owns(username), 'the shard to move')
    app.answer = 200
    for (const answer of waiting) answer()
    // The next node cannot know whether it arrived, so it sends the message again rather than lose it.
    await until(() => {
      n1.service.clock.advance(60)
      return app.messages.slice(length + 1).some(messages => messages.includes('eventsChanged'))
    }, 'the message to be sent once more')
    t.equal((await stateAt(n1)).state, 'active')
  })
})
