/**
 * Series written by the client library that apps of this API use, unmodified.
 * (docs/spec/compatibility.md#what-clients-rely-on)
 */
import t from 'tap'
import pryv from 'pryv'
import { coffer } from '../support/coffer.js'

t.test('the client library', async t => {
  const { server, alice } = await coffer(t)
  const connection = new pryv.Connection(`${server.url.replace('//', `//${alice.token}@`)}/alice/`)
  const [{ stream }, { event }] = (await connection.api([
    { method: 'streams.create', params: { id: 'diary', name: 'Diary' } },
    { method: 'events.create', params: { streamIds: ['diary'], type: 'series:mass/kg', time: 1_600_000_000 } }
  ])) as unknown as [{ stream: object }, { event: { id: string; content: object } }]
  t.match(stream, { id: 'diary' })
  const fields = ['deltaTime', 'value']
  t.match(event.content, { elementType: 'mass/kg', fields, required: fields })

  await t.test('adds points to a series', async t => {
    const points = [
      [0, 72.5],
      [3600, 72.25]
    ]
    t.match(await connection.addPointsToHFEvent(event.id, fields, points), { status: 'ok' })
    t.match(await connection.get(`events/${event.id}/series`), { format: 'flatJSON', fields, points })
  })

  await t.test('receives errors for invalid points', async t => {
    await t.rejects(connection.addPointsToHFEvent(event.id, fields, [['now', 1]]))
    await t.rejects(connection.addPointsToHFEvent('nothing', fields, [[1, 1]]))
    t.equal((await alice.do('hfs.get', { id: event.id })).points.length, 2)
  })

  await t.test('writes and reads series in batches', async t => {
    const results = await connection.api([
      { method: 'hfs.add', params: { id: event.id, format: 'flatJSON', fields, points: [[7200, 72]] } },
      { method: 'hfs.get', params: { id: event.id, fromDeltaTime: 3600 } }
    ] as never)
    t.match(results, [
      { status: 'ok' },
      {
        points: [
          [3600, 72.25],
          [7200, 72]
        ]
      }
    ])
  })
})
