/** Registers that no node has written, and false announcements: no node stops, and everything is served again. */
import { test } from 'tap'
import { parsePlacement, shardCount, shardKey } from '../../../cluster/nodes/shard-placement.js'
import { nodeKey, parseNodeState } from '../../../cluster/nodes/node-state.js'
import { until } from '../../support/socket.js'
import { MemoryCluster } from '../memory-engine.js'
import { isShared, started } from './shard-nodes.js'

/** Contents that no node writes. */
const broken = ['', '{', 'null', '"text"', '{}', '{"node":7}', '[]']

/** Writes to a register, whatever its content. */
function scribble(cluster: MemoryCluster, key: string, text: string): void {
  const revision = ++cluster.last
  cluster.registers.set(key, { key, revision, bytes: Buffer.from(text) })
}

test('malformed registers are not parsed', async t => {
  for (const text of broken) {
    t.equal(parsePlacement({ bytes: Buffer.from(text) }), undefined, text)
    t.equal(parseNodeState({ bytes: Buffer.from(text) }), undefined, text)
  }
})

test('the register of a shard', async t => {
  t.test('is rewritten by the node that serves the shard', async t => {
    const cluster = new MemoryCluster()
    const [first, second] = await started(t, cluster, 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    const theirs = first!.shards.owned
    for (const [index, shard] of theirs.entries())
      scribble(cluster, shardKey(shard), broken[index % broken.length]!)
    await until(
      () => theirs.every(shard => parsePlacement(cluster.registers.get(shardKey(shard))!)?.node === 'n1'),
      'the registers to be written again'
    )
    t.same(first!.shards.owned, theirs, 'they are served where they were')
    await until(
      () => first!.shards.unreadable.length + second!.shards.unreadable.length === 0,
      'all to see it'
    )
    t.equal(first!.lost + second!.lost, 0)
  })

  t.test('is rewritten by another node if no node serves the shard', async t => {
    const cluster = new MemoryCluster()
    for (let shard = 0; shard < shardCount; shard += 2) scribble(cluster, shardKey(shard), 'broken')
    const [first, second] = await started(t, cluster, 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
  })

  t.test('of an unknown shard is ignored', async t => {
    const cluster = new MemoryCluster()
    scribble(cluster, 'shard.99', '{"node":"n9","incarnation":1,"schema":1}')
    scribble(cluster, 'shard.xx', 'broken')
    const [first, second] = await started(t, cluster, 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    t.same(first!.shards.unreadable, [])
  })
})

test('the register of a node', async t => {
  t.test('of a live node: it starts a new incarnation and is served again', async t => {
    const cluster = new MemoryCluster()
    const [first, second] = await started(t, cluster, 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    const former = second!.lease.incarnation
    scribble(cluster, nodeKey('n2'), '{"incarnation":"many"}')
    await until(() => second!.lost === 1, 'it to learn of it')
    await until(() => second!.lease.incarnation > former && isShared(first!, second!), 'all to be well')
    await until(() => first!.members.find('n2')?.isUnreadable === false, 'the others to see it')
  })

  t.test('of a dead node: the others take over its shards, even nodes that never knew it', async t => {
    const cluster = new MemoryCluster()
    const [first, second] = await started(t, cluster, 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    first!.engine.isCutOff = true
    second!.engine.isCutOff = true
    for (const name of ['n1', 'n2']) scribble(cluster, nodeKey(name), 'broken')
    const [third] = await started(t, cluster, 'n3')
    await until(() => third!.shards.owned.length === shardCount, 'the third to serve all')
    t.ok(third!.members.all.every(({ isUnreadable }) => !isUnreadable))
  })
})

test('an announcement', async t => {
  t.test('with a far too high revision does not hide later changes', async t => {
    const cluster = new MemoryCluster()
    const [first, second] = await started(t, cluster, 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    const [shard] = first!.shards.owned
    const incarnation = second!.lease.incarnation
    const placed = { node: 'n2', incarnation, schema: 1 }
    const told = { shard, placed, revision: Number.MAX_SAFE_INTEGER }
    for (const { engine } of [first!, second!]) engine.announce('shards', Buffer.from(JSON.stringify(told)))
    await first!.shards.refresh()
    await second!.shards.refresh()
    t.ok(first!.shards.isMine(shard!), 'what counts is the register')
    t.notOk(second!.shards.isMine(shard!))
    await first!.shards.move(shard!, 'n2', true)
    await until(() => second!.shards.isMine(shard!), 'the shard to move')
    await until(() => first!.shards.findOwner(shard!)?.node === 'n2', 'both to know')
  })
})
