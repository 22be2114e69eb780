/** Pages of lists that change while they are read: nothing that is there all the time is missing. */
import t, { type Test } from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { ask, day, ids, monday, type Response } from '../../support/fhir.js'

/** Reads all pages, with a change after the first. Returns the ids that were found. */
async function readAll(
  t: Test,
  alice: Client,
  query: string,
  change?: (seen: readonly string[]) => Promise<unknown>
): Promise<string[]> {
  const seen: string[] = []
  let next: string | undefined = query
  for (let pages = 0; next !== undefined && pages < 50; pages++) {
    const { body, status }: Response = await ask(t, alice, next)
    t.equal(status, 200, next)
    seen.push(...ids(body))
    next = body.link.find(({ relation }: Answer) => relation === 'next')?.url.split('/fhir/')[1]
    if (pages === 0) await change?.(seen)
  }
  t.equal(next, undefined, 'the pages end')
  return seen
}

t.test('pages of events that change meanwhile', async t => {
  const { alice } = await coffer(t)
  await alice.stream('heart')
  const create = async (fields: Record<string, unknown>): Promise<string> =>
    (await alice.event({ streamIds: ['heart'], type: 'frequency/bpm', content: 60, ...fields })).id as string
  const erase = async (id: string): Promise<void> => {
    await alice.do('events.delete', { id })
    await alice.do('events.delete', { id })
  }
  const times: Record<string, (at: number) => Record<string, unknown>> = {
    'one after the other': at => ({ time: monday + at }),
    'at the same time': () => ({ time: monday }),
    'three at a time': at => ({ time: monday + Math.floor(at / 3) }),
    'that reach the next ones': at => ({ time: monday + at, duration: at % 2 === 0 ? 1000 : 3 }),
    running: at => ({ time: monday + at, ...(at < 8 && { duration: null }) }),
    'from before the dates on': at => ({ time: monday - 40 * day + at, duration: 41 * day })
  }
  const queries = { events: '', 'events and points': 'code=8867-4&date=lt2026-02-01&date=ge2026-01-01&' }

  for (const [what, toFields] of Object.entries(times))
    for (const [list, query] of Object.entries(queries))
      for (const order of ['date', '-date'])
        t.test(`${list} ${what}, by ${order}`, async t => {
          const all: string[] = []
          for (let at = 0; at < 12; at++) all.push(await create(toFields(at)))
          const search = `Observation?${query}_sort=${order}&_count=5`
          const before = await readAll(t, alice, search)
          t.same(before.toSorted(), all.toSorted(), 'each once')
          const added: string[] = []
          const found = await readAll(t, alice, search, async seen => {
            for (const id of seen.slice(0, 3)) await erase(id)
            // Before the next page in both orders, and at the time of others.
            for (const at of [-1, 11]) added.push(await create({ ...toFields(11), time: monday + at }))
          })
          const missing = all.filter(id => !found.includes(id))
          t.same(missing, [], 'after changes before the page')
          const left = await readAll(t, alice, search, async seen => {
            await erase(seen.at(-1)!)
          })
          const others = [...all, ...added].filter(id => !before.slice(0, 3).includes(id))
          t.same(
            others.filter(id => !left.includes(id)),
            [],
            'after the last resource of the page has gone'
          )
          const kept = others.filter(id => id !== left[4])
          const after = await readAll(t, alice, search, async seen => {
            // To the end of the list, past what has not been read.
            const time = monday + (order === 'date' ? 20 * day : -80 * day)
            await alice.do('events.update', { id: seen.at(-1)!, update: { time } })
          })
          t.same(
            kept.filter(id => !after.includes(id)),
            [],
            'after the last resource of the page has moved'
          )
          for (const id of others) await alice.call('events.delete', { id })
        })
})

t.test('a forged link costs no more reads than one of the service', async t => {
  const { alice } = await coffer(t)
  await alice.stream('heart')
  for (let at = 0; at < 60; at++)
    await alice.event({ streamIds: ['heart'], type: 'frequency/bpm', content: 60, time: monday + at })
  const reader = await alice.grant('read', 'heart', { type: 'app' })
  const count = async (): Promise<number> => {
    const streams = [`:_audit:access-${reader.access.id}`]
    return (await alice.do('events.get', { streams, limit: 1000 })).events.length
  }
  for (const order of ['date', '-date']) {
    const { body } = await ask(t, reader, `Observation?_sort=${order}&_count=5`)
    const link = new URL(body.link.find(({ relation }: Answer) => relation === 'next').url)
    const parts = JSON.parse(Buffer.from(link.searchParams.get('page')!, 'base64url').toString()) as unknown[]
    for (const time of [-1e300, 1e300]) {
      // The time and the id of the last event come last.
      const forged = [1000, ...parts.slice(1, -2), time, 'no-such-event']
      const cursors = [forged, forged.map((part, at) => (at === 1 ? null : part))]
      for (const cursor of cursors) {
        const page = Buffer.from(JSON.stringify(cursor)).toString('base64url')
        const before = await count()
        await ask(t, reader, `Observation?_sort=${order}&_count=5&page=${page}`)
        const reads = (await count()) - before
        t.ok(reads <= 8, `${reads} reads of ${order} from ${time}`)
      }
    }
  }
})

t.test('pages of accesses and forms that end meanwhile', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  for (let at = 0; at < 9; at++) await alice.grant('read', 'diary')
  const all = ids((await ask(t, alice, 'Consent')).body)
  t.equal(all.length, 9)
  const found = await readAll(t, alice, 'Consent?_count=4', async seen => {
    await alice.do('accesses.delete', { id: seen[0] })
    await alice.do('accesses.delete', { id: seen[3] })
    await alice.grant('read', 'diary')
  })
  t.same(found.slice(0, 9), all, 'each once')
})
