/** Feeds as calendars and readers of news see them, read with a library that reads calendars. */
import ICAL from 'ical.js'
import t from 'tap'
import { coffer, type Client } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn, stopwatch } from '../../support/probe.js'
import { inRotation } from '../../support/rotation.js'
import { writeCalendar } from '../../../transports/feed/calendar.js'

const day = 86_400
const rootUrl = 'https://coffer.example/daisy/'

interface FeedResponse {
  readonly status: number
  readonly type: string | null
  readonly etag: string | null
  readonly text: string
}

/** Requests a feed with a token in its address, as calendars do. */
async function read(
  { service, username }: Client,
  path: string,
  params: Record<string, string>,
  headers: Record<string, string> = {}
): Promise<FeedResponse> {
  const url = `${service.server.url}/${username}/${path}?${String(new URLSearchParams(params))}`
  const response = await fetch(url, { headers })
  const [type, etag] = ['content-type', 'etag'].map(name => response.headers.get(name))
  return { status: response.status, type: type!, etag: etag!, text: await response.text() }
}

/** Parses a calendar, and returns its events by title. */
function parse(text: string): Map<string, ICAL.Event> {
  const calendar = new ICAL.Component(ICAL.parse(text) as ConstructorParameters<typeof ICAL.Component>[0])
  return new Map(
    calendar.getAllSubcomponents('vevent').map(each => {
      const event = new ICAL.Event(each)
      return [event.summary, event]
    })
  )
}

/** Returns the dates of events that last whole days. */
const dates = (text: string): string[] =>
  [...text.matchAll(/DTSTART;VALUE=DATE:(\d+)/g)].map(([, date]) => date!)

/** Returns the address of the next page of an Atom feed; `undefined` on the last one. */
const nextOf = (page: string): string | undefined =>
  /rel="next" type="application\/atom\+xml" href="([^"]+)"/.exec(page)?.[1]!.replaceAll('&amp;', '&')

/** Returns the ids of the entries of an Atom feed. */
const ids = (page: string): string[] => [...page.matchAll(/<entry>\n.*\n<id>([^<]+)/g)].map(([, id]) => id!)

/** Creates events. Takes the params of each from its number. */
async function fill(client: Client, count: number, params: (number: number) => object): Promise<void> {
  const calls = Array.from({ length: count }, (_, n) => ({ method: 'events.create', params: params(n) }))
  for (let from = 0; from < count; from += 5000) await client.do('callBatch', calls.slice(from, from + 5000))
}

