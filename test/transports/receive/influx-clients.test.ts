/** The client libraries of InfluxDB 1 and 2, unchanged. */
import { InfluxDB as Client2, Point } from '@influxdata/influxdb-client'
import { InfluxDB as Client1 } from 'influx'
import t from 'tap'
import { coffer } from '../../support/coffer.js'
import { connect, look, points } from './connecting.js'

const time = 1_699_990_000

t.test('the client libraries write numbers', async t => {
  const { alice } = await coffer(t)
  const { id, token } = await connect(alice, 'influx')
  const base = new URL('/alice/from/influx', alice.service.server.url)

  const writer = new Client2({ url: base.href, token }).getWriteApi('any', 'home', 's')
  const point = new Point('weather').tag('room', 'kitchen, 1=2').timestamp(time)
  writer.writePoint(point.floatField('°C', 21.5).intField('co2', 800).stringField('note', 'a "b"'))
  await writer.close()

  const { hostname, pathname, port } = base
  const host = { host: hostname, port: Number(port), path: pathname }
  const client = new Client1({ ...host, database: 'home', username: 'alice', password: token })
  t.same(await client.getDatabaseNames(), ['coffer'])
  await client.createDatabase('home')
  await client.writePoints([
    { measurement: 'weather', tags: { room: 'bath' }, fields: { '°C': 20 }, timestamp: new Date(time * 1000) }
  ])
  t.same(
    (await points(alice)).map(([path, at, cells]) => [path, at, cells.value]),
    [
      ['InfluxDB/home/weather/room=bath °C/phone', time, 20],
      ['InfluxDB/home/weather/room=kitchen, 1=2 co2/phone', time, 800],
      ['InfluxDB/home/weather/room=kitchen, 1=2 °C/phone', time, 21.5]
    ]
  )
  t.match(await look(alice, { id }), { notUnderstood: { 'weather note': 1 }, lastProblem: null })
})
