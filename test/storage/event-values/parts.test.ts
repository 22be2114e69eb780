/** Buckets of time ranges of any length. */
import t from 'tap'
import { TimeBuckets } from '../../../storage/event-values/time-buckets.js'

const largest = Number.MAX_VALUE
const least = Number.MIN_VALUE

for (const [name, from, to, parts, times] of [
  ['too short to be cut', 0, least, 4000, [0, least]],
  ['longer than any number', -largest, largest, 1, [-largest, 0, largest]],
  ['longer than any number, in two', -largest, largest, 2, [-largest, -1, largest]],
  ['of usual length', 1e9, 2e9, 7, [1e9, 1.5e9, 2e9]]
] as const)
  t.test(`a range that is ${name}`, t => {
    const found = new TimeBuckets({ from, to, buckets: parts })
    for (const [number, time] of times.entries()) found.countEvent({ number, time }, 1)
    const samples = found.toSamples()
    t.equal(
      samples.reduce((sum, { count }) => sum + count, 0),
      times.length,
      'counts each event once'
    )
    for (const { time } of samples) t.ok(time >= from && time <= to, `begins at ${time}`)
    t.end()
  })
