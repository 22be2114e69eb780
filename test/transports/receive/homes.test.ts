/** The line protocol of InfluxDB, openScale and any JSON, from request to stored values. */
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { connect, events, look, points, send, type Connected } from './connecting.js'

/** 2026-11-26T12:00:00Z */
const noon = 1_795_694_400
const ns = (seconds: number): string => `${noon + seconds}000000000`

/** Sends lines as clients of version 2 do. */
async function writeLines(
  user: Client,
  { token }: Connected,
  lines: string | Buffer,
  query = 'bucket=home'
): Promise<Response> {
  return await fetch(`${user.service.server.url}/${user.username}/from/influx/api/v2/write?${query}`, {
    method: 'POST',
    headers: {
      authorization: `Token ${token}`,
      'content-type': 'text/plain; charset=utf-8',
      ...(Buffer.isBuffer(lines) && { 'content-encoding': 'gzip' })
    },
    body: lines
  })
}

const line = (value: number, seconds = 0): string =>
  `°C,domain=sensor,entity_id=living_room value=${value} ${ns(seconds)}`

t.test('influx: points are stored once, the last write wins, gzip is read', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'influx')
  for (const lines of [
    line(21),
    line(21),
    `${line(22)}\n${line(22.5)}\n${line(19, 60)}`,
    gzipSync(line(23))
  ]) {
    const response = await writeLines(alice, connection, lines)
    t.equal(response.status, 204)
    t.equal(await response.text(), '')
  }
  const path = 'InfluxDB/home/°C/sensor.living_room/phone'
  t.same(await points(alice), [
    [path, noon, { value: 23 }],
    [path, noon + 60, { value: 19 }]
  ])
  t.match(await look(alice, connection), { received: 6, notUnderstood: {} })
})

t.test('influx: a bad line refuses the whole write, as InfluxDB does', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'influx')
  const response = await writeLines(alice, connection, `cpu v=1 ${ns(0)}\ncpu v=\ncpu v=2`)
  t.equal(response.status, 400)
  t.match(await response.json(), { code: 'invalid', message: /Line 2/ })
  t.same(await points(alice), [])
  const many = Array.from({ length: 20_001 }, (_, index) => `m,id=${index} v=1 ${ns(0)}`).join('\n')
  t.equal((await writeLines(alice, connection, many)).status, 400)
  t.same(await points(alice), [])
  t.match(await look(alice, connection), { lastProblem: { message: /series/ } })
  t.equal((await writeLines(alice, { ...connection, token: 'wrong' }, 'cpu v=1')).status, 401)
})

t.test('influx: clients of version 1 find their database', async t => {
  const { alice } = await coffer(t)
  const { token } = await connect(alice, 'influx')
  const base = `${alice.service.server.url}/${alice.username}/from/influx`
  const headers = { authorization: `Basic ${Buffer.from(`daisy:${token}`).toString('base64')}` }
  const ping = await fetch(`${base}/ping`, { headers })
  t.equal(ping.status, 204)
  t.equal(ping.headers.get('x-influxdb-version'), '1.8.10')
  t.match(await (await fetch(`${base}/health`, { headers })).json(), { name: 'influxdb', status: 'pass' })
  const databases = await fetch(`${base}/query?q=SHOW%20DATABASES`, { headers })
  t.match(await databases.json(), { results: [{ series: [{ values: [['coffer']] }] }] })
  const body = new URLSearchParams({ q: 'CREATE DATABASE home' })
  t.same(await (await fetch(`${base}/query`, { method: 'POST', headers, body })).json(), {
    results: [{ statement_id: 0 }]
  })
  const written = await fetch(`${base}/write?db=home&precision=s`, {
    method: 'POST',
    headers,
    body: `W,host=a value=5 ${noon}`
  })
  t.equal(written.status, 204)
  const empty = await fetch(`${base}/api/v2/write?bucket=home`, { method: 'POST', headers, body: '' })
  t.equal(empty.status, 204)
  t.match(await points(alice), [['InfluxDB/home/W/host=a/phone', noon, { value: 5 }]])
})

const measured = (userId: number, weight: number, hour = 12): object => ({
  userId,
  username: 'daisy',
  date: `2026-11-26T${hour}:00:00.000Z`,
  weight,
  body_fat: 18,
  water: 0
})

