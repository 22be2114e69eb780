/** A crash loses no acknowledged write from the audit log, and at most the last second of reads; its chain is valid. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { Layout } from '../../storage/files/layout.js'
import type { Answer } from '../support/coffer.js'
import { seeded } from '../support/random.js'
import { until } from '../support/socket.js'
import { post, signIn } from './requests.js'
import { ServerProcess } from './server-process.js'

t.setTimeout(900_000)

const rounds = process.env['COFFER_TEST_LONG'] === '1' ? 20 : 1
const random = seeded(t)
/** Pause between the calls of a client, in milliseconds: more calls prove no more. */
const pauseMs = 20
const audit = 'events?streams=:_audit:&fromTime=0&toTime=1e12&sortAscending=true'

t.test('a server that is killed during reads and writes', async t => {
  const dataDir = t.testdir({})
  let server = await ServerProcess.start(dataDir)
  t.teardown(async () => await server.kill())
  const url = (path: string): string => `${server.url}/kill-test/${path}`
  const token = await signIn(server.url)
  const headers = { authorization: token }
  await post(url('streams'), { id: 'diary', name: 'Diary' }, token)
  const written: string[] = []
  const read: number[] = []

  for (let round = 1; round <= rounds; round++) {
    const writing = async (): Promise<void> => {
      for (;;) {
        const event = { streamIds: ['diary'], type: 'note/txt', content: 'x' }
        const { event: made } = await post(url('events'), event, token)
        written.push(`EVENT:0:${made.id}:${made.modified}`)
        await wait(pauseMs)
      }
    }
    const reading = async (): Promise<void> => {
      for (;;) {
        const response = await fetch(url(`events?limit=1&skip=${read.length}`), { headers })
        await response.json()
        read.push(Date.now())
        await wait(pauseMs)
      }
    }
    const atWork = [writing(), writing(), reading(), reading(), reading()].map(work =>
      work.catch(() => undefined)
    )
    await wait(1600 + random.below(800))
    await until(() => written.length > round * 10 && read.length > round * 10, 'some calls of each kind')
    const killed = Date.now()
    await server.kill()
    await Promise.all(atWork)
    const { problems } = await checkDirectory(new Layout(dataDir))
    t.same(problems, [], `round ${round}: the chain holds`)

    server = await ServerProcess.start(dataDir)
    const { events } = (await (await fetch(url(audit), { headers })).json()) as Answer
    const keys = new Set(events.map(({ content }: Answer) => content.record?.key))
    t.same(
      written.filter(key => !keys.has(key)),
      [],
      `${written.length} writes are all there`
    )
    const kept = events.filter(
      ({ content }: Answer) => content.action === 'events.get' && content.query.limit === '1'
    )
    // Allows for a flush that a busy machine delays.
    const early = read.filter(time => time < killed - 1500).length
    t.ok(kept.length >= early, `${kept.length} of ${read.length} reads, ${early} of them early`)
    // Forgets what was lost: the next round counts from here.
    read.splice(0, read.length, ...Array.from({ length: kept.length }, () => 0))
  }
})
