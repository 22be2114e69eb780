/**
 * Leases and shards over an in-memory engine: live nodes and what they serve. Times are a twentieth of production's.
 */
import { test, type Test } from 'tap'
import type { Register } from '../../cluster/engine.js'
import { nodeKey } from '../../cluster/nodes/node-state.js'
import { removeDeadNode } from '../../cluster/nodes/remove-dead-node.js'
import { allShards, parsePlacement, shardCount, shardKey } from '../../cluster/nodes/shard-placement.js'
import {
  answerControlRequest,
  parseControlResponse,
  encodeControlRequest,
  type ControlTargets,
  type ControlResponse
} from '../../server/nodes/control.js'
import { until } from '../support/socket.js'
import { MemoryCluster } from './memory-engine.js'
import { isShared, ShardNode as Node, started, times } from './nodes/shard-nodes.js'

/** Returns the incarnation in a node's register. */
function lifeIn(bytes: Uint8Array): number {
  return JSON.parse(Buffer.from(bytes).toString()).incarnation
}

/** Rejects a call that these tests never make. */
const nothing = async (): Promise<never> => await Promise.reject(new Error('is not asked'))

/** Returns a node's response to a request to drain its shards. */
async function drained({
  lease,
  shards
}: Pick<ControlTargets, 'lease' | 'shards'>): Promise<ControlResponse> {
  const others = {
    monitor: { alarms: () => [] },
    restoredAccounts: { release: nothing, reopen: nothing },
    accountRescue: { inspect: nothing, restore: nothing }
  }
  return parseControlResponse(
    await answerControlRequest(encodeControlRequest({ do: 'drain' }), { lease, shards, ...others })
  )
}

/**
 * Declares a node dead, and delays the response to its next incarnation's registration until it is assigned shards.
 * Returns `false` if that incarnation ends first.
 */
async function servesWhatCameEarly(t: Test): Promise<boolean> {
  const [first, second] = await started(t, new MemoryCluster(), 'n1', 'n2')
  await until(() => isShared(first!, second!), 'every shard to be served once')
  const { register } = first!.engine
  const { cas } = register
  let answer!: () => void
  const answered = new Promise<void>(resolve => (answer = resolve))
  const held: Pick<Register, 'cas'> = {
    async cas(key, revision, bytes) {
      const written = await cas(key, revision, bytes)
      if (key === nodeKey('n1') && lifeIn(bytes) === 2) await answered
      return written
    }
  }
  Object.assign(register, held)
  const stateOf = async () => {
    const { bytes, revision } = (await register.get(nodeKey('n1')))!
    return { revision, state: JSON.parse(Buffer.from(bytes).toString()) }
  }
  // The node keeps writing its own state, and may be faster.
  await until(async () => {
    const { revision, state } = await stateOf()
    const dead = Buffer.from(JSON.stringify({ ...state, state: 'dead' }))
    return await second!.engine.register.cas(nodeKey('n1'), revision, dead).then(
      () => true,
      () => false
    )
  }, 'the other node to declare it dead')
  const given = (): number[] => allShards.filter(shard => first!.shards.findOwner(shard)?.incarnation === 2)
  let isOver = false
  await until(async () => {
    const { state } = await stateOf()
    isOver = state.incarnation > 1 && state.state === 'dead'
    return isOver || given().length > 10
  }, 'the other node to give it shards')
  answer()
  await until(() => isShared(first!, second!), 'every shard to be served once')
  if (!isOver) t.ok(first!.shards.owned.length > 10)
  return !isOver
}