t.test('openscale: corrections, deletions and a cleared user', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'openscale')
  const put = async (message: object): Promise<void> =>
    void t.equal((await send(alice, 'openscale', connection, message)).status, 200)
  const stored = async (): Promise<unknown[]> =>
    (await events(alice)).map(({ content, time, type }) => [type, time - noon, content]).toSorted()
  await put({ event: 'test' })
  await put({ event: 'insert', ...measured(1, 71) })
  await put({ event: 'insert', measurements: [measured(1, 71), measured(1, 72, 13), measured(2, 50)] })
  await put({ event: 'update', ...measured(1, 71.5) })
  const first = [
    ['mass/kg', 0, 50],
    ['mass/kg', 0, 71.5],
    ['mass/kg', 3600, 72],
    ['ratio/percent', 0, 18],
    ['ratio/percent', 0, 18],
    ['ratio/percent', 3600, 18]
  ]
  t.same(await stored(), first.toSorted())
  await put({ event: 'delete', userId: 1, date: '2026-11-26T13:00:00.000Z' })
  t.equal((await stored()).length, 4)
  await put({ event: 'insert', ...measured(1, 72, 13) })
  t.same(await stored(), first.toSorted())
  await put({ event: 'clear', userId: 1 })
  t.same(await stored(), [
    ['mass/kg', 0, 50],
    ['ratio/percent', 0, 18]
  ])
  const { events: trashed } = await alice.do('events.get', {
    state: 'trashed',
    limit: 100,
    fromTime: 0,
    toTime: 1e10
  })
  t.equal(trashed.length, 4)
  await put({ event: 'insert', ...measured(1, 72, 13) })
  t.equal((await stored()).length, 4)
  t.match(await look(alice, connection), { notUnderstood: {} })
})

const weight = (hour: number): object => ({ userId: 1, date: `2026-11-26T${hour}:00:00Z`, weight: 71 })

t.test('openscale: what the user has trashed or edited stays so', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'openscale')
  await send(alice, 'openscale', connection, { event: 'insert', measurements: [weight(12), weight(13)] })
  const [first, second] = await events(alice)
  await alice.do('events.delete', { id: first!.id })
  await alice.do('events.update', { id: second!.id, update: { content: 70 } })
  await send(alice, 'openscale', connection, { event: 'clear', userId: 1 })
  await send(alice, 'openscale', connection, { event: 'update', measurements: [weight(12), weight(13)] })
  t.match(await events(alice), [{ id: second!.id, content: 70 }])
  t.equal((await events(alice)).length, 1)
})

const mapping = {
  items: '/readings',
  time: '/timestamp',
  value: '/count',
  type: 'count/steps',
  stream: 'Steps'
}

const readings = (...counts: number[]): object => ({
  readings: counts.map((count, index) => ({ timestamp: noon + index * 3600, count }))
})

t.test('json: bodies wait for a mapping, and are stored once there is one', async t => {
  const { alice } = await coffer(t)
  const { id, url } = await connect(alice, 'json')
  const post = async (body: unknown): Promise<Response> =>
    await fetch(url, { method: 'POST', body: JSON.stringify(body) })
  t.equal((await post(readings(5, 7))).status, 200)
  t.match(await look(alice, { id }), {
    received: 1,
    waiting: [{ body: { readings: [{ count: 5 }, { count: 7 }] } }]
  })
  t.same(await events(alice), [])
  const { connection } = await alice.do('connections.update', { id, update: { mapping } })
  t.match(connection, { mapping, waiting: [], notUnderstood: {} })
  const stored = async (): Promise<unknown[]> =>
    (await events(alice)).map(({ content, time }) => [time - noon, content])
  t.same(await stored(), [
    [0, 5],
    [3600, 7]
  ])
  for (let round = 0; round < 2; round++) t.equal((await post(readings(6, 7))).status, 200)
  t.same(await stored(), [
    [0, 6],
    [3600, 7]
  ])
})

t.test('json: forms and queries, and values without a time', async t => {
  const { alice } = await coffer(t)
  const { url } = await connect(alice, 'json', {
    mapping: { value: '/kg', type: 'mass/kg', unit: 'lb', stream: 'Weight' }
  })
  t.equal((await fetch(`${url}?kg=150`)).status, 200)
  t.equal((await fetch(url, { method: 'POST', body: new URLSearchParams({ kg: '150' }) })).status, 200)
  const stored = await events(alice)
  t.match(stored, [{ type: 'mass/kg', clientData: { 'json:original': { value: 150, unit: 'lb' } } }])
  t.ok(Math.abs(stored[0]!.content - 68.0388555) < 1e-9)
})

t.test('json: invalid mappings are refused with what is wrong', async t => {
  const { alice } = await coffer(t)
  const create = async (given: unknown, dialect = 'json'): Promise<{ status: number; body: Answer }> =>
    await alice.http('POST', '/connections', { dialect, name: 'x', mapping: given })
  const bad = [
    { ...mapping, time: 'timestamp' },
    { ...mapping, value: '/a~2' },
    { ...mapping, type: 'mass/stones' },
    { ...mapping, type: 'nonsense' },
    { ...mapping, zone: 'Mars/Olympus' },
    { ...mapping, value: undefined },
    { ...mapping, extra: 1 },
    [],
    'x'
  ]
  for (const each of bad) {
    const { body, status } = await create(each)
    t.equal(status, 400, JSON.stringify(each))
    t.equal(body.error.id, 'invalid-parameters-format')
  }
  t.equal((await create(mapping, 'owntracks')).status, 400)
  t.equal((await create([mapping, { ...mapping, value: '/other', type: 'note/txt' }])).status, 201)
})
