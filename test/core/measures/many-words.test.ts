/** Days of words: the most frequent one, also among hundreds of thousands. */
import t from 'tap'
import { DayWords } from '../../../core/measures/day-words.js'
import { openCoffer } from '../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'
import { seeded } from '../../support/random.js'
import { inRotation } from '../../support/rotation.js'

const start = Date.UTC(2026, 2, 1) / 1000

const test = inRotation(t, 2)

t.test('the most frequent word of a day, the last of equally frequent ones', t => {
  const random = seeded(t)
  for (let round = 0; round < 300; round++) {
    const words = new DayWords()
    const added: { text: string; time: number }[] = []
    for (let count = 1 + random.below(30); count > 0; count--) {
      // Times differ: of equally frequent words at the same time, any may be it.
      const word = { text: JSON.stringify(random.below(6)), time: random.below(1000) + count / 100 }
      const isNew = !added.some(({ text }) => text === word.text)
      t.equal(words.add(word.text, word.time) > 0, isNew)
      added.push(word)
    }
    const figures = [...new Set(added.map(({ text }) => text))].map(text => {
      const times = added.filter(each => each.text === text).map(({ time }) => time)
      return { text, count: times.length, last: Math.max(...times) }
    })
    const [best] = figures.toSorted((a, b) => b.count - a.count || b.last - a.last)
    t.equal(words.mostFrequent, best!.text, `round ${round}`)
    t.equal(words.count, added.length)
  }
  t.end()
})

test('a day of many words is read in short steps', async t => {
  const { alice, server } = await openCoffer(t)
  const measure = {
    id: 'keyword',
    name: 'Keyword',
    icon: 'tag',
    hue: 10,
    kind: 'category',
    types: ['count/generic']
  }
  await alice.do('profile.update', { id: 'private', update: { 'coffer:measures': [measure] } })
  await alice.do('streams.create', {
    id: 'words',
    name: 'Words',
    clientData: { 'coffer:measure': 'keyword' }
  })
  const { event } = await alice.do('events.create', {
    streamIds: ['words'],
    type: 'series:count/generic',
    time: start
  })
  const [count, perCall] = [500_000, 20_000]
  for (let first = 0; first < count; first += perCall)
    await alice.do('hfs.add', {
      id: event.id,
      format: 'flatJSON',
      fields: ['deltaTime', 'value'],
      points: Array.from({ length: perCall }, (_, at) => [(first + at) / 8, first + at])
    })
  const url = `${server.url}/alice/measures/days?measure=keyword&from=2026-03-01&to=2026-03-01`
  let text = ''
  // Only the map grows at once.
  await assertTakesLessThan(t, 40, async () =>
    longestTurn(async () => {
      text = await (await fetch(url, { headers: { authorization: alice.token } })).text()
    })
  )
  t.match(JSON.parse(text), { days: [{ value: count - 1, count }] })
})
