/** Exports of thousands of streams. */
import t from 'tap'
import { coffer } from '../../support/coffer.js'
import { assertTakesLessThan, stopwatch } from '../../support/probe.js'
import { inRotation } from '../../support/rotation.js'

const test = inRotation(t, 2)

test('tracks of thousands of streams take time in proportion to their number', async t => {
  const { alice } = await coffer(t)
  await alice.stream('ways')
  const count = 2000
  const position = { type: 'position/wgs84', content: { latitude: 47, longitude: 8 } }
  for (let from = 0; from < count; from += 500) {
    const ids = Array.from({ length: 500 }, (_, at) => `way-${from + at}`)
    const calls = ids.flatMap(id => [
      { method: 'streams.create', params: { id, name: id, parentId: 'ways' } },
      ...[0, 60].map(time => ({
        method: 'events.create',
        params: { ...position, streamIds: [id], time: 1e9 + time }
      }))
    ])
    await alice.do('callBatch', calls)
  }
  // Each of these queries stands for all streams.
  const streams = Array.from({ length: 40 }, (_, at) => ({ any: ['ways'], not: [`way-${at}`] }))
  await assertTakesLessThan(t, 4000, async () => {
    const elapsed = stopwatch()
    const { export: document } = await alice.do('events.export', { format: 'gpx', streams })
    const took = elapsed()
    t.equal(document.text.split('<trkpt ').length - 1, 2 * count)
    return took
  })
})

test('events in thousands of deep streams in the trash take no time for each of the streams above', async t => {
  const { alice } = await coffer(t)
  const [count, depth] = [10_000, 90]
  for (let at = 0; at < depth; at++)
    await alice.do('streams.create', {
      id: `d${at}`,
      name: `${at}`,
      parentId: at === 0 ? null : `d${at - 1}`
    })
  const streamIds = Array.from({ length: count }, (_, at) => `${at}x`)
  for (let from = 0; from < count; from += 1000) {
    const some = streamIds.slice(from, from + 1000)
    await alice.do(
      'callBatch',
      some.map(id => ({ method: 'streams.create', params: { id, name: id, parentId: `d${depth - 1}` } }))
    )
  }
  for (let at = 0; at < 20; at++)
    await alice.event({ streamIds, type: 'frequency/bpm', content: 60, time: 1e9 + at })
  await alice.do('streams.delete', { id: 'd0' })
  await assertTakesLessThan(t, 400, async () => {
    const elapsed = stopwatch()
    const { export: document } = await alice.do('events.export', { format: 'fhir-ndjson', state: 'all' })
    const took = elapsed()
    t.equal(document.text.split('entered-in-error').length - 1, 20)
    return took
  })
})