t.test('feeds', async t => {
  const { alice } = await coffer(t)
  const { service } = alice
  const now = Math.floor(service.server.services.clock.now())
  await alice.stream('sport')
  await alice.stream('diary')
  await alice.stream('same')
  await alice.stream('odd')
  const run = await alice.event({
    streamIds: ['sport'],
    type: 'length/m',
    content: 8200,
    time: now - day,
    duration: 2700
  })
  // A whole day in Zurich, where summer begins on that day or not.
  const midnight = Math.floor(now / day) * day - 30 * day
  await alice.event({
    streamIds: ['sport'],
    type: 'activity/plain',
    content: null,
    time: midnight,
    duration: 2 * day
  })
  await alice.event({ streamIds: ['sport'], type: 'frequency/bpm', content: 61, time: now - 100 })
  await alice.event({
    streamIds: ['sport'],
    type: 'note/txt',
    content: 'Knee, hurts; "left"\nüber 5 km\u0000',
    time: now - 50
  })
  await alice.event({
    streamIds: ['sport'],
    type: 'activity/plain',
    content: null,
    time: now - 10,
    duration: null
  })
  await alice.event({ streamIds: ['sport'], type: 'note/txt', content: 'too old', time: now - 100 * day })
  await alice.event({ streamIds: ['diary'], type: 'note/txt', content: 'a secret', time: now - 60 })
  const { token: auth } = await alice.grant('read', 'sport', {
    type: 'shared',
    name: 'My <calendar>, shared'
  })

  t.test('are calendars', async t => {
    const { etag, status, text, type } = await read(alice, 'feed.ics', { auth })
    t.equal(status, 200)
    t.equal(type, 'text/calendar; charset=utf-8')
    t.match(text, /^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\n/)
    t.ok(
      text.split('\r\n').every(line => Buffer.byteLength(line) <= 75),
      'lines are folded'
    )
    t.notMatch(text, /secret|too old|frequency/)
    const events = parse(text)
    t.same([...events.keys()].toSorted(), ['sport', 'sport, 8200 m', 'sport, Knee, hurts; "left"'])
    const found = events.get('sport, 8200 m')!
    t.equal(found.uid, `${run.id}@${new URL(service.server.url).host}`)
    t.equal(found.startDate.toUnixTime(), now - day)
    t.equal(found.endDate.toUnixTime(), now - day + 2700)
    t.equal(events.get('sport, Knee, hurts; "left"')!.description, 'Knee, hurts; "left"\nüber 5 km')
    t.equal((await read(alice, 'feed.ics', { auth }, { 'if-none-match': etag! })).status, 304)
    await alice.do('events.update', { id: run.id, update: { content: 8300 } })
    const changed = await read(alice, 'feed.ics', { auth }, { 'if-none-match': etag! })
    t.equal(changed.status, 200)
    t.match(changed.text, new RegExp(`UID:${run.id}@`), 'and the entry is the same')
  })

  t.test('are calendars whatever their names are', async t => {
    const named = String.raw`Mum, Dad; a\b` + '\r\nX-MORE:1\nBEGIN:VEVENT'
    const { token: odd } = await alice.grant('read', 'diary', { type: 'shared', name: named })
    const { text } = await read(alice, 'feed.ics', { auth: odd })
    const unfolded = text.replaceAll('\r\n ', '').split('\r\n')
    const escaped = String.raw`Mum\, Dad\; a\\b\nX-MORE:1\nBEGIN:VEVENT`
    for (const property of ['NAME', 'X-WR-CALNAME']) t.ok(unfolded.includes(`${property}:${escaped}`), text)
    t.notMatch(text, /^X-MORE/m)
    t.equal(parse(text).size, 1)
  })

  t.test('are calendars whatever the names of streams and the texts of events are', async t => {
    const breaks = ['\n', '\r', '\r\n', '\u0085', '\u2028', '\u2029', '\v', '\f']
    const odd = breaks.map(each => `a${each}END:VEVENT${each}X-MORE:1;,\\`).join('')
    for (const [at, name] of [odd, '\u0007', '\ud800', ' ', ';,:"\\n'].entries()) {
      const id = `odd-${at}`
      await alice.do('streams.create', { id, name, parentId: 'odd' })
      await alice.event({ streamIds: [id], type: 'note/txt', content: odd, description: odd, time: now - at })
      await alice.event({ streamIds: [id], type: 'note/txt', content: '\u0007\u0000', time: now - at })
    }
    const { token } = await alice.grant('read', 'odd', { type: 'shared', name: '\u0007' })
    const { status, text } = await read(alice, 'feed.ics', { auth: token })
    t.equal(status, 200)
    t.equal(text.match(/^BEGIN:VEVENT\r$/gm)?.length, 10)
    t.equal(parse(text).size, 9, 'titles')
    for (const end of ['\r\n', '\u2028'])
      await alice.event({ streamIds: ['odd-1'], type: 'note/txt', content: `first${end}second`, time: now })
    const lines = await read(alice, 'feed.ics', { auth: token })
    t.equal(lines.text.match(/\r\nSUMMARY:\\, first\r\n/g)?.length, 2, 'a title is one line')
    t.ok(text.endsWith('\r\nEND:VCALENDAR\r\n'), 'also the last line ends')
    // Some programs take all of these for the end of a line.
    for (const line of text.split(/[\n\r\u0085\u2028\u2029\v\f]+/))
      t.match(
        line,
        /^(?: |$|(?:BEGIN|CATEGORIES|CREATED|DESCRIPTION|DTEND|DTSTAMP|DTSTART|END|LAST-MODIFIED|METHOD|NAME|PRODID|REFRESH-INTERVAL|SEQUENCE|SUMMARY|UID|VERSION|X-PUBLISHED-TTL|X-WR-CALNAME)[:;])/
      )
    t.notMatch(text, /^X-MORE/m)
  })

  t.test('have a component, even without entries', async t => {
    await alice.stream('unused')
    const { token } = await alice.grant('read', 'unused', { type: 'shared' })
    const { text } = await read(alice, 'feed.ics', { auth: token })
    t.match(text, /\r\nBEGIN:VTIMEZONE\r\n/)
    t.equal(parse(text).size, 0)
    const { text: full } = await read(alice, 'feed.ics', { auth })
    t.notMatch(full, 'VTIMEZONE')
  })

  t.test('show events with any times of their changes', async t => {
    const event = { id: 'c00000000000000000000000a', time: now, type: 'note/txt', content: 'hello' }
    for (const changed of [-1e13, 1e15]) {
      const times = { created: changed, modified: changed }
      const entry = {
        event: { ...event, ...times } as never,
        title: 'a',
        text: '',
        location: '',
        streamNames: []
      }
      const source = { name: 'odd', rootUrl, idUrl: rootUrl, zone: 'UTC', changed: now }
      t.equal(parse(await writeCalendar(source, [entry])).size, 1, String(changed))
    }
  })

  const test = inRotation(t, 2)
  test('are written fast, and end with a million characters', async t => {
    const source = { name: 'long', rootUrl, idUrl: rootUrl, zone: 'UTC', changed: now }
    const text = 'é'.repeat(4000)
    const entries = Array.from({ length: 300 }, (_, number) => {
      const event = { id: `c${number}`, time: now, created: now, modified: now, type: 'note/txt' }
      return { event: event as never, title: 'a', text, location: '', streamNames: [] }
    })
    await assertTakesLessThan(t, 500, async () => {
      const took = stopwatch()
      const calendar = await writeCalendar(source, entries)
      const time = took()
      t.equal(calendar.match(/^BEGIN:VEVENT/gm)?.length, 300)
      t.equal(calendar.match(/^DESCRIPTION/gm)?.length, 250)
      t.ok(calendar.split('\r\n').every(line => Buffer.byteLength(line) <= 75))
      return time
    })
  })

  t.test('show whole days as dates, in the requested zone', async t => {
    const date = new Date(midnight * 1000).toISOString().slice(0, 10).replaceAll('-', '')
    t.same(dates((await read(alice, 'feed.ics', { auth })).text), [date])
    t.same(dates((await read(alice, 'feed.ics', { auth, zone: 'Asia/Kolkata' })).text), [])
  })

  t.test('show other types if they are requested', async t => {
    const { text } = await read(alice, 'feed.ics', { auth, types: 'frequency/bpm' })
    t.same([...parse(text).keys()], ['sport, 61 bpm'])
  })

  t.test('are Atom, page by page', async t => {
    const { status, text, type } = await read(alice, 'feed.atom', { auth })
    t.equal(status, 200)
    t.equal(type, 'application/atom+xml; charset=utf-8')
    t.match(text, /<title>My &lt;calendar&gt;, shared<\/title>/)
    t.equal(text.match(/<entry>/g)!.length, 5)
    t.notOk(text.includes('rel="next"') || text.includes('\0'))
    t.match(text, /<content type="text">Knee, hurts; &quot;left&quot;\nüber 5 km<\/content>/)
    for (let n = 0; n < 100; n++)
      await alice.event({ streamIds: ['sport'], type: 'note/txt', content: `n${n}`, time: now - 1000 - n })
    const first = await read(alice, 'feed.atom', { auth })
    const second = await (await fetch(nextOf(first.text)!)).text()
    const all = [...ids(first.text), ...ids(second)]
    t.equal(new Set(all).size, 105)
    t.equal(all.length, 105)
    t.notOk(nextOf(second))
    const other = await read(alice, 'feed.atom', {
      auth,
      zone: 'Asia/Kolkata',
      types: 'note/txt,frequency/bpm',
      streams: 'sport'
    })
    const params = Object.fromEntries(new URL(nextOf(other.text)!).searchParams)
    t.match(params, { auth, zone: 'Asia/Kolkata', types: 'note/txt,frequency/bpm', streams: 'sport' })
  })

  t.test('are Atom, page by page, also with many entries of the same time', async t => {
    const { token } = await alice.grant('read', 'same', { type: 'shared' })
    for (let n = 0; n < 250; n++)
      await alice.event({ streamIds: ['same'], type: 'note/txt', content: `n${n}`, time: now - 5000 })
    const seen: string[] = []
    let next: string | undefined =
      `${service.server.url}/${alice.username}/feed.atom?${String(new URLSearchParams({ auth: token }))}`
    for (let pages = 0; next !== undefined && pages < 5; pages++) {
      const text = await (await fetch(next)).text()
      seen.push(...ids(text))
      next = nextOf(text)
    }
    t.equal(next, undefined)
    t.equal(seen.length, 250)
    t.equal(new Set(seen).size, 250)
  })

  t.test(
    'are Atom, page by page, also with entries of several kinds and readings of the same time',
    async t => {
      await alice.stream('imported')
      const { token } = await alice.grant('read', 'imported', { type: 'shared' })
      const at = now - 80 * day
      const make = async (count: number, fields: object): Promise<void> =>
        await fill(alice, count, () => ({ streamIds: ['imported'], time: at, ...fields }))
      // Entries of each list that is read, and readings that are no entries in between: more than are read at once.
      await make(130, { type: 'note/txt', content: 'a' })
      await make(1100, { type: 'count/generic', content: 1 })
      await make(130, { type: 'sleep/analysis', content: { analysis: 'asleep' }, duration: 60 })
      await make(200, { type: 'count/generic', content: 2, duration: 60 })
      await make(1, { type: 'note/txt', content: 'last', time: at - 1 })
      const seen: string[] = []
      let next: string | undefined =
        `${service.server.url}/${alice.username}/feed.atom?${String(new URLSearchParams({ auth: token }))}`
      for (let pages = 0; next !== undefined && pages < 10; pages++) {
        const text = await (await fetch(next)).text()
        seen.push(...ids(text))
        next = nextOf(text)
      }
      t.equal(next, undefined)
      t.equal(seen.length, 461)
      t.equal(new Set(seen).size, 461)
    }
  )

  t.test('have the same text and ETag while nothing changes, also without entries', async t => {
    await alice.stream('empty')
    const { token } = await alice.grant('read', 'empty', { type: 'shared' })
    for (const path of ['feed.atom', 'feed.ics']) {
      const before = await read(alice, path, { auth: token })
      service.clock.advance(3)
      const after = await read(alice, path, { auth: token })
      t.same(after, before, path)
    }
  })

  test('skip no entry if one of the same time is deleted between pages', async t => {
    await alice.stream('changing')
    const { token } = await alice.grant('read', 'changing', { type: 'shared' })
    const made: string[] = []
    for (let n = 0; n < 130; n++)
      made.push((await alice.event({ streamIds: ['changing'], content: `n${n}`, time: now - 500 })).id)
    const deleted: string[] = []
    for (const index of [5, 99]) {
      const first = await read(alice, 'feed.atom', { auth: token })
      const gone = ids(first.text)[index]!.split('/').at(-1)!
      await alice.do('events.delete', { id: gone })
      const seen: string[] = []
      for (let page: string | undefined = first.text; page !== undefined;) {
        seen.push(...ids(page).map(id => id.split('/').at(-1)!))
        const next = nextOf(page)
        page = next === undefined ? undefined : await (await fetch(next)).text()
      }
      t.same(
        made.filter(id => !seen.includes(id) && !deleted.includes(id)),
        []
      )
      deleted.push(gone)
    }
  })

  test('with many events about sleep without a duration', async t => {
    await alice.stream('stages')
    const { token } = await alice.grant('read', 'stages', { type: 'shared' })
    const type = 'sleep/analysis'
    const asleep = { streamIds: ['stages'], type, content: { analysis: 'asleep' } }
    const [late, between, early] = [now - day, now - 2 * day, now - 3 * day]
    // Together more than are read for one feed.
    await fill(alice, 10_000, () => ({ ...asleep, time: late }))
    await alice.event({ ...asleep, time: between, duration: 28_800 })
    await alice.event({
      streamIds: ['stages'],
      type: 'length/m',
      content: 5000,
      duration: 1800,
      time: between
    })
    await fill(alice, 10_150, () => ({ ...asleep, time: early }))
    await alice.event({ streamIds: ['stages'], content: 'before all stages', time: now - 5 * day })
    await service.server.settle()

    await t.test('show what they are about, and take no longer', async t => {
      await assertTakesLessThan(t, 1000, async () => {
        const took = stopwatch()
        const { text } = await read(alice, 'feed.ics', { auth: token })
        const time = took()
        const titles = ['stages, 5000 m', 'stages, asleep', 'stages, before all stages']
        t.same([...parse(text).keys()].toSorted(), titles)
        return time
      })
      const { text } = await read(alice, 'feed.atom', { auth: token })
      t.equal(ids(text).length, 3)
      t.notOk(nextOf(text))
    })

    await t.test('are Atom, page by page, with more than ten thousand entries of the same time', async t => {
      const types = { types: type, streams: 'stages' }
      const { text } = await read(alice, 'feed.atom', { auth: token, ...types, before: String(early + 1) })
      const url = new URL(nextOf(text)!)
      const last = ids(text).at(-1)!.split('/').at(-1)
      t.match(Object.fromEntries(url.searchParams), { before: String(early), last, skip: '100' })
      // As if all pages but the last two had been read.
      const before = {
        types: [type],
        streams: ['stages'],
        toTime: early,
        fromTime: 0,
        skip: 10_009,
        limit: 1
      }
      const { events } = await alice.do('events.get', before)
      url.searchParams.set('skip', '10010')
      url.searchParams.set('last', events[0].id)
      const seen: string[] = []
      for (let next: string | undefined = url.href; next !== undefined;) {
        const page = await (await fetch(next)).text()
        seen.push(...ids(page))
        next = nextOf(page)
      }
      t.equal(seen.length, 140)
      t.equal(new Set(seen).size, 140)
    })
  })

  t.test('show a value in the unit of the measure of any of its streams', async t => {
    const clientData = { 'coffer:measure': 'distance' }
    await alice.do('streams.create', { id: 'rides', name: 'Rides', clientData })
    await alice.do('streams.create', { id: 'commute', name: 'Commute', parentId: 'rides' })
    const fields = { type: 'length/m', content: 8200, time: now - 200, duration: 60 }
    await alice.event({ ...fields, streamIds: ['odd', 'commute'] })
    const { token } = await alice.grantAll([
      { streamId: 'odd', level: 'read' },
      { streamId: 'rides', level: 'read' }
    ])
    t.ok(parse((await read(alice, 'feed.ics', { auth: token })).text).has('odd, 8.2 km'))
    // Of those that are seen.
    const { token: other } = await alice.grant('read', 'odd')
    t.ok(parse((await read(alice, 'feed.ics', { auth: other })).text).has('odd, 8200 m'))
    await alice.do('streams.delete', { id: 'rides' })
  })

  test('name few of the streams of an event', async t => {
    const { alice: bob } = await coffer(t)
    await bob.stream('all')
    const streamIds = Array.from({ length: 1500 }, (_, at) => `part-${String(at).padStart(4, '0')}`)
    await bob.do(
      'callBatch',
      streamIds.map(id => {
        const params = { id, name: `${id} ${'ä😀;'.repeat(240)}`, parentId: 'all' }
        return { method: 'streams.create', params }
      })
    )
    await bob.event({ streamIds, content: 'everywhere' })
    const { token } = await bob.grant('read', 'all', { type: 'shared', name: 'all' })
    await bob.service.server.settle()
    for (const path of ['feed.ics', 'feed.atom'])
      await assertTakesLessThan(t, 500, async () => {
        const took = stopwatch()
        const { text } = await read(bob, path, { auth: token })
        const time = took()
        t.match(text, 'everywhere')
        t.match(text.replaceAll('\r\n ', ''), 'part-0009 ä')
        t.ok(text.length < 5000, `${path}: ${text.length} characters`)
        return time
      })
  })

  test('have as many categories as descriptions at most', async t => {
    const source = { name: 'all', rootUrl, idUrl: rootUrl, zone: 'UTC', changed: now }
    const event = { time: now, created: now, modified: now }
    const streamNames = Array.from({ length: 10 }, () => 'x'.repeat(100))
    const entries = Array.from({ length: 1500 }, (_, at) => ({
      event: { ...event, id: `c${String(at).padStart(24, '0')}` },
      title: String(at),
      text: '',
      location: '',
      streamNames
    }))
    const text = await writeCalendar(source, entries)
    t.equal(text.match(/^CATEGORIES/gm)?.length, 1000)
    t.equal(parse(text).size, 1500, 'the rest has none')
  })

  test('let others have their turn, however many are written at a time', async t => {
    const source = { name: 'all', rootUrl, idUrl: rootUrl, zone: 'UTC', changed: now }
    const event = { time: now, created: now, modified: now }
    const entries = Array.from({ length: 60 }, (_, at) => ({
      event: { ...event, id: `c${String(at).padStart(24, '0')}` },
      title: 'a title',
      text: 'x'.repeat(500),
      location: '',
      streamNames: []
    }))
    const writeAll = async (): Promise<unknown> =>
      await Promise.all(Array.from({ length: 30 }, async () => await writeCalendar(source, entries)))
    await assertTakesLessThan(t, 60, async () => await longestTurn(writeAll))
    const gone = AbortSignal.abort(new Error('gone'))
    await t.rejects(writeCalendar(source, entries, gone), { message: 'gone' })
  })

  t.test('are refused clearly', async t => {
    const cases: [string, Record<string, string>, number][] = [
      ['feed.ics', {}, 401],
      ['feed.ics', { auth: 'nonsense' }, 401],
      ['feed.ics', { auth: alice.token }, 403],
      ['feed.ics', { auth, zone: 'Mars/Base' }, 400],
      ['feed.ics', { auth, streams: 'nothing' }, 400],
      ['feed.atom', { auth, skip: '-1' }, 400],
      ['feed.atom', { auth, before: 'now' }, 400],
      ['feed.atom', { auth, types: '<x>' }, 400],
      ['feed.atom/more', { auth }, 404]
    ]
    for (const [path, params, status] of cases)
      t.equal((await read(alice, path, params)).status, status, `${path} ${JSON.stringify(params)}`)
    const { service: own, username } = alice
    const posted = await fetch(`${own.server.url}/${username}/feed.ics?auth=${auth}`, { method: 'POST' })
    t.equal(posted.status, 404)
  })
})

