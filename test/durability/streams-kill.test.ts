/** A crash while a stream with many events is deleted in slices: all of it exists afterwards, or nothing. */
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { Layout } from '../../storage/files/layout.js'
import { plant, sender } from '../support/planted.js'
import type { Answer } from '../support/coffer.js'
import { seeded } from '../support/random.js'
import { ServerProcess } from './server-process.js'

t.setTimeout(900_000)

const rounds = process.env['COFFER_TEST_LONG'] ? 60 : 1
const random = seeded(t)
const many = 2000
/** Factor by which a server is slower right after its start. */
const slowness = 5
const username = 'kill-test'

t.test('a server that is killed while it deletes a stream', async t => {
  const dataDir = t.testdir({})
  let server = await ServerProcess.start(dataDir)
  t.teardown(async () => await server.kill())
  const { token } = await plant(sender(server.url), username, 'something')
  const ask = async (verb: string, path: string, body?: unknown): Promise<Answer> => {
    const response = await fetch(`${server.url}/${username}${path}`, {
      method: verb,
      headers: { authorization: token, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) })
    })
    return await response.json()
  }
  const idsIn = async (streamId: string): Promise<string[]> => {
    const { events = [] } = await ask('GET', `/events?state=all&limit=1000000&streams=${streamId}`)
    return events.map(({ id }: Answer) => id)
  }
  await ask('POST', '/streams', { id: 'home', name: 'home' })
  let isThere = false
  /** Duration of a deletion in milliseconds. */
  let tookMs = 0
  const ends = { before: 0, after: 0 }
  for (let round = -1; round < rounds; round++) {
    if (!isThere) {
      await ask('POST', '/streams', { id: 'going', name: 'going', parentId: 'home' })
      const create = {
        method: 'events.create',
        params: { streamIds: ['going'], type: 'count/steps', content: 1 }
      }
      await ask(
        'POST',
        '/',
        Array.from({ length: many }, () => create)
      )
      await ask('DELETE', '/streams/going')
    }
    const isMerged = random.chance(0.5)
    const [before, home] = [await idsIn('going'), await idsIn('home')]
    t.equal(before.length, many)
    const start = performance.now()
    const deletion = ask('DELETE', `/streams/going?mergeEventsWithParent=${isMerged}`).catch(() => undefined)
    if (round < 0) {
      // Not killed, to measure the duration.
      await deletion
      tookMs = performance.now() - start
      isThere = false
      continue
    }
    // Another call waits for the deletion.
    const late = ask('POST', '/events', { streamIds: ['home'], type: 'note/txt', content: 'late' }).catch(
      () => undefined
    )
    await wait(((round + random.next()) / rounds) * tookMs * slowness)
    await server.kill()
    const answered: Answer = await deletion
    const lateId: string | undefined = (await late)?.event?.id
    server = await ServerProcess.start(dataDir)

    const after = await ask('GET', '/streams?parentId=home&state=all')
    isThere = after.streams.length > 0
    ends[isThere ? 'before' : 'after']++
    if (answered) t.notOk(isThere, 'what was acknowledged has happened')
    const left = await idsIn('home')
    const kept = isThere ? before : []
    const merged = !isThere && isMerged ? before : []
    const own = left.filter(id => !home.includes(id) && !before.includes(id))
    t.ok(own.length <= 1, 'nothing else')
    if (lateId) t.same(own, [lateId])
    const expected = new Set([
      ...home.filter(id => isThere || !before.includes(id)),
      ...kept,
      ...merged,
      ...own
    ])
    t.same(new Set(left), expected, `round ${round}: ${isThere ? 'before' : 'after'}`)
  }
  t.comment(`before ${ends.before} times, after ${ends.after} times`)
  await server.stop()
  t.same((await checkDirectory(new Layout(dataDir))).problems, [])
})
