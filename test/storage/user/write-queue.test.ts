import { EventEmitter, once } from 'node:events'
import t from 'tap'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'

/** Concurrent writes of one access. */
const flood = 6000
/** Number of writes that may precede a later one of another access: those of two commits. */
const several = 512

t.test('one access with thousands of pending writes does not starve the others of its account', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('diary')
  const app = await alice.grant('contribute', 'diary')
  const answered: string[] = []
  const note = (client: Client, content: string): Promise<Answer> =>
    client.call('events.create', { streamIds: ['diary'], type: 'note/txt', content }).then(answer => {
      if (!answer.error) answered.push(content)
      return answer
    })
  const sent = Array.from({ length: flood }, (_, index) => note(app, String(index)))
  t.match(await note(alice, 'mine'), { event: { content: 'mine' } }, 'the owner is not refused')
  const before = answered.indexOf('mine')
  t.ok(before < several, `${before} writes of the app were answered before it`)
  const refused = (await Promise.all(sent)).filter(({ error }) => error)
  t.ok(
    refused.every(({ status, error }) => status === 503 && error.id === 'api-unavailable'),
    'what finds no room is refused'
  )
  t.equal(refused.length + answered.length, flood + 1)
  const own = answered.filter(content => content !== 'mine').map(Number)
  t.same(
    own,
    own.toSorted((a, b) => a - b),
    'those of one access are made in the order in which they were sent'
  )
})

/** Whether a call was refused because its access had ended. Later calls count as guesses, which are throttled. */
function isRefusal({ error }: Answer): boolean {
  return error?.id === 'invalid-access-token' || error?.id === 'too-many-requests'
}

t.test('pending writes are refused once their access has ended', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('diary')
  const app = await alice.grant('contribute', 'diary')
  const create = { streamIds: ['diary'], type: 'note/txt', content: 'queued' }
  const batch = Array.from({ length: 3 }, () => ({ method: 'events.create', params: create }))
  const sent = Array.from({ length: 2000 }, () => app.call('events.create', create))
  const sentTogether = app.call('callBatch', batch)
  await alice.do('accesses.delete', { id: app.access.id })
  const answers = await Promise.all(sent)
  const made = answers.filter(({ error }) => !error).length
  t.equal(made + answers.filter(isRefusal).length, sent.length)
  t.ok(made < several, `${made} were made before it ended`)
  const together = await sentTogether
  for (const answer of together.results ?? [together]) t.ok(isRefusal(answer), 'in a batch')
  const { events } = await alice.do('events.get', { limit: 5000 })
  t.equal(events.length, made, 'nothing came of those that were refused')
})

t.test('pending writes are limited in number, and complete later', async t => {
  const { alice, server } = await openCoffer(t)
  await alice.stream('diary')
  const { accounts } = server.services
  const store = accounts.openStore(accounts.find('alice')!)
  const gate = new EventEmitter()
  const held = store.holdWrites(async () => void (await once(gate, 'opened')))
  let written = 0
  const writes: Promise<unknown>[] = []
  const fill = (access: string, count: number): void => {
    for (let n = 0; n < count; n++) writes.push(store.write(() => void written++, access))
  }
  fill('one', 2500)
  await t.rejects(
    store.write(() => undefined, 'one'),
    { name: 'StoreBusy' },
    'half is left for others'
  )
  fill('two', 1250)
  await t.rejects(
    store.write(() => undefined, 'two'),
    { name: 'StoreBusy' },
    'and half of the rest'
  )
  await t.rejects(
    store.writeInSteps(function* () {}, 'two'),
    { name: 'StoreBusy' },
    'long ones count'
  )
  fill(alice.access.id, 625)
  t.match(
    await alice.call('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'one too many' }),
    { status: 503, error: { id: 'api-unavailable' } }
  )
  t.match(await alice.call('events.get'), { events: [] }, 'reading goes on')
  t.equal(written, 0)
  gate.emit('opened')
  await held
  await Promise.all(writes)
  t.equal(written, writes.length)
  t.notOk(
    (await alice.call('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'later' })).error
  )
})

t.test('a batch whose writes exceed the limit does not block others', async t => {
  const { alice, server } = await openCoffer(t)
  await alice.stream('diary')
  const { accounts } = server.services
  const store = accounts.openStore(accounts.find('alice')!)
  const gate = new EventEmitter()
  const held = store.holdWrites(async () => void (await once(gate, 'opened')))
  const writes = Array.from({ length: 2500 }, () => store.write(() => undefined, alice.access.id))
  let turns = 0
  let timer: NodeJS.Immediate | undefined
  const turn = (): void => {
    turns++
    timer = setImmediate(turn)
  }
  timer = setImmediate(turn)
  const create = {
    method: 'events.create',
    params: { streamIds: ['diary'], type: 'note/txt', content: 'no' }
  }
  const calls = Array.from({ length: 1000 }, (_, index) =>
    index === 700 ? { method: 'events.get', params: {} } : create
  )
  const { results } = await alice.call('callBatch', calls)
  clearImmediate(timer)
  t.ok(turns > 100, `${turns} turns`)
  t.match(results[0], { error: { id: 'api-unavailable' } })
  t.same(results[700], { events: [] }, 'what only reads is answered')
  t.match(results.at(-1), { error: { id: 'api-unavailable' } })
  gate.emit('opened')
  await held
  await Promise.all(writes)
  const { events } = await alice.do('events.get')
  t.same(events, [], 'nothing of it has happened')
})