test('shards', async t => {
  t.test('are divided among the live nodes by rank', async t => {
    const nodes = await started(t, new MemoryCluster(), 'n1', 'n2', 'n3')
    await until(() => isShared(...nodes), 'every shard to be served')
    await until(() => nodes.every(({ shards }) => shards.owned.length >= 10), 'the shards to move')
    for (const { shards } of nodes) t.ok(shards.owned.length <= 35, `${shards.owned.length} of ${shardCount}`)
  })

  t.test('move to a new node after they have been released', async t => {
    const cluster = new MemoryCluster()
    const [first] = await started(t, cluster, 'n1')
    await until(() => first!.shards.owned.length === shardCount, 'the shards to move')
    const [second] = await started(t, cluster, 'n2')
    await until(() => isShared(first!, second!) && second!.shards.owned.length >= 16, 'the shards to move')
    t.same(first!.released.toSorted(), second!.shards.owned.toSorted())
    t.same(first!.members.living.map(({ node }) => node).toSorted(), ['n1', 'n2'])
  })

  t.test('are not served twice while they move', async t => {
    const cluster = new MemoryCluster()
    const [first, second] = await started(t, cluster, 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    const [shard] = first!.shards.owned
    let release!: () => void
    first!.releasing = new Promise(resolve => (release = resolve))
    const moving = first!.shards.move(shard!, 'n2', true)
    t.notOk(first!.shards.isMine(shard!))
    t.ok(first!.shards.waitUntilMoved(shard!), 'whoever asks for it waits')
    t.ok(first!.shards.isHeld(shard!), 'and calls under way go on')
    t.notOk(second!.shards.isMine(shard!))
    release()
    await moving
    await until(() => second!.shards.isMine(shard!), 'the shards to move')
    t.same(second!.shards.findOwner(shard!)?.node, 'n2')
    t.same(first!.shards.findOwner(shard!)?.node, 'n2')
  })

  t.test('claimed by another node are released before they are served again', async t => {
    const [first, second] = await started(t, new MemoryCluster(), 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    const [shard] = first!.shards.owned
    const { register } = first!.engine
    const place = async (node: Node): Promise<void> => {
      const { revision } = (await register.get(shardKey(shard!)))!
      const placed = { node: node.name, incarnation: node.lease.incarnation, schema: 1, pin: node.name }
      await register.cas(shardKey(shard!), revision, Buffer.from(JSON.stringify(placed)))
      await first!.shards.refresh()
    }
    let release!: () => void
    first!.closing = new Promise(resolve => (release = resolve))
    await place(second!)
    t.ok(first!.released.includes(shard!))
    t.notOk(first!.shards.isHeld(shard!))
    // It returns while its files are still being closed.
    await place(first!)
    t.notOk(first!.shards.isMine(shard!), 'calls wait')
    const returned = first!.shards.waitUntilMoved(shard!)
    t.ok(returned)
    release()
    await returned
    t.ok(first!.shards.isMine(shard!))
    t.equal(first!.taken.filter(each => each === shard).length, 2)
  })

  t.test('assigned before their node knows its new incarnation are served once it does', async t => {
    // On a busy machine, the node may be silent for so long that its new incarnation ends, too.
    let isServed = false
    for (let attempt = 0; attempt < 10 && !isServed; attempt++) isServed = await servesWhatCameEarly(t)
    t.ok(isServed)
  })

  t.test('stay where an operator placed them', async t => {
    const cluster = new MemoryCluster()
    const [first, second] = await started(t, cluster, 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    const [shard] = first!.shards.owned
    await first!.shards.move(shard!, 'n2', true)
    await until(() => second!.shards.isMine(shard!), 'the shards to move')
    const [third] = await started(t, cluster, 'n3')
    await until(
      () => isShared(first!, second!, third!) && third!.shards.owned.length > 10,
      'the shards to move'
    )
    t.ok(second!.shards.isMine(shard!))
    await t.rejects(first!.shards.move(shard!, 'n3'), /not on this node/)
    await t.rejects(second!.shards.move(shard!, 'n9'), /n9 cannot take shard \d+, because it does not exist/)
  })

  t.test('move to the others when a node is silent, which learns of it', async t => {
    const [first, second] = await started(t, new MemoryCluster(), 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    const theirs = second!.shards.owned
    second!.engine.isCutOff = true
    let isServedTwice = false
    await until(() => {
      isServedTwice ||= second!.isServing && theirs.some(shard => first!.shards.isMine(shard))
      return first!.shards.owned.length === shardCount
    }, 'the shards to move')
    t.notOk(isServedTwice, 'its reads have ended before')
    t.notOk(second!.isServing)
    t.equal(second!.lost, 0, 'it cannot know yet')
    second!.engine.isCutOff = false
    await until(() => second!.lost === 1, 'the shards to move')
    await until(() => second!.lease.incarnation === 2 && isShared(first!, second!), 'the shards to move')
  })

  t.test('are not read after the machine has slept', async t => {
    const [node] = await started(t, new MemoryCluster(), 'n1')
    const { lease } = node!
    await until(() => lease.isValid(), 'the lease to begin')
    const { now } = Date
    t.teardown(() => (Date.now = now))
    // The wall clock continues meanwhile, the monotonic clock does not.
    Date.now = () => now() + times.leaseMs
    t.notOk(lease.isValid())
    t.ok(lease.age >= times.leaseMs / 1000)
    await until(() => lease.age < times.leaseMs / 1000, 'a heartbeat to be confirmed')
    t.notOk(lease.isValid(), 'not before what arrived meanwhile has been read')
    await until(() => lease.isValid(), 'the lease to go on')
    // A wall clock that is set back has no effect.
    Date.now = () => now() - 3_600_000
    node!.engine.isCutOff = true
    await until(() => !lease.isValid(), 'the lease to end')
  })

  t.test('are not taken over by a node without a confirmed lease', async t => {
    const [first, second, third] = await started(t, new MemoryCluster(), 'n1', 'n2', 'n3')
    await until(() => isShared(first!, second!, third!), 'every shard to be served once')
    first!.mayTake = false
    const theirs = second!.shards.owned
    const before = first!.shards.owned
    second!.engine.isCutOff = true
    await until(() => theirs.some(shard => third!.shards.isMine(shard)), 'the shards to move')
    t.same(first!.shards.owned, before)
    first!.mayTake = true
    await until(() => isShared(first!, third!), 'every shard to be served once')
  })

  t.test('do not move to older software', async t => {
    const cluster = new MemoryCluster()
    const newer = await new Node(cluster, 'n1', 2).start()
    await until(() => newer.shards.owned.length === shardCount, 'the shards to move')
    const [older] = await started(t, cluster, 'n2')
    await until(() => newer.members.living.length === 2 && older!.lease.isSteady(), 'the shards to move')
    await newer.stop()
    await until(() => older!.members.living.length === 1, 'the shards to move')
    t.equal(older!.shards.owned.length, 0)
  })

  t.test('leave a stopping node immediately', async t => {
    const [first, second] = await started(t, new MemoryCluster(), 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    second!.lease.leave()
    await second!.shards.drain()
    t.equal(second!.shards.owned.length, 0)
    await until(() => first!.shards.owned.length === shardCount, 'the shards to move')
  })

  t.test('of a leaving node wait for the next node if there is no other', async t => {
    const cluster = new MemoryCluster()
    const [first] = await started(t, cluster, 'n1')
    await until(() => first!.shards.owned.length === shardCount, 'every shard to be served')
    t.match(await drained(first!), { ok: false, message: /^shards not moved: 64,/ })
    const [second] = await started(t, cluster, 'n2')
    await until(() => second!.shards.owned.length === shardCount, 'the shards to move')
    t.equal(first!.shards.owned.length, 0)
    t.match(await drained(first!), { ok: true })
  })

  t.test(
    'assigned to a leaving node by an uninformed one move away before it reports completion',
    async t => {
      const [first, second] = await started(t, new MemoryCluster(), 'n1', 'n2')
      await until(() => isShared(first!, second!), 'every shard to be served once')
      const [shard] = second!.shards.owned
      const { lease, shards } = first!
      const { register } = second!.engine
      const placed = { node: 'n1', incarnation: lease.incarnation, schema: 1 }
      let drains = 0
      const drain = async (): Promise<number> => {
        const staying = await shards.drain()
        if (drains++ > 5) return staying
        const { revision } = (await register.get(shardKey(shard!)))!
        await register.cas(shardKey(shard!), revision, Buffer.from(JSON.stringify(placed)))
        await shards.refresh()
        return staying
      }
      const observed = { drain, move: nothing, owned: [] as number[] }
      Object.defineProperty(observed, 'owned', { get: () => shards.owned })
      t.match(await drained({ lease, shards: observed }), { ok: true })
      t.same(parsePlacement((await register.get(shardKey(shard!)))!)?.node, 'n2')
      t.same(shards.owned, [])
    }
  )

  t.test('of a removed dead node stay where they are when it returns', async t => {
    const cluster = new MemoryCluster()
    const [first, second] = await started(t, cluster, 'n1', 'n2')
    const { register } = first!.engine
    t.notOk(await removeDeadNode(register, 'n2'), 'it lives')
    second!.engine.isCutOff = true
    await until(() => first!.shards.owned.length === shardCount, 'the shards to move')
    t.match(first!.members.find('n2'), { state: 'dead' })
    t.ok(await removeDeadNode(register, 'n2'))
    await until(() => first!.members.find('n2')?.state === 'ended', 'it to be forgotten')
    t.notOk(await removeDeadNode(register, 'n2'), 'once')
    const { incarnation } = second!.lease
    second!.engine.isCutOff = false
    await until(() => second!.lost === 1, 'it to learn of its death')
    await until(
      () => second!.lease.incarnation > incarnation && isShared(first!, second!),
      'it to live again'
    )
  })

  t.test('ignore malformed announcements', async t => {
    const [first, second] = await started(t, new MemoryCluster(), 'n1', 'n2')
    for (const message of ['', '{', 'null', '{}', '{"shard":3,"revision":9e9}'])
      first!.engine.announce('shards', Buffer.from(message))
    await until(() => isShared(first!, second!), 'every shard to be served once')
  })

  t.test('assigned to a leaving node meanwhile do not stay there', async t => {
    const [first, second] = await started(t, new MemoryCluster(), 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    second!.lease.leave()
    const [shard] = first!.shards.owned
    // It reports that it is leaving only with its next heartbeat.
    await first!.shards.move(shard!, 'n2')
    await until(() => first!.shards.owned.length === shardCount, 'the shards to move')
    t.equal(second!.shards.owned.length, 0)
  })

  t.test('of a leaving node are taken over by the others if the engine is unavailable', async t => {
    const [first, second] = await started(t, new MemoryCluster(), 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    second!.engine.isCutOff = true
    second!.lease.leave()
    let isDrained = false
    void second!.shards.drain().then(() => (isDrained = true))
    await until(() => isDrained, 'the end of the move')
    await until(() => first!.shards.owned.length === shardCount, 'the shards to move')
  })

  t.test('are settled when a response is lost', async t => {
    const [first, second] = await started(t, new MemoryCluster(), 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    for (const shard of first!.shards.owned.slice(0, 3)) {
      first!.engine.unanswered = 2
      await first!.shards.move(shard, 'n2', true)
      await until(() => second!.shards.isMine(shard), 'the shards to move')
    }
    t.equal(first!.lost, 0, 'a heartbeat without an answer is not a death')
    await until(() => first!.lease.isValid(), 'the lease to go on')
  })
})

test('a lease', async t => {
  t.test('waits until another process of the same name is silent', async t => {
    const cluster = new MemoryCluster()
    const [first] = await started(t, cluster, 'n1')
    let hasStarted = false
    const again = new Node(cluster, 'n1')
    t.teardown(() => again.stop())
    const starting = again.start().then(() => (hasStarted = true))
    await until(() => (first!.members.find('n1')?.beat ?? 0) > 12, 'some heartbeats')
    t.notOk(hasStarted)
    first!.engine.isCutOff = true
    await starting
    t.equal(again.lease.incarnation, 2)
  })

  t.test('starts another incarnation only once the last one is cleaned up', async t => {
    const [first, second] = await started(t, new MemoryCluster(), 'n1', 'n2')
    await until(() => isShared(first!, second!), 'every shard to be served once')
    let end!: () => void
    second!.losing = new Promise(resolve => (end = resolve))
    second!.engine.isCutOff = true
    await until(() => first!.shards.owned.length === shardCount, 'the shards to move')
    second!.engine.isCutOff = false
    await until(() => second!.lost === 1, 'the loss to be noticed')
    const { beat } = first!.members.find('n1')!
    await until(() => first!.members.find('n1')!.beat > beat + 10, 'some heartbeats')
    // A live node may be assigned shards, and would read stale data that it still holds.
    t.equal(first!.members.find('n2')?.state, 'dead')
    t.notOk(second!.lease.isValid())
    end()
    await until(() => second!.lease.incarnation === 2 && isShared(first!, second!), 'the shards to move')
  })
})
