/** A message that waits for a channel goes on at the node that takes the account over. (docs/api/channels.md#delivery) */
import { test } from 'tap'
import { createFixedShards } from '../../core/call/shard.js'
import { addChannel, queue, reaches } from '../core/channels/world.js'
import { receiver } from '../support/receiver.js'
import { until } from '../support/socket.js'
import { begin, client, move, nameAt, startPair, userAt } from './anywhere/memory-nodes.js'
import { MemoryCluster } from './memory-engine.js'

test('a message waits while its account moves', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = await startPair(t, cluster, { channels: { allowInternalTargets: true, maxPerHour: 2 } })
  const alice = nameAt(n1, 0)
  await userAt([n1, n2], alice)
  const server = await receiver(t)
  server.answer = 503
  const before = client(n1, alice)
  const channel = await addChannel(before, 'webhook', { url: server.url })
  await queue(before, { key: 'a', channelIds: [channel.id] })
  await reaches(before, channel.id, 'waiting', 1)

  await move(n1, n2, createFixedShards(64).indexOf(alice))
  await until(() => n2.owns(alice), 'the move')
  server.answer = 200
  const after = client(n2, alice)
  for (const { service } of [n1, n2]) service.clock.advance(2)
  await reaches(after, channel.id, 'delivered', 2)
  t.equal(server.deliveries.length, 2, 'one attempt at each node')
  t.equal(
    new Set(server.deliveries.map(({ headers }) => headers['coffer-message-id'])).size,
    1,
    'the receiver can tell that it is the same'
  )

  await queue(after, { key: 'b', channelIds: [channel.id] })
  await reaches(after, channel.id, 'delivered', 1)
  await queue(after, { key: 'c', channelIds: [channel.id] })
  await until(
    async () =>
      (await after.do('channels.getOne', { id: channel.id })).deliveries.some(
        ({ state }: { state: string }) => state === 'held'
      ),
    'the hourly limit, which moves along'
  )
})
