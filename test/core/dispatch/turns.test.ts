/** Fair scheduling: counted by what has run meanwhile, not by time. */
import { Agent, request } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import type { Decoder, Packet } from 'socket.io-parser'
import t from 'tap'
import { SlicedWorkQueue } from '../../../core/notifications/sliced-work-queue.js'
import type { Party } from '../../../storage/scheduler.js'
import { runInTurns, type Steps } from '../../../storage/steps.js'
import {
  createPacketDecoder,
  type PacketDecoder,
  type PendingParams
} from '../../../transports/websocket/packet-decoder.js'
import { CallQueue } from '../../../transports/websocket/call-queue.js'
import { openCoffer, type Client } from '../../support/coffer.js'

const batches = 200
/** Batches that may run while a request of another user is handled, which takes a few turns of the event loop. */
const several = 60
/** Number of 3 ms tasks that start together, and of those that may start in one turn of the event loop. */
const many = 30
const few = 6

t.test('batches of one token yield to others', async t => {
  const coffer = await openCoffer(t)
  const { alice, server } = coffer
  const bob = await coffer.user('bob')
  await alice.stream('diary')
  await bob.stream('diary')
  const { id } = await bob.event()
  const reader = await alice.grant('read', 'diary')
  const other = await alice.grant('read', 'diary')
  const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
  const begun = (): number => store.usage.countCalls(reader.access.id)['test.spend'] ?? 0
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())

  /** Sends a request on an open connection; returns its status. */
  const send = (client: Client, path: string, body?: unknown): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const { token, username } = client
      const headers = { authorization: token, 'content-type': 'application/json' }
      request(
        `${server.url}/${username}${path}`,
        { agent, headers, method: body ? 'POST' : 'GET' },
        response => {
          response.resume().on('end', () => resolve(response.statusCode))
        }
      )
        .on('error', reject)
        .end(body && JSON.stringify(body))
    })

  const spending = [{ method: 'test.spend', params: { ms: 3 } }]
  const read = (): Promise<number | undefined> => send(bob, `/events/${id}`)
  t.equal(await read(), 200)
  const all = Promise.all(Array.from({ length: batches }, () => reader.call('callBatch', spending)))
  const asked = {
    'a read of a stranger': read,
    'a batch of a stranger': () => send(bob, '', spending),
    'a batch of another token of the account': () => send(other, '', spending)
  }
  for (const [what, ask] of Object.entries(asked)) {
    const before = begun()
    t.equal(await ask(), 200, what)
    const meanwhile = begun() - before
    t.ok(
      meanwhile < several && begun() > 0 && begun() < batches,
      `${what}: ${meanwhile} batches meanwhile, ${begun()} in all`
    )
  }
  await all
  t.equal(begun(), batches)
})

/** Keeps the thread busy for 3 ms. */
function spend(): void {
  const end = performance.now() + 3
  while (performance.now() < end);
}

t.test('long work of all kinds shares one turn of the event loop', async t => {
  const kinds: Record<string, (party: Party, run: () => void) => void> = {
    'calls of sockets'(party, run) {
      const queue = new CallQueue({
        party,
        maxPerSecond: 100,
        maxWaiting: 100,
        waitUntilDrained: () => undefined,
        onIdle: () => undefined
      })
      queue.add(async () => await Promise.resolve(run()))
    },
    'JSON that is parsed'(party, run) {
      void runInTurns(stepsOf(run), party)
    },
    notifications({ account }, run) {
      new SlicedWorkQueue(cause => t.fail(String(cause))).add(account, stepsOf(run))
    }
  }
  for (const [kind, begin] of Object.entries(kinds)) {
    await turn()
    const done: number[] = []
    const ran = (): number => done.length
    for (let n = 0; n < many; n++)
      begin({ account: `a${n}`, access: '' }, () => {
        spend()
        done.push(n)
      })
    t.ok(ran() > 0 && ran() < few, `${kind}: ${ran()} of ${many} at once`)
    await turn()
    t.ok(ran() < many, `${kind}: ${ran()} of ${many} in the next turn`)
    while (ran() < many) await turn()
  }
})

const LazyDecoder = createPacketDecoder({ jsonKeys: 1000, jsonDepth: 100 })

t.test('long params of one account do not block those of others', async t => {
  const packet = `2["events.create",[${'[0],'.repeat(70_000)}0]]`
  const packets = 8
  const done: string[] = []
  const receive = (account: string): void => {
    const decoder = new LazyDecoder()
    decoder.on('decoded', ({ data }: Packet) => {
      const [, params] = data as [string, PendingParams]
      void params.parse({ account, access: '' }).then(() => done.push(account))
    })
    decoder.add(packet)
  }
  for (let n = 0; n < packets; n++) receive('a')
  receive('b')
  while (done.length <= packets) await turn()
  const before = done.indexOf('b')
  t.ok(before < few, `${before} packets of the other account before it`)
})

t.test('packets that arrive together are decoded in turns, in order', async t => {
  const packets = 1000
  const pad = 'x'.repeat(1000)
  const decoder = new LazyDecoder() as Decoder & PacketDecoder
  const decoded: (number | undefined)[] = []
  decoder.on('decoded', ({ id }: Packet) => decoded.push(id))
  const told = new Promise<void>(resolve => (decoder.onDecoded = resolve))
  for (let n = 0; n < packets; n++) decoder.add(`2${n}["streams.get",{"x":"${pad}"}]`)
  t.ok(decoded.length > 0 && decoded.length < 100, `${decoded.length} of ${packets} at once`)
  t.ok(decoder.undecoded > 900 * pad.length)
  for (let turns = 0; turns < 5; turns++) await turn()
  t.ok(decoded.length < 500, `${decoded.length} of ${packets} in a few turns`)
  decoder.add(`2${packets}["streams.get",{}]`)
  await told
  t.same(
    decoded,
    Array.from({ length: packets + 1 }, (_, n) => n)
  )
  t.equal(decoder.undecoded, 0)
})

function* stepsOf(run: () => void): Steps<void> {
  run()
  yield
}
