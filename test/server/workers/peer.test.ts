/** A runtime behind a port that transfers only bytes, as between nodes. */
import { deserialize, serialize } from 'node:v8'
import t, { type Test } from 'tap'
import { wholeShard } from '../../../core/call/shard.js'
import { silentLog } from '../../../core/log.js'
import { ManualClock } from '../../../core/time.js'
import { Runtime } from '../../../server/runtime.js'
import { answerRequest, createOperations } from '../../../server/workers/operations.js'
import { Peer } from '../../../server/workers/peer.js'
import type { WorkerEvents, WorkerMessage, WorkerRequest } from '../../../server/workers/protocol.js'
import { callPeer, RemoteRemainder } from '../../../server/workers/remote-calls.js'
import { methodModules, testConfig, type Answer } from '../../support/coffer.js'

const none = { ip: '127.0.0.1', via: 'http' } as const

/** Returns a value as it arrives after a transfer as bytes. */
function over<T>(sent: T): T {
  return deserialize(serialize(sent)) as T
}

const ignoreAll: WorkerEvents = {
  ready: unheard,
  fatal: unheard,
  notify: unheard,
  unsubscribed: unheard,
  log: unheard,
  forward: unheard,
  throttled: unheard,
  forget: unheard
}

async function asked(t: Test): Promise<{ peer: Peer; heard: (readonly [number, string])[]; token: string }> {
  const config = testConfig(t.testdir({}))
  const options = {
    clock: new ManualClock(),
    log: silentLog,
    shard: wholeShard,
    isGuest: false,
    methodModules
  }
  const runtime = await Runtime.start(config, options)
  t.teardown(() => runtime.close())
  const heard: (readonly [number, string])[] = []
  const events: WorkerEvents = { ...ignoreAll, notify: (id, message) => void heard.push([id, message]) }
  const post = (message: WorkerMessage): void => peer.receive(over(message))
  const operations = createOperations(runtime, (name, ...args) => post([name, args]), unheard, unheard)
  const peer = new Peer(
    (request: WorkerRequest) => void answerRequest(runtime.services.log, operations, over(request), post),
    events
  )
  const made = await peer.request('call', {
    method: 'test.createUser',
    params: { username: 'alice' },
    credentials: none,
    isWhole: true
  })
  if (!made.ok) throw new Error(made.error.message)
  const { access }: Answer = JSON.parse(`{${made.members}}`)
  return { peer, heard, token: access.token }
}

function unheard(): void {}

/** Answers as a node of an earlier version does, on behalf of which another peer answers. */
async function answerAsEarlier(peer: Peer, [id, operation, args]: WorkerRequest): Promise<WorkerMessage> {
  return operation === 'callWithText'
    ? [id, undefined, { id: 'invalid-method', message: operation, details: {} }]
    : [id, await peer.request(operation, ...(args as never))]
}

t.test('a peer', async t => {
  const { heard, peer, token } = await asked(t)
  const credentials = { ...none, auth: token }
  const call = async (method: string, params: unknown): Promise<Answer> => {
    const outcome = await peer.request('call', { user: 'alice', method, params, credentials })
    if (!outcome.ok) return { error: outcome.error }
    let text = outcome.members
    if (outcome.remainder !== undefined)
      for await (const more of new RemoteRemainder(peer, outcome.remainder)) text += more
    return JSON.parse(`{${text}}`)
  }

  t.test('makes calls, and delivers changes', async t => {
    t.equal(await peer.request('join', 'alice', credentials, 7), true)
    t.match(await call('streams.create', { id: 'diary', name: 'Diary' }), { stream: { id: 'diary' } })
    t.same(heard, [[7, 'streamsChanged']])
  })

  t.test('sends long results in chunks', async t => {
    const content = 'x'.repeat(20_000)
    for (let index = 0; index < 20; index++)
      await call('events.create', { streamIds: ['diary'], type: 'note/txt', content })
    const { events } = await call('events.get', { limit: 100 })
    t.equal(events.length, 20)
    t.equal(peer.pendingCount, 0)
  })

  t.test('sends long params as text, and to an earlier version as before', async t => {
    const earlier = new Peer(
      request => void answerAsEarlier(peer, request).then(message => earlier.receive(message)),
      ignoreAll
    )
    const config = testConfig('unused')
    const values = Array.from({ length: 20_000 }, (_, index) => [index, -0.5, null, '\ud83dω😀"\u2028'])
    for (const to of [peer, earlier])
      for (const [clientData, id] of [
        [{ values }, undefined],
        [{ values: [...values, Infinity, -Infinity, null] }, 'invalid-parameters-format']
      ] as const) {
        const request = {
          user: 'alice',
          method: 'events.create',
          params: { streamIds: ['diary'], type: 'note/txt', content: 'long', clientData },
          credentials
        }
        const outcome = await callPeer(to, config, request)
        if (!outcome.ok) t.equal(outcome.error.id, id)
        else t.same(JSON.parse(`{${outcome.members}}`).event.clientData, { values })
        t.equal(outcome.ok, id === undefined)
      }
  })

  t.test('refuses long params that are nested too deep, before they are written', async t => {
    const sent: WorkerRequest[] = []
    const idle = new Peer(request => void sent.push(request), ignoreAll)
    let deep: object = { long: 'x'.repeat(100_000) }
    for (let depth = 0; depth < 500; depth++) deep = [deep]
    const request = { user: 'alice', method: 'events.create', params: deep, credentials }
    await t.rejects(callPeer(idle, testConfig('unused'), request), { message: /nested deeper/ })
    t.same(sent, [])
  })

  t.test('returns errors with all their details', async t => {
    t.match(await call('streams.create', { id: 'diary', name: 'Diary' }), {
      error: { id: 'item-already-exists', details: { data: { id: 'diary' } } }
    })
  })

  t.test('rejects pending requests when it is disconnected', async t => {
    const pending = peer.request('call', { user: 'alice', method: 'events.get', params: {}, credentials })
    peer.disconnect(new Error('cut off'))
    await t.rejects(pending, { message: 'cut off' })
    await t.rejects(peer.request('gauges'), { message: 'cut off' })
  })
})
