/** A crash while notes are written and indexed: a search finds each note once, and no others. */
import { setTimeout as wait } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import t from 'tap'
import { Layout } from '../../storage/files/layout.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import type { Answer } from '../support/coffer.js'
import { seeded } from '../support/random.js'
import { MortalServer } from './mortal-server.js'

t.setTimeout(900_000)

const rounds = process.env['COFFER_TEST_LONG'] === '1' ? 20 : 1
const random = seeded(t)
const batch = 500

t.test('a server that is killed while it indexes texts', async t => {
  const server = await MortalServer.start(t)
  await server.call('POST', 'streams', { id: 'diary', name: 'Diary' })
  const platform = new PlatformStore(new Layout(server.dataDir))
  const { id } = platform.listActive('', 1)[0]!
  platform.close()
  const ids = async (query: string): Promise<string[]> =>
    (await server.call('GET', `events?${query}&limit=1000000`)).events
      .map((event: Answer) => event.id)
      .toSorted()

  const ends: number[] = []
  let count = 0
  for (let round = 1; round <= rounds; round++) {
    for (let n = 0; n < 3; n++) {
      const notes = Array.from({ length: batch }, (_, at) => ({
        method: 'events.create',
        params: {
          streamIds: ['diary'],
          type: 'note/txt',
          content: `common word${count + at} ${'x '.repeat(9)}`
        }
      }))
      await server.call('POST', '', notes)
      count += batch
    }
    // A long queue is indexed within a second.
    t.equal((await ids('text=common')).length, count)
    const { event } = await server.call('POST', 'events', {
      streamIds: ['diary'],
      type: 'note/txt',
      content: `common last${round}`
    })
    count++
    await wait(900 + random.below(300))
    await server.kill()
    await server.restart()
    t.same(await ids(`text=last${round}`), [event.id], `round ${round}: what was acknowledged is found`)
    const all = await ids('types=note/txt')
    t.equal(all.length, count)
    t.same(await ids('text=common'), all, `round ${round}: each once`)
    const db = new SQLite(new Layout(server.dataDir).userFile(id), { readonly: true })
    ends.push(db.prepare('SELECT number FROM event_text_end').pluck().get() as number)
    const led = db.prepare("SELECT count(*) FROM event_vocabulary WHERE term = 'common'").pluck().get()
    const kept = db.prepare('SELECT count(*) FROM event_text').pluck().get()
    t.equal(led, kept, `round ${round}: words and texts go together`)
    db.close()
  }
  t.comment(`indexed in each round: ${ends.join(', ')}`)
  await server.stop()
})
