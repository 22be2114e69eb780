/** Samples of files so large that they are computed in slices, and changes meanwhile. */
import t from 'tap'
import type { Fact } from '../../../storage/event-values/facts-run.js'
import type { Sample } from '../../../storage/event-values/time-buckets.js'
import type { SampleQuery } from '../../../storage/event-values/sample-run.js'
import { eventFile, type EventFile } from '../../support/event-file.js'
import { runSteps } from '../../../storage/steps.js'

t.setTimeout(900_000)

const same = 5000

t.test('a sample of a large stream, most of whose events have the same time', t => {
  const file = eventFile(t)
  const stream = file.streams.find('diary')!.number
  file.stream('other')
  // As if there had been many events before: then the number of rows per slice is measured.
  file.db.exec("INSERT INTO highest_number (name, number) VALUES ('event', 300000)")
  const all: { time: number; value: number }[] = []
  file.db.exec('BEGIN')
  for (let count = 0; count < 60_000; count++) {
    const time = count % 2 === 0 ? same : count / 5
    all.push({ time, value: count % 1000 })
    file.insert({ time, type: 'count/generic', content: count % 1000 })
  }
  file.db.exec('COMMIT')
  const streams = [{ any: new Set([stream]), all: [], not: new Set<number>() }]
  const query: SampleQuery = {
    streams,
    types: undefined,
    trashed: [0],
    from: 0,
    to: 12_000,
    buckets: 3,
    field: undefined
  }
  for (const parts of [1, 3, 1000]) {
    const { samples, steps } = sampled(file, { ...query, buckets: parts })
    t.same(samples.map(briefly), expected(all, 12_000, parts), `${parts} parts`)
    t.ok(steps > 1, `${steps} steps`)
  }
  t.same(sampled(file, query).samples.map(briefly), expected(all, 12_000, 3), 'again, as it is measured')

  t.test('is correct after many more events', t => {
    file.db.exec('BEGIN')
    for (let count = 0; count < 30_000; count++) {
      const time = 100 + count / 1e6
      all.push({ time, value: -count })
      file.insert({ time, type: 'count/generic', content: -count })
    }
    file.db.exec('COMMIT')
    t.same(sampled(file, query).samples.map(briefly), expected(all, 12_000, 3))
    t.end()
  })

  t.test('matches the facts', t => {
    const times = all.map(({ time }) => time)
    const [first, last] = [times.toSorted((a, b) => a - b)[0], times.toSorted((a, b) => b - a)[0]]
    const fact = { stream, type: 'count/generic', count: all.length, first, last }
    t.match(facts(file), [fact])
    // From here on, facts are updated incrementally.
    const events = [1, 2, 3].map(time =>
      file.insert({ time: 1e6 + time, type: 'count/generic', content: time })
    )
    t.match(facts(file), [{ ...fact, count: all.length + 3, last: 1e6 + 3, latest: '3' }])
    for (const { id } of events.toReversed()) runSteps(file.events.remove(id, 1))
    t.match(facts(file), [fact])
    t.end()
  })

  t.test('completes while events are deleted', t => {
    const run = file.events.createSample({ ...query, field: 'value' })
    let steps = 0
    const gone = file.db.prepare('SELECT id FROM event ORDER BY time DESC LIMIT 30 OFFSET ?').pluck()
    for (; !file.events.continueSample(run, body => body); steps++)
      for (const id of gone.all(steps * 50) as string[]) runSteps(file.events.remove(id, 1))
    t.ok(run.target.toSamples().length > 0)
    t.end()
  })
  t.end()
})

t.test('a sample of events of several megabytes, whose contents must be read', async t => {
  const file = eventFile(t)
  const many = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`k${index}`, index]))
  const list = Array.from({ length: 400_000 }, (_, index) => index % 7)
  const numbers = [1.5e-7, -0, 2 ** 53 - 1, 12.25, 1e300]
  const rows = 20
  for (let time = 0; time < rows; time++) {
    const z = numbers[time % numbers.length]
    file.insert({ time, type: 'odd/thing', content: { ...many, list, deep: { z, no: `${z}`, '0': [z] } } })
  }
  const query: SampleQuery = {
    streams: undefined,
    types: undefined,
    trashed: [0],
    from: 0,
    to: rows,
    buckets: rows,
    field: 'deep.z'
  }
  const { samples, steps } = sampled(file, query)
  const expected = Array.from({ length: rows }, (_, time) => JSON.stringify(numbers[time % numbers.length]))
  t.same(
    samples.map(({ last }) => JSON.stringify(last)),
    expected
  )
  // Other work waits for one or two of them, not for all.
  t.ok(steps > rows / 4, `${steps} steps`)
  for (const field of ['deep.no', 'deep.0.0', 'list.0', 'deep', 'nothing'])
    t.same(
      sampled(file, { ...query, field }).samples.map(({ last }) => last),
      Array.from({ length: rows }, () => undefined),
      field
    )
})

/** Computes a sample. Each look at the clock takes 5 ms, so that slices end soon on fast machines, too. */
function sampled(file: EventFile, query: SampleQuery): { samples: Sample[]; steps: number } {
  const run = file.events.createSample(query)
  const { now } = performance
  let [steps, ms] = [1, 0]
  performance.now = () => (ms += 5)
  try {
    while (!file.events.continueSample(run, body => body)) steps++
  } finally {
    performance.now = now
  }
  return { samples: run.target.toSamples(), steps }
}

function facts(file: EventFile): Fact[] {
  const run = file.events.createFacts(undefined)
  const found: Fact[] = []
  while (!run.isDone) found.push(...file.events.nextFacts(run, body => body))
  return found
}

type Brief = Pick<Sample, 'time' | 'count' | 'min' | 'max' | 'first' | 'last'> & { readonly mean: string }

function briefly({ count, first, last, max, mean = NaN, min, time }: Sample): Brief {
  return { time, count, min: min!, max: max!, first: first!, last: last!, mean: mean.toPrecision(9) }
}

function expected(all: readonly { time: number; value: number }[], to: number, parts: number): Brief[] {
  const starts = Array.from({ length: parts }, (_, part) => part * (to / parts))
  const values = starts.map((): number[] => [])
  const inOrder = all.map((one, index) => ({ ...one, index }))
  for (const { time, value } of inOrder.toSorted((a, b) => a.time - b.time || a.index - b.index))
    values[Math.min(Math.floor(time / (to / parts)), parts - 1)]!.push(value)
  return starts.flatMap((time, part) => {
    const some = values[part]!
    if (some.length === 0) return []
    const sum = some.reduce((total, value) => total + value, 0)
    const [min, max] = some.reduce(([a, b], value) => [Math.min(a, value), Math.max(b, value)], [
      Infinity,
      -Infinity
    ] as [number, number])
    return [
      {
        time,
        count: some.length,
        min,
        max,
        first: some[0]!,
        last: some.at(-1)!,
        mean: (sum / some.length).toPrecision(9)
      }
    ]
  })
}
