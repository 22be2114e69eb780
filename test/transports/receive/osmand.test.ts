import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { connect, look, points } from './connecting.js'

/** 2026-11-26T12:00:00Z */
const noon = 1_795_694_400

/** Sends a request to the address that the app was given. */
async function send(
  { service }: Client,
  url: string,
  query: string,
  options: RequestInit = {}
): Promise<Response> {
  const { pathname } = new URL(url)
  return await fetch(`${service.server.url}${pathname}${query}`, options)
}

/** Returns the only position, and the other points. */
async function only(user: Client): Promise<Answer> {
  const found = await points(user)
  t.equal(found.filter(([path]: Answer) => path.includes('/Positions/')).length, 1)
  return found.find(([path]: Answer) => path.includes('/Positions/'))
}

/** What each app sends, and the position that it means. */
const requests: [name: string, query: string, options: RequestInit, expected: Answer][] = [
  [
    'Traccar Client, with a query',
    `?id=bike&timestamp=${noon}&lat=46.5&lon=6.6&speed=10&bearing=90&altitude=400&accuracy=5&batt=80`,
    { method: 'POST' },
    [
      'OsmAnd/Positions/bike',
      noon,
      { latitude: 46.5, longitude: 6.6, altitude: 400, horizontalAccuracy: 5, bearing: 90, speed: 5.14444 }
    ]
  ],
  [
    'Traccar Client, with milliseconds and a location',
    `?deviceid=bike&timestamp=${noon * 1000}&location=46.5,6.6&valid=true`,
    {},
    ['OsmAnd/Positions/bike', noon, { latitude: 46.5, longitude: 6.6 }]
  ],
  [
    'Traccar Client, with a form',
    '',
    {
      method: 'POST',
      body: new URLSearchParams({ id: 'bike', timestamp: '2026-11-26 12:00:00', lat: '46.5', lon: '6.6' })
    },
    ['OsmAnd/Positions/bike', noon, { latitude: 46.5, longitude: 6.6 }]
  ],
  [
    'Traccar Client, with JSON',
    '',
    {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        device_id: '12345678',
        location: {
          timestamp: '2026-11-26T12:00:00.000Z',
          coords: { latitude: 46.5, longitude: 6.6, accuracy: 5, speed: 3, heading: -1, altitude: 400 },
          is_moving: true,
          odometer: 12,
          activity: { type: 'on_foot' },
          battery: { level: 0.8, is_charging: false },
          extras: {}
        }
      })
    },
    [
      'OsmAnd/Positions/12345678',
      noon,
      { latitude: 46.5, longitude: 6.6, altitude: 400, horizontalAccuracy: 5, speed: 3 }
    ]
  ],
  [
    'the same without nesting',
    '',
    {
      method: 'POST',
      body: JSON.stringify({
        device_id: 'x',
        location: { timestamp: '2026-11-26T13:00:00+01:00', latitude: 46.5, longitude: 6.6, speed: -1 },
        battery: { level: -1 }
      })
    },
    ['OsmAnd/Positions/x', noon, { latitude: 46.5, longitude: 6.6 }]
  ],
  [
    'OsmAnd',
    `?lat=46.5&lon=6.6&timestamp=${noon}.000&hdop=4.0&altitude=400&speed=0.0`,
    {},
    ['OsmAnd/Positions/phone', noon, { latitude: 46.5, longitude: 6.6, altitude: 400, speed: 0 }]
  ],
  [
    'GPSLogger',
    `?lat=46.5&lon=6.6&sat=9&desc=&alt=400&acc=5&dir=90&prov=gps&spd=3&spd_kph=10.8&timestamp=${noon}&time=2026-11-26T12:00:00.000Z&starttimestamp=${noon - 60}&date=2026-11-26&batt=80&ischarging=false&aid=a1b2&ser=serial&filename=20261126&profile=Default&hdop=1&vdop=1&pdop=1&dist=12`,
    {},
    [
      'OsmAnd/Positions/serial',
      noon,
      { latitude: 46.5, longitude: 6.6, altitude: 400, horizontalAccuracy: 5, bearing: 90, speed: 3 }
    ]
  ],
  [
    'PhoneTrack',
    `?lat=46.5&lon=6.6&timestamp=${noon}&acc=5&alt=400&speed=3&bearing=90&sat=9&bat=80&useragent=x`,
    {},
    [
      'OsmAnd/Positions/phone',
      noon,
      { latitude: 46.5, longitude: 6.6, altitude: 400, horizontalAccuracy: 5, bearing: 90, speed: 3 }
    ]
  ]
]

const service = await coffer(t)
for (const [at, [name, query, options, expected]] of requests.entries())
  t.test(name, async t => {
    const alice = await service.user(`alice${at}`)
    const { url } = await connect(alice, 'osmand')
    for (let round = 0; round < 2; round++) {
      const response = await send(alice, url, query, options)
      t.equal(response.status, 200)
      t.equal(await response.text(), '')
    }
    t.same(await only(alice), expected)
  })

t.test('without a time, the time of arrival counts; the token as id is no source', async t => {
  const { alice } = await coffer(t)
  const { token, url } = await connect(alice, 'osmand')
  await send(alice, url, `?lat=46.5&lon=6.6&id=${token}`)
  t.same(await only(alice), [
    'OsmAnd/Positions/phone',
    alice.service.clock.now(),
    { latitude: 46.5, longitude: 6.6 }
  ])
})

t.test('only a request without any position is refused', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'osmand')
  const { url } = connection
  for (const query of ['', '?lat=46.5', '?id=x&batt=80'])
    t.equal((await send(alice, url, query)).status, 400, query)
  for (const body of ['{}', '{"location": {}}', '{"location": 12}', '{"location": {"coords": null}}', '{'])
    t.equal((await send(alice, url, '', { method: 'POST', body })).status, 400, body)
  const uncertain = [
    '?lat=99&lon=6.6',
    '?lat=x&lon=y',
    '?lat=1&lon=2&valid=false',
    '?lat=1&lon=2&timestamp=soon',
    '?location=1',
    '?lat=1&lon=2&timestamp=1e300'
  ]
  for (const query of uncertain) t.equal((await send(alice, url, query)).status, 200, query)
  t.same(await points(alice), [])
  t.match(await look(alice, connection), { received: 6, notUnderstood: { position: 6 } })
})

t.test('positions that arrive one by one, in any order, are stored in order', async t => {
  const { alice } = await coffer(t)
  const { url } = await connect(alice, 'osmand')
  const count = 1000
  for (let at = 0; at < count; at += 50)
    await Promise.all(
      Array.from({ length: 50 }, async (_, offset) => {
        // 7 and the count have no common divisor, so that each time occurs once.
        const time = noon + (((at + offset) * 7) % count)
        const query = `?lat=46.5&lon=6.6&timestamp=${time}`
        await alice.service.http('GET', new URL(url).pathname + query)
      })
    )
  const found = await points(alice)
  t.same(
    found.map(([, time]: Answer) => time),
    Array.from({ length: count }, (_, at) => noon + at)
  )
})
