/** Calls during a move of their user's shard, over an in-memory engine. */
import { deserialize, serialize } from 'node:v8'
import { test } from 'tap'
import { createFixedShards } from '../../../core/call/shard.js'
import { ApiError } from '../../../core/errors.js'
import type { LocalCalls } from '../../../server/nodes/local-calls.js'
import { serveConnection } from '../../../server/nodes/serve-connection.js'
import { ShardOwnership } from '../../../server/nodes/shard-ownership.js'
import type { Runtime } from '../../../server/runtime.js'
import { openCoffer } from '../../support/coffer.js'
import { until } from '../../support/socket.js'
import { MemoryCluster } from '../memory-engine.js'
import { begin, client, move, nameAt, startPair, userAt } from './memory-nodes.js'

test(
  'a call waits while the account file takes longer to arrive than the move',
  { timeout: 600_000 },
  async t => {
    const cluster = new MemoryCluster()
    await begin(t, cluster)
    const [n1, n2] = await startPair(t, cluster)
    const username = nameAt(n1, 0)
    const shard = createFixedShards(64).indexOf(username)
    await userAt([n1, n2], username)
    // The node that serves the shard no longer knows the account.
    await move(n1, n2, shard)
    await move(n2, n1, shard)
    const { append } = n1.engine
    let go!: () => void
    const gone = new Promise<void>(resolve => (go = resolve))
    const isWaiting = new Promise<void>(resolve => {
      n1.engine.append = async (subject, ...rest) => {
        if (subject.startsWith('coffer.wal.')) {
          resolve()
          await gone
        }
        return await append.call(n1.engine, subject, ...rest)
      }
    })
    const note = { streamIds: ['diary'], type: 'note/txt', content: 'once' }
    const calls = [
      client(n1, username).call('events.create', note),
      client(n2, username).call('events.get', { streams: ['diary'] })
    ]
    await isWaiting
    const moving = move(n1, n2, shard)
    // One more call, which arrives while the shard moves.
    calls.push(client(n2, username).call('events.get', { streams: ['diary'] }))
    await until(() => !n1.owns(username), 'the move to have waited')
    go()
    for (const { error } of await Promise.all(calls))
      t.equal(error, undefined, 'is made where the user is now')
    await moving
    const { events } = await client(n1, username).do('events.get', { streams: ['diary'] })
    t.match(events, [{ content: 'once' }])
    t.equal((events as object[]).length, 1)
  }
)

test('a call during a move that does not end is refused with 503', { timeout: 200_000 }, async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = await startPair(t, cluster)
  const username = nameAt(n1, 0)
  await userAt([n1, n2], username)
  const { cas } = n1.engine.register
  let go!: () => void
  const gone = new Promise<void>(resolve => (go = resolve))
  n1.engine.register.cas = async (...change) => {
    if (change[0].startsWith('shard.')) await gone
    return await cas.apply(n1.engine.register, change)
  }
  const moving = move(n1, n2, createFixedShards(64).indexOf(username)).catch(() => undefined)
  await until(() => !n1.owns(username), 'the move to have begun')
  const read = { streams: ['diary'] }
  const answers = await Promise.all([n1, n2].map(node => client(node, username).call('events.get', read)))
  for (const answer of answers) t.match(answer, { error: { id: 'api-unavailable' } })
  go()
  await moving
  await until(
    async () => (await client(n1, username).call('events.get', read)).error === undefined,
    'the user to be served'
  )
})

test('a call whose user moves while its long params are read is made at the next node', async t => {
  const { services } = (await openCoffer(t)).server
  let isMine = true
  let moved!: () => void
  const moving = new Promise<void>(resolve => (moved = resolve))
  const shards = {
    isHeld: () => isMine,
    isMine: () => isMine,
    waitUntilMoved: () => (isMine ? undefined : moving),
    findOwner: () => undefined
  }
  const ownership = new ShardOwnership({ isValid: () => true }, shards, 64)
  const made: unknown[] = []
  const call: LocalCalls['call'] = ({ params }) => {
    made.push(params)
    return { ok: false, error: new ApiError('forbidden') }
  }
  const answers: unknown[] = []
  const connection = serveConnection(
    { runtime: { services } as Runtime, calls: { call } as LocalCalls, ownership, files: {} as never },
    { hasRoom: true, post: bytes => answers.push(deserialize(bytes)) }
  )
  const request = { user: 'alice', method: 'events.create', params: {}, credentials: {} }
  const send = (): void => connection.receive(serialize([1, 'callWithText', [request, '{"content":"long"}']]))

  send()
  await connection.waitUntilAnswered!()
  t.match(answers.splice(0), [[1, { ok: false, error: { id: 'forbidden' } }]])
  t.same(made.splice(0), [{ content: 'long' }])

  send()
  isMine = false
  moved()
  await connection.waitUntilAnswered!()
  t.same(answers, [[1, 'elsewhere']], 'the other node asks the next one')
  t.same(made, [])
})
