import t from 'tap'
import { coffer } from '../../support/coffer.js'
import { connect, events, look, points, send } from './connecting.js'

/** 2026-11-26T12:00:00Z */
const noon = 1_795_694_400
const location = { _type: 'location', lat: 46.5, lon: 6.6, tst: noon, acc: 12, alt: 400, tid: 'DA' }

t.test('a location becomes a point, with the battery beside it', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  const message = { ...location, vel: 36, cog: 90, batt: 80, p: 96.4, conn: 'w', _id: '1' }
  const { body, status } = await send(alice, 'owntracks', connection, message)
  t.equal(status, 200)
  t.same(body, [])
  t.same(await points(alice), [
    ['OwnTracks/Air pressure/DA', noon, { value: 96.4 }],
    ['OwnTracks/Battery/DA', noon, { value: 80 }],
    [
      'OwnTracks/Positions/DA',
      noon,
      { latitude: 46.5, longitude: 6.6, altitude: 400, horizontalAccuracy: 12, bearing: 90, speed: 10 }
    ]
  ])
  t.match(await look(alice, connection), { received: 1, notUnderstood: {}, lastProblem: null })
})

t.test('repeated messages add nothing', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  await Promise.all(Array.from({ length: 10 }, () => send(alice, 'owntracks', connection, location)))
  t.equal((await points(alice)).length, 1)
  t.equal((await look(alice, connection)).received, 10)
})
