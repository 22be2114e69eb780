/** Texts that are indexed some time after they were written can be found all the time. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import t from 'tap'
import { TextIndexer } from '../../../core/events/text-indexer.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { openCoffer, type Client } from '../../support/coffer.js'

t.setTimeout(900_000)

function storeOf({ service, username }: Client): UserStore {
  const { accounts } = service.server.services
  return accounts.openStore(accounts.find(username)!)
}

/** Returns the number of indexed words, without places. */
function ledCount(client: Client): number {
  const { db } = storeOf(client) as unknown as { db: import('better-sqlite3').Database }
  return db.prepare("SELECT count(*) FROM event_vocabulary WHERE term NOT LIKE '·%'").pluck().get() as number
}

async function found(client: Client, text: string): Promise<number> {
  return (await client.do('events.get', { text, state: 'all', limit: 1e6 })).events.length
}

async function fill(client: Client, count: number): Promise<void> {
  const notes = Array.from({ length: count }, (_, n) => ({
    method: 'events.create',
    params: { streamIds: ['diary'], type: 'note/txt', content: `note${n} later`, time: n % 50 }
  }))
  await client.http('POST', '/', notes)
}

t.test('a note is found immediately', async t => {
  const { alice } = await openCoffer(t)
  await alice.stream('diary')
  const { id } = await alice.event({ content: 'first words' })
  t.equal(await found(alice, 'first'), 1)
  await alice.do('events.update', { id, update: { content: 'other words' } })
  t.equal(await found(alice, 'first'), 0, 'as it has been changed')
  t.equal(await found(alice, 'other'), 1)
  const { body } = await alice.http('POST', '/', [
    { method: 'events.create', params: { streamIds: ['diary'], type: 'note/txt', content: 'of a batch' } },
    { method: 'events.get', params: { text: 'batch' } },
    { method: 'events.delete', params: { id } },
    { method: 'events.get', params: { text: 'words', state: 'trashed' } }
  ])
  t.same(
    body.results.map(({ events }: { events?: object[] }) => events?.length),
    [undefined, 1, undefined, 1],
    'within a batch'
  )
  t.equal(ledCount(alice), 0, 'though no words lead there yet')
  await alice.service.server.settle()
  t.equal(ledCount(alice), 5, 'but soon')
  t.equal(await found(alice, 'words'), 1)
  await alice.do('events.update', { id, update: { content: 'words again' } })
  t.equal(await found(alice, 'other'), 0)
  t.equal(await found(alice, 'again'), 1)
})

t.test('words are indexed when an account is idle or searched often', async t => {
  const { alice, server } = await openCoffer(t)
  await alice.stream('diary')
  await server.settle()
  // It runs only when called here, provided that each run takes less than a second.
  const follower = new TextIndexer(server.services)
  t.teardown(() => follower.close())
  const { texts } = storeOf(alice).events
  await alice.event({ content: 'some words' })
  for (let turn = 0; turn < 3; turn++) {
    await alice.event({ content: 'more' })
    t.notOk(texts.isDue(), 'not while others come')
  }
  let turns = 0
  while (!texts.isDue()) turns++
  t.ok(turns >= 2 && turns <= 5, `${turns} quiet turns`)
  const untilIndexed = async (): Promise<void> => {
    while (texts.isDue()) {
      await follower.catchUp()
      // A checkpoint that blocks the file ends in a separate turn.
      await nextTurn()
    }
  }
  await untilIndexed()
  t.equal(ledCount(alice), 5)
  t.notOk(texts.hasPending())
  t.notOk(texts.isDue(), 'then nothing is left')

  await fill(alice, 600)
  t.equal(await found(alice, 'later'), 600)
  t.ok(texts.isDue(), 'as soon as somebody searches much')
  await untilIndexed()
  t.equal(ledCount(alice), 5 + 1200)

  const { version } = storeOf(alice)
  for (let n = 0; n < 20; n++) await alice.event({ type: 'mass/kg', content: n })
  while (!texts.isDue()) turns++
  await follower.catchUp()
  t.equal(storeOf(alice).version, version + 20, 'nothing is written for events without texts')
})

t.test('a search during a long write finds earlier events', async t => {
  const { alice, server } = await openCoffer(t)
  for (const id of ['diary', 'other']) await alice.stream(id)
  await fill(alice, 700)
  const store = storeOf(alice)
  const { events } = await alice.do('events.get', { text: 'later', limit: 300 })
  const awaited = { isOver: false }
  let isOver = false
  const long = store
    .writeInSteps(function* (draft) {
      for (const event of events) {
        draft.events.update({ ...event, content: 'by then' })
        yield
      }
      const run = draft.events.query({ ...sought(['then']), limit: 1000 })
      let count = 0
      for (;;) {
        const page = draft.events.next(run)
        count += page.count
        if (page.done) break
        yield
      }
      t.equal(count, 300, 'the write itself sees what it has written')
      while (!awaited.isOver) yield
    })
    .then(() => (isOver = true))
  while (!store.isHeld) await nextTurn()
  const led = ledCount(alice)
  const follower = new TextIndexer(server.services)
  t.teardown(() => follower.close())
  t.ok(store.events.texts.isDue())
  await follower.catchUp()
  t.equal(ledCount(alice), led, 'nothing is indexed meanwhile')
  t.equal(await found(alice, 'later'), 700)
  t.equal(await found(alice, 'then'), 0)
  t.notOk(isOver, 'all of that without waiting')
  awaited.isOver = true
  await long
  t.equal(await found(alice, 'later'), 400)
  t.equal(await found(alice, 'then'), 300)
  await follower.catchUp(true)
  t.equal(ledCount(alice), 1400)
  t.equal(await found(alice, 'later'), 400)
  t.equal(await found(alice, 'then'), 300)
})

function sought(words: string[]) {
  return {
    text: { words, mayUseIndex: true },
    isRunning: false,
    trashed: [0] as const,
    order: 'DESC' as const,
    skip: 0,
    present: (body: string) => body
  }
}
