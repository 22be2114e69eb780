/** Which events calendars show, and what their titles say, as a library that calendars use reads them. */
import ICAL from 'ical.js'
import t from 'tap'
import { coffer, type Client } from '../../support/coffer.js'

const day = 86_400

/** Reads the entries of a calendar. */
async function readCalendar({ service, token, username }: Client, types = ''): Promise<ICAL.Event[]> {
  const response = await fetch(`${service.server.url}/${username}/feed.ics?auth=${token}&types=${types}`)
  const root = ICAL.parse(await response.text()) as ConstructorParameters<typeof ICAL.Component>[0]
  return new ICAL.Component(root).getAllSubcomponents('vevent').map(each => new ICAL.Event(each))
}

/** Returns the titles of the entries of a calendar, with the time of each in seconds. */
async function readTitles(
  client: Client,
  types = ''
): Promise<{ readonly title: string; readonly time: number }[]> {
  return (await readCalendar(client, types)).map(({ startDate, summary }) => ({
    title: summary,
    time: startDate.toUnixTime()
  }))
}

t.test('titles have the numbers that people have entered, also small ones', async t => {
  const { alice, clock } = await coffer(t)
  await alice.stream('doses')
  for (const [type, content] of [
    ['mass/mg', 0.0625],
    ['mass/mg', 0.3125],
    ['mass/g', 0.000_002_4],
    ['mass/mg', 137.125],
    ['mass/kg', 61.234_969_95],
    ['mass/kg', 1.25e-7],
    ['mass/kg', 1e307],
    ['length/m', -8.126_94],
    ['count/generic', 0]
  ] as const)
    await alice.event({ streamIds: ['doses'], type, content, time: clock.now() - 100, duration: 60 })
  const titles = await readTitles(await alice.grant('read', 'doses', { type: 'shared' }))
  t.same(
    titles.map(({ title }) => title.replace('doses, ', '')).toSorted(),
    [
      '-8.127 m',
      '0',
      '0.0000024 g',
      '0.0625 mg',
      '0.3125 mg',
      '1.25e-7 kg',
      '1e+307 kg',
      '137.13 mg',
      '61.23 kg'
    ].toSorted()
  )
})

t.test('titles say what is not so as well as what is', async t => {
  const { alice, clock } = await coffer(t)
  await alice.stream('pill')
  await alice.stream('night')
  const time = clock.now() - day
  for (const content of [true, false])
    await alice.event({ streamIds: ['pill'], type: 'boolean/bool', content, time })
  const states = [{ analysis: 'inBed' }, { analysis: 'asleep' }, { analysis: 'awake' }, {}]
  for (const content of states)
    await alice.event({ streamIds: ['night'], type: 'sleep/analysis', content, time, duration: 600 })
  const reader = await alice.grant('read', '*', { type: 'shared' })
  const list = async (types?: string): Promise<string[]> =>
    (await readTitles(reader, types)).map(({ title }) => title).toSorted()
  t.same(await list('boolean/bool'), ['pill, no', 'pill, yes'])
  t.same(await list(), ['night', 'night, asleep', 'night, awake', 'night, in bed'])
})

t.test('titles of events without a content are what their descriptions begin with', async t => {
  const { alice, clock } = await coffer(t)
  await alice.stream('work')
  const time = clock.now() - day
  const long = 'x'.repeat(200)
  const place = { 'ical:entry': { uid: 'a', location: 'Main Street 1\n8001 Zurich' } }
  for (const [fields, description] of [
    [{ type: 'activity/plain', clientData: place }, 'Dentist\n\nBring the X-ray'],
    [{ type: 'activity/plain', clientData: { 'ical:entry': { location: 5 } } }, 'Birthday of Bob'],
    [{ type: 'activity/plain' }, '\r\n Lunch \r\nwith Bob'],
    [{ type: 'activity/plain' }, `${long}\nmore`],
    [{ type: 'length/m', content: 5, duration: 60 }, 'A lap'],
    [{ type: 'activity/plain' }, '']
  ] as const)
    await alice.event({ content: null, ...fields, streamIds: ['work'], time, description })
  const entries = await readCalendar(await alice.grant('read', 'work', { type: 'shared' }))
  t.same(
    entries
      .map(({ description, location, summary }) => [summary, description, location])
      .toSorted((a, b) => (a[0]! < b[0]! ? -1 : 1)),
    [
      ['work', null, null],
      ['work, 5 m', 'A lap', null],
      ['work, Birthday of Bob', null, null],
      ['work, Dentist', 'Bring the X-ray', 'Main Street 1\n8001 Zurich'],
      ['work, Lunch', 'with Bob', null],
      [`work, ${'x'.repeat(113)}…`, `${long}\nmore`, null]
    ]
  )
})

t.test('neither credentials nor the bytes of pictures are shown', async t => {
  const { alice, clock } = await coffer(t)
  await alice.stream('own')
  const fields = { streamIds: ['own'], time: clock.now() - day }
  const secret = 'https://token@host.example/'
  await alice.event({ ...fields, type: 'credentials/service-api-endpoint', content: secret })
  await alice.event({ ...fields, type: 'picture/base64', content: 'data:image/png;base64,iVBORw0KGgo=' })
  t.same(
    (await readTitles(await alice.grant('read', '*', { type: 'shared' }))).map(({ title }) => title),
    ['own']
  )
})

t.test('calendars keep notes and activities where there are too many numbers that last', async t => {
  const { alice, clock } = await coffer(t)
  const now = Math.floor(clock.now())
  await alice.stream('phone')
  await alice.event({ streamIds: ['phone'], content: 'seen by the doctor', time: now - 60 * day })
  // As phones count steps: by intervals.
  for (let at = 0; at < 6; at++)
    await alice.do(
      'callBatch',
      Array.from({ length: 850 }, (_, n) => ({
        method: 'events.create',
        params: {
          streamIds: ['phone'],
          type: 'count/steps',
          content: n,
          time: now - (at * 850 + n + 1) * 600,
          duration: 600
        }
      }))
    )
  const entries = await readTitles(await alice.grant('read', 'phone', { type: 'shared' }))
  t.equal(entries.length, 5000)
  t.ok(entries.some(({ title }) => title === 'phone, seen by the doctor'))
  // Newest first, and the newest of the numbers.
  t.same(
    entries.map(({ time }) => time),
    entries.map(({ time }) => time).toSorted((a, b) => b - a)
  )
  t.equal(entries[0]!.time, now - 600)
})
