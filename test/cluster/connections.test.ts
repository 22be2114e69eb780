/** Connections between nodes, over an in-memory engine that loses messages. */
import { createHash } from 'node:crypto'
import { test, type Test } from 'tap'
import { Connections } from '../../cluster/nodes/connections.js'
import type { Connection, ConnectionEvents, ConnectionLost } from '../../cluster/nodes/connection.js'
import type { Life } from '../../cluster/nodes/members.js'
import { Random } from '../support/random.js'
import { until } from '../support/socket.js'
import { MemoryCluster, type MemoryEngine } from './memory-engine.js'

type Posting = Pick<Connection, 'hasRoom' | 'post'>

/** A node that echoes every message. */
class Echo {
  readonly engine: MemoryEngine
  readonly connections: Connections
  readonly received: string[] = []
  readonly lost: ConnectionLost[] = []
  incarnation = 1
  isBusy = false
  /** Delays the echo. */
  answering: Promise<void> = Promise.resolve()

  constructor(
    t: Test,
    cluster: MemoryCluster,
    readonly name: string,
    { giveUpMs = 200, maxBytes }: { readonly giveUpMs?: number; readonly maxBytes?: number } = {}
  ) {
    this.engine = cluster.connect(maxBytes)
    this.connections = new Connections({
      engine: this.engine,
      resendMs: 40,
      timeoutMs: giveUpMs,
      maxWaitingBytes: 1_000_000,
      getOwnLife: () => this.life,
      accept: connection => ({
        ...this.events(message => void this.answering.then(() => connection.post(message))),
        waitUntilAnswered: async () => await this.answering
      }),
      control: async message => Promise.resolve(message.subarray(1))
    })
    t.teardown(() => this.connections.close())
  }

  get life(): Life {
    return { node: this.name, incarnation: this.incarnation }
  }

  events(then: (message: Buffer) => void): ConnectionEvents {
    return {
      receive: message => {
        this.received.push(digest(message))
        then(message)
      },
      onLost: reason => void this.lost.push(reason),
      isWaiting: () => this.isBusy
    }
  }

  open(to: Life): Posting {
    return this.connections.open(
      to,
      this.events(() => {})
    )
  }
}

function digest(message: Uint8Array): string {
  return createHash('sha256').update(message).digest('hex')
}

test('a connection', async t => {
  t.test(
    'delivers every message once and in order, long ones in chunks, while messages are lost',
    async t => {
      const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
      t.comment(`COFFER_TEST_SEED=${seed}`)
      const random = new Random(seed)
      const cluster = new MemoryCluster()
      // Messages are lost here, but never the peer, however long either side waits.
      const giveUpMs = 60_000
      const asker = new Echo(t, cluster, 'n1', { giveUpMs })
      const answerer = new Echo(t, cluster, 'n2', { giveUpMs, maxBytes: 200_000 })
      const connection = asker.open(answerer.life)
      const hello = Buffer.from('hello')
      const sent = [digest(hello)]
      connection.post(hello)
      await until(() => asker.received.length === 1, 'the first answer')
      for (let index = 0; index < 300; index++) {
        const size = index === 150 ? 20_000_000 : random.below(random.below(20) === 0 ? 600_000 : 300)
        const message = Buffer.alloc(size, index)
        sent.push(digest(message))
        connection.post(message)
        if (random.below(10) === 0) await new Promise(resolve => setImmediate(resolve))
        if (random.below(8) === 0) {
          const engine = random.pick([asker, answerer]).engine
          if (random.below(2) === 0) engine.lost.before = 2
          else engine.lost.after = 2
        }
      }
      await until(() => asker.received.length >= sent.length, 'all to be said back')
      t.same(answerer.received, sent)
      t.same(asker.received, sent)
      t.same([asker.lost, answerer.lost], [[], []])
    }
  )

  t.test('to an unreachable node fails immediately, with nothing delivered', async t => {
    const asker = new Echo(t, new MemoryCluster(), 'n1')
    const connection = asker.open({ node: 'n2', incarnation: 1 })
    connection.post(Buffer.from('hello'))
    await until(() => asker.lost.length === 1, 'it to be lost')
    t.equal(asker.lost[0]!.hasArrived, false)
    connection.post(Buffer.from('nobody hears this'))
  })

  t.test('to an earlier incarnation of a node fails', async t => {
    const cluster = new MemoryCluster()
    const [asker, answerer] = [new Echo(t, cluster, 'n1'), new Echo(t, cluster, 'n2')]
    const connection = asker.open(answerer.life)
    connection.post(Buffer.from('hello'))
    await until(() => asker.received.length === 1, 'the answer')
    answerer.incarnation = 2
    answerer.connections.closeEnded()
    connection.post(Buffer.from('hello'))
    await until(() => asker.lost.length === 1, 'it to be lost')
    t.equal(asker.lost[0]!.hasArrived, true)
    t.equal(answerer.received.length, 1)
  })

  t.test('fails on both sides when one is cut off while a response is pending', async t => {
    const cluster = new MemoryCluster()
    const [asker, answerer] = [new Echo(t, cluster, 'n1'), new Echo(t, cluster, 'n2')]
    asker.open(answerer.life).post(Buffer.from('hello'))
    await until(() => asker.received.length === 1, 'the answer')
    asker.isBusy = answerer.isBusy = true
    answerer.engine.isCutOff = true
    await until(() => asker.lost.length + answerer.lost.length === 2, 'it to be lost')
    t.same(
      [asker, answerer].map(({ lost }) => lost[0]?.hasArrived),
      [true, true]
    )
  })

  t.test('is closed by a leaving node in order: received messages are answered, and no others', async t => {
    const cluster = new MemoryCluster()
    const [asker, answerer] = [new Echo(t, cluster, 'n1'), new Echo(t, cluster, 'n2')]
    const connection = asker.open(answerer.life)
    let answer!: () => void
    answerer.answering = new Promise(resolve => (answer = resolve))
    connection.post(Buffer.from('before'))
    await until(() => answerer.received.length === 1, 'the message')
    const closing = answerer.connections.close()
    connection.post(Buffer.from('meanwhile'))
    // The message is retransmitted, and so is that of another connection.
    const other = new Echo(t, cluster, 'n3')
    other.open(answerer.life).post(Buffer.from('anew'))
    await until(() => other.lost.length === 1, 'the other connection to be lost')
    answer()
    await closing
    t.same(asker.received, [digest(Buffer.from('before'))])
    t.match(asker.lost, [{ hasArrived: false }])
    t.match(other.lost, [{ hasArrived: false }])
    t.same(answerer.received, [digest(Buffer.from('before'))])
  })

  t.test('has no room beyond its buffer limit', async t => {
    const cluster = new MemoryCluster()
    const [asker, answerer] = [new Echo(t, cluster, 'n1'), new Echo(t, cluster, 'n2')]
    const connection = asker.open(answerer.life)
    connection.post(Buffer.alloc(900_000))
    t.ok(connection.hasRoom)
    connection.post(Buffer.alloc(200_000))
    t.notOk(connection.hasRoom)
    await until(() => connection.hasRoom, 'room')
  })
})

test('messages outside connections are answered separately', async t => {
  const cluster = new MemoryCluster()
  const node = new Echo(t, cluster, 'n1')
  const answer = await node.engine.send('n1', Buffer.from('\u0002move'), 100)
  t.equal(Buffer.from(answer).toString(), 'move')
})
