import t from 'tap'
import nacl from 'tweetnacl'
import { coffer, type Answer } from '../../support/coffer.js'
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

t.test('regions, waypoints, steps and points of interest become events', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  const region = {
    _type: 'transition',
    tst: noon,
    wtst: noon - 9,
    lat: 46.5,
    lon: 6.6,
    acc: 20,
    desc: 'home',
    rid: 'a1',
    tid: 'DA'
  }
  const messages = [
    { ...region, event: 'enter' },
    { ...region, event: 'leave', tst: noon + 60 },
    {
      _type: 'waypoints',
      waypoints: [1, 2].map(at => ({
        _type: 'waypoint',
        desc: `place ${at}`,
        lat: at,
        lon: at,
        rad: 50,
        tst: noon + at
      }))
    },
    { _type: 'steps', tst: noon, steps: 1234, from: noon - 3600, to: noon },
    { _type: 'steps', tst: noon, steps: -1, from: noon, to: noon },
    { ...location, poi: 'a view' },
    { _type: 'lwt', tst: noon },
    { _type: 'status', tst: noon }
  ]
  for (let round = 0; round < 2; round++)
    for (const message of messages) t.same((await send(alice, 'owntracks', connection, message)).body, [])
  const { streams } = await alice.do('streams.get')
  const own = streams.find(({ name }: Answer) => name === 'OwnTracks')
  const names = new Map(
    own.children.flatMap((stream: Answer) => [stream, ...stream.children].map(({ id }) => [id, stream.name]))
  )
  const found = (await events(alice)).map(({ description, duration, streamIds, time, type }) => [
    names.get(streamIds[0]),
    type,
    time,
    duration,
    description
  ])
  t.same(
    found,
    [
      ['Steps', 'count/steps', noon - 3600, 3600, undefined],
      ['Arrivals', 'position/wgs84', noon, undefined, 'home'],
      ['Places', 'position/wgs84', noon, undefined, 'a view'],
      ['Places', 'position/wgs84', noon + 1, undefined, 'place 1'],
      ['Places', 'position/wgs84', noon + 2, undefined, 'place 2'],
      ['Departures', 'position/wgs84', noon + 60, undefined, 'home']
    ].toSorted((a, b) => Number(a[2]) - Number(b[2]))
  )
  t.match(await look(alice, connection), { received: 18, notUnderstood: { lwt: 2, status: 2 } })
})

t.test('a picture becomes a file, once', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  const picture = Buffer.from('ffd8ffe000104a46494600010101004800480000ffd9', 'hex')
  const message = { ...location, poi: 'a view', image: picture.toString('base64'), imagename: 'view.jpg' }
  for (let round = 0; round < 3; round++) await send(alice, 'owntracks', connection, message)
  const [event, ...others] = (await events(alice)).filter(({ type }) => type === 'picture/attached')
  t.same(others, [])
  t.match(event, {
    description: 'a view',
    attachments: [{ fileName: 'view.jpg', type: 'image/jpeg', size: 22 }]
  })
  const [{ id }] = event.attachments
  const response = await fetch(`${alice.service.server.url}/alice/events/${event.id}/${id}`, {
    headers: { authorization: alice.token }
  })
  t.same(Buffer.from(await response.arrayBuffer()), picture)
  const { storageUsed } = (await alice.do('account.get')).account
  t.equal(storageUsed.attachedFiles, 22)
  await send(alice, 'owntracks', connection, { ...location, tst: noon + 1, image: 'no picture' })
  t.same((await look(alice, connection)).notUnderstood, { 'location image': 1 })
})

t.test('an encrypted message is opened with the passphrase, and stored as it is without', async t => {
  const { alice } = await coffer(t)
  const passphrase = 'a secret of ours'
  const [opened, closed] = [
    await connect(alice, 'owntracks', { passphrase }),
    await connect(alice, 'owntracks', { name: 'tablet' })
  ]
  const message = encrypt(location, passphrase)
  t.same((await send(alice, 'owntracks', opened, message)).body, [])
  t.match(await points(alice), [['OwnTracks/Positions/DA', noon, { latitude: 46.5 }]])
  t.same(await events(alice), [])
  await send(alice, 'owntracks', closed, message)
  alice.service.clock.advance(60)
  await send(alice, 'owntracks', closed, message)
  t.match(await events(alice), [{ type: 'encrypted/aes-text-base64', content: { payload: message.data } }])
  t.equal((await events(alice)).length, 1)
  await alice.do('connections.update', { id: opened.id, update: { passphrase: 'another one' } })
  await send(alice, 'owntracks', opened, encrypt({ ...location, tst: noon + 1 }, passphrase))
  t.equal((await events(alice)).length, 2)
  for (const data of ['', 'x', 'AAAA', '!'.repeat(100), 12])
    t.equal((await send(alice, 'owntracks', opened, { _type: 'encrypted', data })).status, 200)
})

/** Encrypts a message as the app does. */
function encrypt(message: object, passphrase: string): { _type: string; data: string } {
  const key = Buffer.alloc(32)
  key.write(passphrase)
  const nonce = nacl.randomBytes(24)
  const sealed = nacl.secretbox(Buffer.from(JSON.stringify(message)), nonce, key)
  return { _type: 'encrypted', data: Buffer.concat([nonce, sealed]).toString('base64') }
}

t.test('the link contains what the app needs', async t => {
  const { alice } = await coffer(t)
  const { link, token, url } = await connect(alice, 'owntracks', { name: 'my phone' })
  const inline = new URL(link!).searchParams.get('inline')!
  t.same(JSON.parse(Buffer.from(inline, 'base64').toString()), {
    _type: 'configuration',
    mode: 3,
    url,
    auth: true,
    username: 'alice',
    password: token,
    deviceId: 'my phone',
    tid: 'MY'
  })
})

t.test('an empty body is ignored', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  t.match(await send(alice, 'owntracks', connection, ''), { status: 200, body: [] })
  t.equal((await look(alice, connection)).received, 0)
})

t.test('a picture beyond the limit of files is counted, and the position is stored', async t => {
  const { alice } = await coffer(t, { uploads: { maxFileBytes: 20 } })
  const connection = await connect(alice, 'owntracks')
  const image = Buffer.from('ffd8ffe000104a46494600010101004800480000ffd9', 'hex').toString('base64')
  t.equal((await send(alice, 'owntracks', connection, { ...location, image })).status, 200)
  t.equal((await points(alice)).length, 1)
  t.same(await events(alice), [])
  t.same((await look(alice, connection)).notUnderstood, { 'location image': 1 })
})
