import t from 'tap'
import { coffer } from '../../support/coffer.js'
import { connect, events, look, points, send } from './connecting.js'

/** 2026-11-26T12:00:00Z */
const noon = 1_795_694_400

function feature(properties: Record<string, unknown>, coordinates: unknown = [6.6, 46.5]): object {
  return { type: 'Feature', geometry: { type: 'Point', coordinates }, properties }
}

t.test('a batch becomes points, once, and is confirmed as the app expects', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'overland')
  const locations = Array.from({ length: 1000 }, (_, at) =>
    feature({
      timestamp: new Date((noon + at) * 1000).toISOString().replace('.000Z', at % 2 === 0 ? 'Z' : '+0000'),
      altitude: 400,
      speed: at === 0 ? -1 : 1.5,
      course: -1,
      horizontal_accuracy: 5,
      vertical_accuracy: -1,
      motion: ['walking'],
      battery_level: 0.5,
      device_id: 'iphone'
    })
  )
  const body = { locations: [...locations, ...locations.slice(0, 10)], current: {} }
  for (let round = 0; round < 2; round++)
    t.match(await send(alice, 'overland', connection, body), { status: 200, body: { result: 'ok' } })
  const found = await points(alice)
  t.equal(found.length, 2000)
  const common = { latitude: 46.5, longitude: 6.6, altitude: 400, horizontalAccuracy: 5 }
  t.same(found.slice(1000, 1002), [
    ['Overland/Positions/iphone', noon, common],
    ['Overland/Positions/iphone', noon + 1, { ...common, speed: 1.5 }]
  ])
  t.same(found[0], ['Overland/Battery/iphone', noon, { value: 50 }])
  t.match(await look(alice, connection), { received: 2020, notUnderstood: {} })
})

t.test('visits and trips become events', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'overland')
  const visit = { action: 'visit', timestamp: '2026-11-26T12:00:00Z', arrival_date: '2026-11-26T12:00:00Z' }
  const trip = {
    type: 'trip',
    mode: 'bicycle',
    start: '2026-11-26T11:00:00Z',
    end: '2026-11-26T11:30:00Z',
    distance: 5000,
    duration: 1800
  }
  const locations = [
    feature({ ...visit, departure_date: '4001-01-01T00:00:00Z' }),
    feature({ ...visit, departure_date: '2026-11-26T13:00:00Z' }),
    feature(trip),
    feature(trip)
  ]
  await send(alice, 'overland', connection, { locations })
  t.match(await events(alice), [
    {
      type: 'activity/plain',
      time: noon - 3600,
      duration: 1800,
      description: 'bicycle',
      clientData: { 'overland:distance': 5000 }
    },
    { type: 'position/wgs84', time: noon, duration: 3600 }
  ])
  t.equal((await events(alice)).length, 2)
})

t.test('what cannot be read is counted', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'overland')
  const timestamp = '2026-11-26T12:00:00Z'
  const locations = [
    feature({ timestamp }),
    feature({ timestamp: 'yesterday' }),
    feature({}),
    feature({ timestamp }, [200, 100]),
    feature({ timestamp }, ['6', '46']),
    feature({ timestamp }, null),
    feature({ timestamp, type: 'trip' }),
    null,
    12,
    []
  ]
  t.equal((await send(alice, 'overland', connection, { locations })).status, 200)
  t.equal((await points(alice)).length, 1)
  t.match(await look(alice, connection), { received: 10, notUnderstood: { location: 8, trip: 1 } })
})

t.test('the link sets the app up', async t => {
  const { alice } = await coffer(t)
  const { link, token, url } = await connect(alice, 'overland', { name: 'my phone' })
  t.equal(link, `overland://setup?url=${encodeURIComponent(url)}&token=${token}&device_id=my%20phone`)
})
