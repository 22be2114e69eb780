/** Exports of thousands of streams. */
import t from 'tap'
import { coffer } from '../../support/coffer.js'
import { assertTakesLessThan, stopwatch } from '../../support/probe.js'

t.test('tracks of thousands of streams take time in proportion to their number', async t => {
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