t.test('feeds of an account have different ids, pages of a feed the same', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  for (let time = 0; time < 120; time++) await alice.event({ time })
  const { token: one } = await alice.grant('read', 'diary', { name: 'one', type: 'shared' })
  const { token: other } = await alice.grant('read', 'diary', { name: 'other', type: 'shared' })
  const read = async (query: string): Promise<{ id: string; next: string }> => {
    const text = await (await fetch(`${alice.service.server.url}/alice/feed.atom?${query}`)).text()
    const [id, next] = [/<id>([^<]+)/, /rel="next".* href="[^"]*\?([^"]+)/].map(
      each => each.exec(text)?.[1] ?? ''
    )
    return { id: id!, next: next!.replaceAll('&amp;', '&') }
  }
  const filters = ['', '&streams=diary', '&types=note/txt']
  const feeds = await Promise.all(filters.map(filter => read(`auth=${one}${filter}`)))
  const ids = [...feeds, await read(`auth=${other}`)].map(({ id }) => id)
  t.equal(new Set(ids).size, ids.length)
  for (const { id, next } of feeds) t.equal((await read(next)).id, id)
})

t.test('entries keep their ids when the user gets another name', async t => {
  for (const settings of [{}, { domain: 'coffer.example', publicUrl: 'https://coffer.example' }]) {
    const { alice } = await coffer(t, settings)
    await alice.stream('diary')
    await alice.event({ content: 'hello' })
    const { token: auth } = await alice.grant('read', 'diary', { type: 'shared' })
    const list = async (username: string): Promise<string[]> => {
      const { service } = alice
      const [calendar, feed] = await Promise.all(
        ['feed.ics', 'feed.atom'].map(async path => {
          const url = `${service.server.url}/${username}/${path}?auth=${auth}`
          return await (await fetch(url)).text()
        })
      )
      return `${calendar}${feed}`.match(/^UID:.*$|<id>.*<\/id>/gm) ?? []
    }
    const before = await list('alice')
    t.equal(before.length, 3)
    await alice.do('account.changeUsername', { newUsername: 'alicia' })
    t.same(await list('alicia'), before)
  }
})
