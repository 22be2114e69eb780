/** The order of sources: the same for all ranges, and known to others only as far as it concerns them. */
import t from 'tap'
import { openCoffer, type Answer } from '../../support/coffer.js'

const hour = 3600
const day = 24 * hour
/** Midnight of 1 March 2026 in UTC. */
const midnight = Date.UTC(2026, 2, 1) / 1000

t.test('validators of others depend on the order only as far as it concerns them', async t => {
  const { alice } = await openCoffer(t)
  for (const id of ['watch', 'phone', 'hidden']) {
    await alice.stream(id)
    await alice.event({ streamIds: [id], type: 'count/steps', content: 1, time: midnight })
  }
  const guest = await alice.grantAll([
    { streamId: 'watch', level: 'read' },
    { streamId: 'phone', level: 'read' }
  ])
  const order = async (sources: object | null): Promise<unknown> =>
    await alice.do('profile.updatePrivate', { update: { 'coffer:sources': sources } })
  for (const path of [
    '/measures/facts?measures=steps',
    '/measures/days?measure=steps&from=2026-03-01&to=2026-03-02',
    '/measures/compare?measure=steps&other=heart-rate&from=2026-03-01&to=2026-03-02',
    '/measures/compare?measure=heart-rate&other=steps&from=2026-03-01&to=2026-03-02',
    `/measures/sample?measure=steps&fromTime=${midnight}&toTime=${midnight + day}&parts=1`
  ]) {
    await order(null)
    const first = await guest.http('GET', path)
    t.equal(first.status, 200)
    const ask = async (): Promise<number> =>
      (await guest.http('GET', path, undefined, { 'if-none-match': first.headers.get('etag')! })).status
    await order({ weight: ['hidden', 'watch'] })
    t.equal(await ask(), 304, `another measure: ${path}`)
    await order({ steps: ['hidden'] })
    t.equal(await ask(), 304, `hidden streams: ${path}`)
    await order({ steps: ['hidden', 'watch'] })
    t.equal(await ask(), 200, `streams that the guest reads: ${path}`)
  }
})

t.test('the order of sources is the same for all ranges', async t => {
  const { alice } = await openCoffer(t)
  const add = async (streamId: string, fields: object): Promise<void> =>
    void (await alice.event({ streamIds: [streamId], ...fields }))
  for (const id of ['a', 'b']) await alice.stream(id)
  const own = {
    id: 'mood-words',
    name: 'Mood',
    icon: 'smile',
    hue: 10,
    kind: 'category',
    types: ['note/txt']
  }
  await alice.do('profile.updatePrivate', { update: { 'coffer:measures': [own] } })
  for (const id of ['words-a', 'words-b'])
    await alice.do('streams.create', { id, name: id, clientData: { 'coffer:measure': own.id } })
  // On one day a has most, in all b.
  const counts: [streamId: string, day: number, count: number][] = [
    ['a', 0, 3],
    ['b', 0, 1],
    ['b', 400, 5]
  ]
  for (const [streamId, at, count] of counts)
    for (let index = 0; index < count; index++) {
      const time = midnight + at * day + (10 + index) * hour
      await add(streamId, { type: 'mass/kg', content: streamId === 'a' ? 80 : 70, time })
      await add(streamId, { type: 'count/steps', content: streamId === 'a' ? 1000 : 10, time })
      await add(streamId, { type: 'sleep/analysis', content: { analysis: 'asleep' }, time, duration: hour })
      await add(`words-${streamId}`, { type: 'note/txt', content: streamId, time })
    }
  const ranges = [
    ['2026-03-01', '2026-03-01'],
    ['2026-03-01', '2026-03-31'],
    ['2026-01-01', '2026-12-31'],
    ['2026-01-01', '2030-12-31']
  ]
  for (const measure of ['weight', 'steps', 'sleep', own.id])
    for (const [from, to] of ranges) {
      const { days } = await alice.do('measures.days', { measure, from, to })
      const source = measure === own.id ? 'words-b' : 'b'
      t.equal(
        days.find((each: Answer) => each.day === '2026-03-01').source,
        source,
        `${measure} ${from} ${to}`
      )
    }
  for (const length of [day, 30 * day, 500 * day]) {
    const range = { measure: 'weight', fromTime: midnight, toTime: midnight + length, parts: 1 }
    t.match((await alice.do('measures.sample', range)).samples, [{ mean: 70, source: 'b' }])
  }
  const facts = (await alice.do('measures.facts', { measures: ['weight'] })).facts
  t.match(facts[0].sources, [{ streamId: 'b' }, { streamId: 'a' }])
})
