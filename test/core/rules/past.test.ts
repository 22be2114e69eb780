/** `rules.test`: when a rule would have fired. */
import t from 'tap'
import { countMessages, noon, startWorld } from './world.js'

const day = 86_400

t.test('past data', async t => {
  const { alice, channel, clock } = await startWorld(t)
  const { start, events } = { start: noon, events: [] as object[] }
  const add = (time: number, type: string, content: unknown, streamId = 'body'): void => {
    events.push({ method: 'events.create', params: { streamIds: [streamId], type, content, time } })
  }
  for (let index = 0; index < 20 * 24; index++) add(start + index * 3600, 'frequency/bpm', 60 + (index % 7))
  add(start + 10 * day + 60, 'frequency/bpm', 150)
  add(start + 15 * day + 60, 'frequency/bpm', 150)
  for (let index = 0; index < 20; index++) add(start + index * day, 'count/steps', index === 4 ? 100 : 9000)
  add(start + 3 * day, 'note/txt', 'a bad day', 'diary')
  for (const [hours, latitude] of [
    [1, 46.5],
    [2, 46.6],
    [3, 46.5]
  ] as const)
    add(start + hours * 3600, 'position/wgs84', { latitude, longitude: 6 })
  clock.advance(13 * day)
  const soon = clock.now()
  await alice.do('callBatch', events)
  const test = async (condition: object, fields: object = {}): Promise<unknown[]> =>
    (
      await alice.do('rules.test', {
        rule: { name: 'x', channelIds: [channel], condition, ...fields },
        from: start,
        to: start + 20 * day
      })
    ).firings
  t.equal(soon, start + 13 * day)
  t.match(
    await test({ kind: 'above', measure: 'heart-rate', value: 100 }),
    [{ time: start + 10 * day + 60, recovered: start + 10 * day + 3600, told: start + 10 * day + 60 }],
    'up to now'
  )
  t.match(await test({ kind: 'above', measure: 'heart-rate', value: 100, for: 600 }), [
    { time: start + 10 * day + 660 }
  ])
  t.match(await test({ kind: 'outside', measure: 'heart-rate', range: 'usual' }), [
    { time: start + 10 * day + 60 }
  ])
  t.match(
    await test({ kind: 'total', measure: 'steps', atLeast: 8000, by: '20:00' }),
    [{ time: start + 4 * day + 8 * 3600, recovered: start + 4 * day + 12 * 3600 }],
    'a goal'
  )
  t.equal((await test({ kind: 'total', measure: 'steps', atMost: 8000, by: '20:00' })).length, 12)
  t.match(await test({ kind: 'words', anyOf: ['bad'] }), [{ time: start + 3 * day }])
  t.equal((await test({ kind: 'arrived', accessId: alice.access.id })).length, 200, 'at most')
  t.match(await test({ kind: 'missing', streamId: 'diary', for: 5 * day }), [{ time: start + 8 * day }])
  t.same(await test({ kind: 'missing', measure: 'heart-rate', for: 3601 }), [])
  const place = { kind: 'place', latitude: 46.5, longitude: 6, radius: 1000 }
  t.match(await test({ ...place, direction: 'enters' }), [{ time: start + 3 * 3600 }])
  t.match(await test({ ...place, direction: 'leaves' }), [{ time: start + 2 * 3600 }])
  const quiet = { quietHours: { from: '12:00', to: '12:30' }, days: [6] }
  t.match(await test({ kind: 'words', anyOf: ['bad'] }, quiet), [
    { time: start + 3 * day, told: start + 3 * day + 1800 }
  ])
  t.equal(await countMessages(alice, channel), 0, 'no message is sent')
  const tooLong = await alice.call('rules.test', { id: 'x', from: 0, to: 401 * day })
  t.equal(tooLong.error.id, 'invalid-parameters-format')
})
