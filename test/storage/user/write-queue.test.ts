import { EventEmitter, once } from 'node:events'
import t from 'tap'
import { openCoffer } from '../../support/coffer.js'

t.test('writes that have to wait are so many at most, and go on later', async t => {
  const { alice, server } = await openCoffer(t)
  await alice.stream('diary')
  const { accounts } = server.services
  const store = accounts.store(accounts.find('alice')!)
  const gate = new EventEmitter()
  const held = store.holdWrites(async () => void (await once(gate, 'opened')))
  let written = 0
  const writes = Array.from({ length: 5000 }, () => store.write(() => void written++))
  t.match(
    await alice.call('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'one too many' }),
    { status: 503, error: { id: 'api-unavailable' } }
  )
  t.match(await alice.call('events.get'), { events: [] }, 'reading goes on')
  t.equal(written, 0)
  gate.emit('opened')
  await held
  await Promise.all(writes)
  t.equal(written, 5000)
  t.notOk(
    (await alice.call('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'later' })).error
  )
})

t.test('a batch whose writes find no room leaves others their turn', async t => {
  const { alice, server } = await openCoffer(t)
  await alice.stream('diary')
  const { accounts } = server.services
  const store = accounts.store(accounts.find('alice')!)
  const gate = new EventEmitter()
  const held = store.holdWrites(async () => void (await once(gate, 'opened')))
  const writes = Array.from({ length: 5000 }, () => store.write(() => undefined))
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
