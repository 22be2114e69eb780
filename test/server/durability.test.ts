/** Durability that takes longer than a sync: the service waits for it, and reports its failure. */
import t, { type Test } from 'tap'
import { StoreUnavailable } from '../../storage/errors.js'
import type { Durability, DurabilityProvider, FoundLog, OnDurable } from '../../storage/wal/durability.js'
import type { OpenedFile } from '../../storage/wal/position.js'
import { WalSync } from '../../storage/wal/sync.js'
import { coffer, type Client, type Service } from '../support/coffer.js'

/** Syncs as usual, then waits until the gate is open. */
class Gated extends WalSync {
  constructor(
    opened: OpenedFile,
    found: FoundLog,
    private readonly gate: Gate
  ) {
    super(opened.file, error => gate.t.fail(error.message), found)
  }

  override afterSync(done: OnDurable): void {
    const { closed } = this.gate
    this.gate.waiting++
    super.afterSync(() => {
      const { before } = this.gate
      this.gate.before = undefined
      before?.()
      if (closed) closed.then(() => done(), done)
      else done()
    })
  }

  override waitUntilConfirmed(): undefined {
    return this.gate.closed as undefined
  }

  override async waitUntilRestartable(): Promise<void> {
    this.gate.restarts++
    await this.gate.closed
  }
}

class Gate implements DurabilityProvider {
  /** The number of commits that have waited. */
  waiting = 0
  restarts = 0
  /** Called once, before commits are confirmed. */
  before: (() => void) | undefined
  /** Settles when the gate opens again. */
  closed: Promise<void> | undefined
  /** Opening a file waits for this. */
  opening: Promise<void> | undefined
  #open!: () => void
  #fail!: (error: Error) => void

  constructor(readonly t: Test) {}

  shut(): void {
    this.closed = this.#promise()
  }

  /** Makes files wait before they are opened. */
  hold(): void {
    this.opening = this.#promise()
  }

  reopen(): void {
    this.closed = undefined
    this.opening = undefined
    this.#open()
  }

  fail(): void {
    this.closed = undefined
    this.#fail(new StoreUnavailable('no answer'))
  }

  #promise(): Promise<void> {
    const promise = new Promise<void>((resolve, reject) => {
      this.#open = resolve
      this.#fail = reject
    })
    promise.catch(() => undefined)
    return promise
  }

  waitUntilReady(): Promise<void> | undefined {
    return this.opening
  }

  open(opened: OpenedFile, found: FoundLog): Durability {
    return new Gated(opened, found, this)
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}

async function start(t: Test, maxOpenUsers = 500): Promise<{ gate: Gate; service: Service; alice: Client }> {
  const gate = new Gate(t)
  const service = await coffer(t, { workers: 0, storage: { maxOpenUsers } }, undefined, gate)
  await service.alice.stream('diary')
  return { gate, service, alice: service.alice }
}

/** Returns whether a promise is still pending after everything that is ready has run. */
async function isPending(promise: Promise<unknown>): Promise<boolean> {
  const late = Symbol('late')
  // The response to an unrelated request comes after whatever was ready before it.
  const other = new Promise(resolve =>
    setImmediate(() => setImmediate(() => setImmediate(() => resolve(late))))
  )
  return (await Promise.race([promise, other])) === late
}

t.test('a write', async t => {
  const { alice, gate } = await start(t)

  t.test('resolves once it is confirmed', async t => {
    const before = gate.waiting
    gate.shut()
    const answer = alice.http('POST', '/events', { streamIds: ['diary'], type: 'note/txt', content: 'a' })
    while (gate.waiting === before) await new Promise(resolve => setImmediate(resolve))
    t.ok(await isPending(answer))
    gate.reopen()
    t.equal((await answer).status, 201)
  })

  t.test('returns 503 if it is never confirmed', async t => {
    gate.shut()
    const event = { streamIds: ['diary'], type: 'note/txt', content: 'a' }
    const before = gate.waiting
    const answer = alice.http('POST', '/events', event)
    while (gate.waiting === before) await new Promise(resolve => setImmediate(resolve))
    gate.fail()
    const { body, headers, status } = await answer
    t.match({ body, status }, { status: 503, body: { error: { id: 'api-unavailable' } } })
    // A retry-after header would say that nothing was written.
    t.notOk(headers.has('retry-after'))
    t.equal((await alice.http('POST', '/events', event)).status, 201)
  })
})

