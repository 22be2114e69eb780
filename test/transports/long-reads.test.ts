/** Long responses to calendars, readers of news and dashboards: they end with their access, and hold a limited amount of memory. */
import { open } from 'node:fs/promises'
import t from 'tap'
import { coffer, openCoffer, type Client } from '../support/coffer.js'
import { rotate } from '../support/rotation.js'
import { SlowClient } from '../support/slow-client.js'

const minute = 60

/** Lets pending work continue, including threads of the system. */
async function turns(count = 10): Promise<void> {
  for (let turn = 0; turn < count; turn++) await open(import.meta.filename).then(file => file.close())
}

/** Stores as much as calendars show at most, in characters that take three bytes. */
async function fillDiary(user: Client, now: number): Promise<void> {
  await user.stream('diary')
  const long = '\u20ac'.repeat(119)
  for (let at = 0; at < 5000; at += 1000)
    await user.do(
      'callBatch',
      Array.from({ length: 1000 }, (_, n) => {
        const content = `${at + n}${long}\n${'\u20ac'.repeat(190)}`
        return {
          method: 'events.create',
          params: { streamIds: ['diary'], type: 'note/txt', time: now - at - n, content }
        }
      })
    )
}

/** Stores weights of many scales. Returns the path of a query with as many values as one may have, of about 25 MB. */
async function fillScales(user: Client, now: number): Promise<string> {
  await user.stream('body')
  await user.do(
    'callBatch',
    Array.from({ length: 90 }, (_, at) => [
      { method: 'streams.create', params: { id: `scale-${at}`, name: `Scale ${at}`, parentId: 'body' } },
      {
        method: 'events.create',
        params: { streamIds: [`scale-${at}`], type: 'mass/kg', content: 70.125, time: now - 10_999 * minute }
      }
    ]).flat()
  )
  const params = new URLSearchParams({
    query: 'last_over_time(coffer_mass_kg[10d])',
    start: String(now - 10_990 * minute),
    end: String(now),
    step: String(minute)
  })
  return `/prometheus/api/v1/query_range?${String(params)}`
}

t.test('long responses to other programs', async t => {
  const { alice, clock } = await coffer(t)
  await fillDiary(alice, clock.now())
  const query = await fillScales(alice, clock.now())
  const responses = [
    ['calendar', 'diary', (token: string) => `/feed.ics?auth=${token}`],
    ['query', 'body', () => query]
  ] as const
  for (const [name, level, path] of rotate(t, responses)) {
    t.test(`are sent whole: a ${name}`, async t => {
      const reader = await alice.grant('read', level, { type: 'app' })
      const slow = await SlowClient.get(reader, path(reader.token))
      t.equal(await slow.status(), 200)
      await slow.takeAll()
      t.ok(slow.isWhole)
      t.ok(slow.received > 4e6, `${slow.received} bytes`)
      slow.leave()
    })

    t.test(`stop once the access is deleted: a ${name}`, async t => {
      const reader = await alice.grant('read', level, { type: 'app' })
      const slow = await SlowClient.get(reader, path(reader.token))
      t.equal(await slow.status(), 200)
      await turns()
      await alice.do('accesses.delete', { id: reader.access.id })
      await slow.takeAll()
      t.notOk(slow.isWhole, `${slow.received} bytes`)
    })

    t.test(`stop once the access expires: a ${name}`, async t => {
      const reader = await alice.grant('read', level, { type: 'app', expireAfter: 10 })
      const slow = await SlowClient.get(reader, path(reader.token))
      t.equal(await slow.status(), 200)
      await turns()
      // Not so long that the client counts as stalled.
      clock.advance(11)
      await slow.takeAll()
      t.notOk(slow.isWhole, `${slow.received} bytes`)
    })
  }
})

t.test('feeds of an account have their turn one by one, and a limited number waits', async t => {
  const service = await coffer(t)
  const { alice, clock } = service
  await fillDiary(alice, clock.now())
  await alice.stream('small')
  const reader = await alice.grant('read', '*', { type: 'app' })
  const other = await alice.grant('read', 'small', { type: 'app' })
  const bob = await service.user('bob')
  await bob.stream('diary')
  const hers = await bob.grant('read', 'diary', { type: 'app' })
  const order: string[] = []
  const get = async (user: Client, path: string): Promise<number> => {
    const url = `${service.server.url}/${user.username}/${path}auth=${user.token}`
    const response = await fetch(url)
    await response.text()
    return response.status
  }
  const note = async (name: string, status: Promise<number>): Promise<void> => {
    t.equal(await status, 200, name)
    order.push(name)
  }
  const heavy = Array.from({ length: 6 }, async () => await note('heavy', get(reader, 'feed.ics?')))
  const light = Array.from({ length: 130 }, async () => await get(reader, 'feed.atom?streams=small&'))
  const others = [
    note('other access', get(other, 'feed.atom?')),
    note('other account', get(hers, 'feed.atom?'))
  ]
  await Promise.all([...heavy, ...others])
  const statuses = await Promise.all(light)
  t.ok(statuses.filter(status => status === 429).length >= 20, statuses.join())
  for (const name of ['other access', 'other account'])
    t.ok(order.indexOf(name) < order.lastIndexOf('heavy'), order.join())
  t.equal(await get(reader, 'feed.atom?streams=small&'), 200)
})

t.test('long responses take places by their size', async t => {
  const { alice, clock, server } = await openCoffer(t, { limits: { longAnswersPerAccess: 20 } })
  const query = await fillScales(alice, clock.now())
  const reader = await alice.grant('read', 'body', { type: 'app' })
  const load = (): { open: number; waiting: number } => server.services.longResponses.load
  const slow = await SlowClient.get(reader, query)
  t.equal(await slow.status(), 200)
  t.ok(load().open >= 10 && load().open <= 20, `${load().open} places`)
  const form = query.slice(query.indexOf('?') + 1)
  const second = SlowClient.send(
    server.url,
    [
      `POST /${alice.username}/prometheus/api/v1/query_range HTTP/1.1`,
      'Host: localhost',
      `Authorization: ${reader.token}`,
      'Content-Type: application/x-www-form-urlencoded',
      `Content-Length: ${form.length}`,
      '',
      form
    ].join('\r\n'),
    true
  )
  while (load().waiting < 1) await turns()
  const small = await alice.http('GET', query.replace('coffer_mass_kg', 'coffer_mass_kg{stream="scale-1"}'))
  t.equal(small.status, 200, 'others of the account have theirs')
  t.equal(small.body.data.result.length, 1)
  clock.advance(11)
  const refused = await second
  t.equal(await refused.status(), 429)
  t.match(refused.text, /"errorType":"unavailable"/)
  slow.leave()
  refused.leave()
  while (load().open > 0) await turns()
  const again = await SlowClient.get(reader, query)
  t.equal(await again.status(), 200)
  const inAscii = load().open
  again.leave()
  while (load().open > 0) await turns()
  await alice.do('streams.update', { id: 'scale-1', update: { name: 'Waage \u20ac' } })
  const wide = await SlowClient.get(reader, query.replace('[10d]', '[9d]'))
  t.equal(await wide.status(), 200)
  t.ok(inAscii < 20 && load().open === 20, `a text of two bytes each takes more: ${load().open} places`)
  wide.leave()
})
