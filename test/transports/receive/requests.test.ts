import { gzipSync } from 'node:zlib'
import t from 'tap'
import { coffer, type Client } from '../../support/coffer.js'
import { connect, look, points, send, type Connected } from './connecting.js'

const location = { _type: 'location', lat: 46.5, lon: 6.6, tst: 1_795_694_400, tid: 'DA' }
const parameters = 'lat=46.5&lon=6.6&timestamp=1795694400'

/** Sends a raw request. */
async function raw(
  { service }: Client,
  path: string,
  options: RequestInit = {}
): Promise<{ status: number; body: string }> {
  const response = await fetch(service.server.url + path, { method: 'POST', ...options })
  return { status: response.status, body: await response.text() }
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

t.test('the token may stand wherever apps have a field for it', async t => {
  const { alice } = await coffer(t)
  const { token } = await connect(alice, 'osmand')
  const headers: Record<string, string>[] = [
    { authorization: `Bearer ${token}` },
    { authorization: `bearer  ${token}` },
    { authorization: `Token ${token}` },
    { authorization: token },
    { authorization: basic(`alice:${token}`) },
    { authorization: basic(`${token}:`) },
    { authorization: basic(`${token}:x`) },
    { authorization: basic(token) },
    { 'x-api-key': token }
  ]
  for (const each of headers)
    t.equal((await raw(alice, `/alice/from/osmand?${parameters}`, { headers: each })).status, 200)
  const paths = [
    `?${parameters}&auth=${token}`,
    `?${parameters}&token=${token}`,
    `?${parameters}&api_key=${token}`,
    `/~${token}?${parameters}`,
    `/~${token}/?${parameters}`
  ]
  for (const path of paths) t.equal((await raw(alice, `/alice/from/osmand${path}`)).status, 200, path)
  for (const path of paths)
    t.equal((await raw(alice, `/alice/from/osmand${path}`, { method: 'GET' })).status, 200, path)
  t.equal((await points(alice)).length, 1)
})

t.test('only a token of a connection of this dialect and user is accepted', async t => {
  const service = await coffer(t)
  const { alice } = service
  const bobby = await service.user('bobby')
  const [owntracks, overland] = [await connect(alice, 'owntracks'), await connect(alice, 'overland')]
  const app = await alice.grant('manage', '*', { type: 'app' })
  const refused = async (user: Client, token: string): Promise<void> => {
    const { body, status } = await send(user, 'owntracks', { token }, location)
    t.match({ status, id: body.error?.id }, { status: 401, id: 'invalid-access-token' })
  }
  await refused(alice, overland.token)
  await refused(bobby, owntracks.token)
  await refused(alice, alice.token)
  await refused(alice, app.token)
  await refused(alice, 'cunknownunknownunknownun')
  await refused(alice, '')
  t.equal((await send(alice, 'owntracks', owntracks, location)).status, 200)
  t.equal((await send(alice, 'unheard-of', owntracks, location)).status, 404)
  await alice.do('connections.delete', { id: owntracks.id })
  await refused(alice, owntracks.token)
  const { body } = await service.http('POST', '/nobody/from/owntracks', location)
  t.equal(body.error.id, 'unknown-resource')
})

t.test('revoking the access ends the connection', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  await alice.do('accesses.delete', { id: connection.accessId })
  t.same((await alice.do('connections.get')).connections, [])
  t.equal((await send(alice, 'owntracks', connection, location)).status, 401)
})

t.test('the token may add events below its stream, but read nothing', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  await alice.stream('diary')
  const phone = (method: string, params: object): Promise<{ error?: { id: string }; events?: unknown[] }> =>
    alice.service.call('alice', method, params, connection.token)
  const note = { type: 'note/txt', content: 'hello' }
  t.notOk((await phone('events.create', { ...note, streamIds: [connection.streamId] })).error)
  t.equal((await phone('events.create', { ...note, streamIds: ['diary'] })).error?.id, 'forbidden')
  t.same((await phone('events.get', {})).events, [])
  t.equal((await phone('connections.get', {})).error?.id, 'forbidden')
})

t.test('the methods behind the address cannot be called', async t => {
  const { alice } = await coffer(t)
  const { token } = await connect(alice, 'owntracks')
  const params = {
    dialect: 'owntracks',
    records: [],
    received: 1,
    notUnderstood: {},
    fileKeys: [],
    message: ''
  }
  for (const method of ['connections.open', 'connections.receive', 'connections.noteProblem']) {
    const { error } = await alice.service.call('alice', method, params, token)
    t.equal(error?.id, 'invalid-method')
    const { results } = await alice.service.call('alice', 'callBatch', [{ method, params }], token)
    t.equal(results[0].error?.id, 'invalid-method')
  }
})