t.test('a read', async t => {
  const { alice, gate } = await start(t)
  const calls = [
    ['a list', () => alice.call('events.get', { limit: 5 })],
    ['a batch', () => alice.call('callBatch', [{ method: 'streams.get', params: {} }])],
    [
      'one that has to prepare',
      () => alice.call('accesses.checkApp', { requestingAppId: 'an-app', requestedPermissions: [] })
    ]
  ] as const
  for (const [name, call] of calls)
    t.test(`resolves once the data it returns is confirmed: ${name}`, async t => {
      gate.shut()
      const answer = call()
      t.ok(await isPending(answer))
      gate.reopen()
      t.notOk((await answer).error)
      gate.shut()
      const refused = call()
      t.ok(await isPending(refused))
      gate.fail()
      const { error, results } = await refused
      t.match(error ?? results[0].error, { id: 'api-unavailable' })
    })
})

t.test('the pages of a long result wait for confirmation, too', async t => {
  const { alice, gate } = await start(t)
  const content = 'x'.repeat(50_000)
  for (let index = 0; index < 20; index++) await alice.event({ content })
  const outcome = await alice.service.server.registry.call({
    user: 'alice',
    method: 'events.get',
    params: { limit: 1000 },
    credentials: { ip: '127.0.0.1', via: 'http', authorization: alice.token }
  })
  if (!outcome.ok || !outcome.remainder) throw new Error('There is a remainder')
  gate.shut()
  const page = outcome.remainder.next()
  t.ok(await isPending(page))
  gate.reopen()
  t.equal((await page).done, false)
  await outcome.remainder.return()
})

function form(): FormData {
  const sent = new FormData()
  sent.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
  sent.append('file', new Blob(['bytes']), 'a.txt')
  return sent
}

t.test('a file that cannot be opened yet', async t => {
  const { alice, gate, service } = await start(t, 1)
  /** Closes Alice's file: only one may be open. */
  const closeFile = async (): Promise<void> => {
    const bob = service.server.services.accounts.find('bob') ? undefined : await service.user('bob')
    if (!bob) await service.call('bob', 'events.get', {}, 'nobody')
  }
  await closeFile()
  for (const [name, call, status] of [
    ['is waited for by a call', () => alice.http('GET', '/events'), 200],
    ['is waited for by an upload', () => alice.http('POST', '/events', form()), 201]
  ] as const)
    t.test(name, async t => {
      gate.hold()
      const answer = call()
      t.ok(await isPending(answer))
      gate.reopen()
      t.equal((await answer).status, status)
      await closeFile()
    })

  t.test('causes a 503 if it never can be', async t => {
    gate.hold()
    const answer = alice.http('GET', '/events')
    const upload = alice.http('POST', '/events', form())
    gate.fail()
    t.match(await answer, { status: 503, body: { error: { id: 'api-unavailable' } } })
    t.match(await upload, { status: 503, body: { error: { id: 'api-unavailable' } } })
    gate.reopen()
    t.equal((await alice.http('GET', '/events')).status, 200)
  })
})

t.test('a write is not repeated if the file cannot be reopened for the response', async t => {
  const { alice, gate, service } = await start(t, 1)
  const note = { streamIds: ['diary'], type: 'note/txt', content: 'once' }
  const bob = await service.user('bob')
  const batch = [
    { method: 'events.create', params: note },
    { method: 'account.getEmail', params: {} },
    { method: 'events.create', params: note }
  ]
  for (const [name, count, call] of [
    ['a call', 1, () => alice.http('POST', '/events', note)],
    ['a batch', 2, () => alice.http('POST', '/', batch)]
  ] as const)
    t.test(name, async t => {
      const before = (await alice.do('events.get', { limit: 100 })).events.length
      gate.before = () => {
        // Only one file may be open: this closes Alice's.
        void bob.call('events.get')
        gate.hold()
      }
      const answer = call()
      setTimeout(() => gate.reopen(), 200)
      const { body, headers, status } = await answer
      t.match({ body, status }, { status: 503, body: { error: { id: 'api-unavailable' } } })
      t.notOk(headers.has('retry-after'))
      const { events } = await alice.do('events.get', { limit: 100 })
      t.equal(events.length, before + count)
    })
})

t.test('the write-ahead log is restarted only when permitted', async t => {
  const { alice, gate, service } = await start(t)
  const content = 'x'.repeat(200_000)
  gate.shut()
  gate.reopen()
  while (gate.restarts === 0) await alice.event({ content })
  t.ok(gate.restarts > 0)
  t.notOk((await service.call('alice', 'events.get', {}, alice.token)).error)
})
