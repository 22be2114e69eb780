/** Webhooks of users whose file could not be had when they were taken over: over an engine in memory. */
import { test } from 'tap'
import { logSubject } from '../../../cluster/nodes/places.js'
import { fixedShards } from '../../../core/call/shard.js'
import { receiver } from '../../support/receiver.js'
import { until } from '../../support/socket.js'
import { MemoryCluster } from '../memory-engine.js'
import { begin, client, move, nameAt, startPair, userAt } from './memory-nodes.js'

const shards = fixedShards(64)

test('what a user owes is sent by who has taken them over, however late their log can be reached', async t => {
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