t.test('bodies may be compressed, and have any content type', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'owntracks')
  const authorization = `Bearer ${connection.token}`
  const text = JSON.stringify(location)
  for (const type of [
    'application/json',
    'text/plain',
    'application/octet-stream',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'nonsense'
  ])
    t.equal(
      (
        await raw(alice, '/alice/from/owntracks', {
          body: text,
          headers: { authorization, 'content-type': type }
        })
      ).status,
      200,
      type
    )
  const gzip = { authorization, 'content-encoding': 'gzip' }
  const { status } = await raw(alice, '/alice/from/owntracks', { body: gzipSync(text), headers: gzip })
  t.equal(status, 200)
  t.equal((await points(alice)).length, 1)
  t.match(await look(alice, connection), { received: 7, notUnderstood: {} })
})

t.test('malformed and excessive bodies are refused with 4xx, and change nothing', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'overland')
  const authorization = `Bearer ${connection.token}`
  const good = JSON.stringify({
    locations: [
      {
        type: 'Feature',
        geometry: { type: 'Point', coordinates: [6.6, 46.5] },
        properties: { timestamp: '2026-11-26T12:00:00Z' }
      }
    ]
  })
  const bomb = gzipSync(Buffer.alloc(60 * 1024 * 1024, 32))
  const attempts: [string, RequestInit][] = [
    ['not JSON', { body: 'lat=1' }],
    ['cut off', { body: good.slice(0, -3) }],
    ['empty', { body: '' }],
    ['a list', { body: '[]' }],
    ['null', { body: 'null' }],
    ['without locations', { body: '{}' }],
    ['locations of another kind', { body: '{"locations": {"0": 1}}' }],
    ['no gzip', { body: good, headers: { 'content-encoding': 'gzip' } }],
    ['cut off gzip', { body: gzipSync(good).subarray(0, -12), headers: { 'content-encoding': 'gzip' } }],
    ['an unknown encoding', { body: good, headers: { 'content-encoding': 'br' } }],
    ['a bomb', { body: bomb, headers: { 'content-encoding': 'gzip' } }],
    ['deeply nested', { body: '['.repeat(200_000) }]
  ]
  for (const [name, options] of attempts) {
    const headers = { authorization, ...(options.headers as Record<string, string>) }
    const { body, status } = await raw(alice, '/alice/from/overland', { ...options, headers })
    t.ok(status >= 400 && status < 500, `${name}: ${status}`)
    t.ok((JSON.parse(body) as { error: { id: string } }).error.id, name)
  }
  t.same(await points(alice), [])
  const told = await look(alice, connection)
  t.equal(told.received, 0)
  t.type(told.lastProblem.message, 'string')
  t.equal((await raw(alice, '/alice/from/overland', { body: good, headers: { authorization } })).status, 200)
  t.equal((await points(alice)).length, 1)
})

t.test('a body of almost 50 MB is accepted', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'overland')
  const properties = { timestamp: '2026-11-26T12:00:00Z', note: 'x'.repeat(48 * 1024 * 1024) }
  const feature = { type: 'Feature', geometry: { type: 'Point', coordinates: [6.6, 46.5] }, properties }
  const { status } = await send(alice, 'overland', connection, { locations: [feature] })
  t.equal(status, 200)
  t.equal((await points(alice)).length, 1)
})

t.test('each request is one line of the audit, and the token is in no log', async t => {
  const lines: unknown[] = []
  const note = (...line: unknown[]): void => void lines.push(line)
  const { alice } = await coffer(t, {}, { info: note, warn: note, error: note })
  const { accessId, token }: Connected = await connect(alice, 'osmand')
  await raw(alice, `/alice/from/osmand/~${token}?${parameters}`)
  await raw(alice, `/alice/from/osmand?${parameters}&auth=${token}`)
  await raw(alice, `/alice/from/osmand?auth=${token}`)
  const { auditLogs } = await alice.do('audit.get', { accessId, limit: 100 })
  t.same(
    auditLogs.map(({ content }: { content: { action: string } }) => content.action),
    ['connections.noteProblem', 'connections.receive', 'connections.receive']
  )
  await raw(alice, `/alice/from/osmand/~${token}/%E0%A4%A?auth=${token}`)
  await raw(alice, `/alice/from/unheard-of/~${token}?auth=${token}`)
  await raw(alice, `/alice/from/osmand/~${token}?${parameters}`, { method: 'DELETE' })
  t.notOk(JSON.stringify([auditLogs, lines.map(String), lines]).includes(token))
})

t.test('a full account refuses data, and says so on the connection', async t => {
  const { alice } = await coffer(t, { quota: { bytes: 20_000 } })
  const connection = await connect(alice, 'owntracks')
  const note = { streamIds: ['diary'], type: 'note/txt', content: 'x'.repeat(10_000) }
  await alice.stream('diary')
  while (!(await alice.call('events.create', note)).error);
  let status = 200
  for (let time = 0; status === 200 && time < 1000; time++) {
    const waypoint = { _type: 'waypoint', lat: 1, lon: 2, tst: 1_795_694_400 + time, desc: 'x'.repeat(1000) }
    status = (await send(alice, 'owntracks', connection, waypoint)).status
  }
  t.equal(status, 402)
  t.match((await look(alice, connection)).lastProblem.message, /storage limit/)
})
