/** Version 3 of Nightscout's API as AndroidAPS uses it, and apps that know only the host. */
import { createHash } from 'node:crypto'
import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { connect, events, points } from './connecting.js'

const start = 1_699_990_000

interface Reply {
  readonly status: number
  readonly headers: Headers
  readonly body: Answer
}

type Ask = (verb: string, path: string, body?: unknown) => Promise<Reply>

function digest(token: string): string {
  return createHash('sha1').update(token).digest('hex')
}

/** Returns a function that sends requests of a new connection below `api/`, at the user's root. */
async function app(user: Client, fields: Record<string, unknown> = {}): Promise<Ask> {
  const { token } = await connect(user, 'nightscout', fields)
  return async (verb, path, body) =>
    await user.service.http(verb, `/${user.username}/api/${path}`, body, {
      authorization: `Bearer ${digest(token)}`
    })
}

function treatment(identifier: string, fields: object = {}): Record<string, unknown> {
  const date = start * 1000
  const created_at = new Date(date).toISOString()
  return { identifier, date, created_at, app: 'AAPS', eventType: 'Correction Bolus', insulin: 1, ...fields }
}

async function doses(user: Client): Promise<unknown[]> {
  return (await events(user)).filter(({ type }) => type === 'volume/iu').map(({ content }) => content)
}

t.test('documents are created, replaced, patched and deleted, and their values follow', async t => {
  const { alice } = await coffer(t)
  const ask = await app(alice)
  t.match(await ask('POST', 'v3/treatments', treatment('b1')), { status: 201, body: { identifier: 'b1' } })
  t.match(await ask('POST', 'v3/treatments', treatment('b1')), {
    status: 200,
    body: { isDeduplication: true }
  })
  t.same(await doses(alice), [1])
  t.equal((await ask('PUT', 'v3/treatments/b1', treatment('b1', { insulin: 2 }))).status, 200)
  t.same(await doses(alice), [2])
  t.equal((await ask('PATCH', 'v3/treatments/b1', { insulin: 3, notes: 'x' })).status, 200)
  t.same(await doses(alice), [3])
  t.match((await ask('GET', 'v3/treatments/b1')).body.result, { insulin: 3, notes: 'x', app: 'AAPS' })
  t.match(await ask('PATCH', 'v3/treatments/b1', { date: 1_600_000_000_000 }), {
    status: 400,
    body: { message: 'Field date cannot be modified by the client' }
  })
  t.equal((await ask('PATCH', 'v3/treatments/none', { insulin: 1 })).status, 404)
  t.equal((await ask('PUT', 'v3/treatments/new', treatment('new', { insulin: 5 }))).status, 201)
  t.same((await doses(alice)).toSorted(), [3, 5])
  t.equal((await ask('DELETE', 'v3/treatments/b1')).status, 200)
  t.same(await doses(alice), [5])
  t.equal((await ask('GET', 'v3/treatments/b1')).status, 410)
  t.equal((await ask('PUT', 'v3/treatments/b1', treatment('b1'))).status, 410)
  t.match(await ask('POST', 'v3/treatments', treatment('b1', { insulin: 4 })), { status: 201 })
  t.same((await doses(alice)).toSorted(), [4, 5])
  for (const [body, message] of [
    [{ app: '' }, /app/],
    [{ date: 1 }, /date/],
    [{ date: 'x' }, /date/],
    [{ utcOffset: 2000 }, /utcOffset/],
    [{ date: 1e300 }, /impossible time/]
  ] as const) {
    const reply = await ask('POST', 'v3/treatments', treatment('bad', body))
    t.equal(reply.status, 400)
    t.match(reply.body.message ?? reply.body.error.message, message)
  }
})

t.test('a client that follows the history misses nothing, also of one millisecond', async t => {
  const { alice } = await coffer(t)
  const { clock } = alice.service
  const ask = await app(alice)
  const sent = Array.from({ length: 30 }, (_, at): Record<string, unknown> => ({
    ...treatment(`m${at}`, { insulin: at + 1 }),
    created_at: new Date((start + at) * 1000).toISOString(),
    date: (start + at) * 1000
  }))
  // All are stored within one millisecond.
  t.equal((await ask('POST', 'v1/treatments', sent)).status, 200)
  t.same((await ask('GET', 'v3/treatments/history/0')).body.result, [], 'the millisecond is not over')
  clock.advance(0.002)
  await ask('POST', 'v3/treatments', treatment('later', { date: (start + 100) * 1000 }))
  clock.advance(0.002)
  const seen: string[] = []
  let since = 0
  for (let requests = 0; requests < 10; requests++) {
    const { body, headers } = await ask('GET', `v3/treatments/history/${since}?limit=10`)
    const page = body.result as { identifier: string; srvModified: number }[]
    seen.push(...page.map(({ identifier }) => identifier))
    if (page.length === 0) break
    since = Number(/^W\/"(\d+)"$/.exec(headers.get('etag')!)![1])
    t.equal(since, page.at(-1)!.srvModified)
  }
  t.same(seen.toSorted(), ['later', ...sent.map(document => document['identifier'])].toSorted())
  t.equal(seen.at(-1), 'later')
  const { collections } = (await ask('GET', 'v3/lastModified')).body.result
  t.same(collections, { treatments: since })
  clock.advance(90 * 86_400)
  t.same((await ask('GET', 'v3/lastModified')).body.result.collections, { treatments: since })
  await ask('DELETE', 'v3/treatments/m3')
  clock.advance(1)
  t.match((await ask('GET', `v3/treatments/history/${since}`)).body.result, [
    { identifier: 'm3', isValid: false }
  ])
})

t.test('searches sort, skip and choose fields, and find old documents among many', async t => {
  const { alice } = await coffer(t)
  const ask = await app(alice)
  const count = 12_000
  for (let from = 0; from < count; from += 4000) {
    const sent = Array.from({ length: 4000 }, (_, at) => ({
      type: 'sgv',
      sgv: 100,
      date: (start - (from + at) * 300) * 1000,
      device: from + at === count - 1 ? 'the first sensor' : 'sensor'
    }))
    t.equal((await ask('POST', 'v1/entries', sent)).status, 200)
  }
  const oldest = (start - (count - 1) * 300) * 1000
  const found = await ask('GET', 'v1/entries?find[device]=the first sensor&find[date][$gte]=1')
  t.match(found.body, [{ date: oldest }])
  t.match((await ask('GET', 'v3/entries?device$eq=the first sensor')).body.result, [{ date: oldest }])
  t.match((await ask('GET', 'v3/entries?sort=date&limit=2&fields=date,sgv')).body.result, [
    { date: oldest, sgv: 100 },
    { date: oldest + 300_000 }
  ])
  t.strictSame((await ask('GET', 'v3/entries?sort$desc=date&skip=1&limit=1&fields=date')).body.result, [
    { date: (start - 300) * 1000 }
  ])
  t.equal((await ask('GET', 'v3/entries?sort=sgv')).status, 400)
  const range = await ask('GET', `v1/entries?count=100000&find[date][$gte]=${oldest}`)
  t.equal(range.body.length, 10_000)
})

t.test('what limits exclude is not acknowledged, and a corrected glucose value is one point', async t => {
  const { alice } = await coffer(t)
  const ask = await app(alice)
  const sgv = { type: 'sgv', sgv: 120, date: start * 1000, device: 'sensor' }
  const impossible = { ...sgv, date: 1e20 }
  const large = { ...sgv, date: (start + 1) * 1000, note: 'x'.repeat(300_000) }
  const { body, status } = await ask('POST', 'v1/entries', [sgv, impossible, large])
  t.equal(status, 200)
  t.match(body, [{ _id: /^[0-9a-f]{24}$/ }, { date: 1e20 }, { date: (start + 1) * 1000 }])
  t.notOk('_id' in body[1] || '_id' in body[2])
  t.equal((await ask('POST', 'v1/entries', impossible)).status, 400)
  t.equal(
    (await ask('POST', 'v1/treatments', { created_at: '9999999-01-01', insulin: 1, _id: 1e300 })).status,
    200
  )
  await ask('POST', 'v1/entries', { ...sgv, sgv: 121 })
  t.match(await points(alice), [['Nightscout/Blood glucose/sensor', start, { value: 121 }]])
  t.match((await ask('GET', 'v1/entries?find[date][$gte]=1')).body, [{ sgv: 121 }])
})

function bolus(minutes: number, insulin: number): Record<string, unknown> {
  return {
    syncIdentifier: 's1',
    eventType: 'Meal Bolus',
    insulin,
    created_at: new Date((start + minutes * 60) * 1000).toISOString()
  }
}

t.test('a treatment that is moved in time has one version', async t => {
  const { alice } = await coffer(t)
  const ask = await app(alice)
  for (const [minutes, insulin] of [
    [0, 1],
    [5, 1],
    [5, 2],
    [0, 2],
    [9, 3]
  ] as const) {
    t.equal((await ask('POST', 'v1/treatments', [bolus(minutes, insulin)])).status, 200)
    t.same(await doses(alice), [insulin])
    t.match((await ask('GET', 'v1/treatments')).body, [bolus(minutes, insulin)])
  }
})

t.test('apps that know only the host are found by their secret', async t => {
  const { alice } = await coffer(t)
  const { service } = alice
  const bobby = await service.user('bobby')
  const own = await connect(alice, 'nightscout', { name: 'Loop' })
  const other = await connect(bobby, 'nightscout', { name: 'Loop' })
  const owntracks = await connect(alice, 'owntracks')
  const ask = async (verb: string, path: string, body: unknown, headers: Record<string, string>) =>
    await service.http(verb, `/api/${path}`, body, headers)
  const sgv = { type: 'sgv', sgv: 90, date: start * 1000 }
  for (const headers of [{ 'api-secret': digest(own.token) }, { authorization: `Bearer ${own.token}` }])
    t.equal((await ask('POST', 'v1/entries', [sgv], headers)).status, 200)
  t.match(await ask('GET', `v1/entries?token=${own.token}&find[date][$gte]=1`, undefined, {}), {
    status: 200,
    body: [{ sgv: 90 }]
  })
  t.same((await ask('GET', 'v1/entries', undefined, { 'api-secret': digest(other.token) })).body, [])
  const { body } = await ask('GET', `v2/authorization/request/${own.token}`, undefined, {})
  t.equal((await ask('GET', 'v3/status', undefined, { authorization: `Bearer ${body.token}` })).status, 200)
  t.match(await ask('POST', 'v1/entries', [{ ...sgv, sgv: 91, secret: own.token }], {}), {
    status: 200,
    body: [{ sgv: 91 }]
  })
  const stored = await events(alice)
  t.notMatch(JSON.stringify(stored), own.token)
  for (const secret of ['', 'wrong', digest('wrong'), owntracks.token, digest(owntracks.token), alice.token])
    for (const [path, headers] of [
      ['v1/status.json', { 'api-secret': secret }],
      ['v3/status', { authorization: `Bearer ${secret}` }]
    ] as const)
      t.match(await ask('GET', path, undefined, headers), { status: 401 }, `${path} ${secret.length}`)
  t.equal((await ask('POST', 'v1/entries', [{ ...sgv, secret: 'wrong' }], {})).status, 401)
  t.equal((await ask('POST', 'v1/entries', [{ ...sgv, note: 'x'.repeat(20_000) }], {})).status, 401)
  t.equal((await ask('POST', 'v2/notifications/loop', {}, { 'api-secret': digest(own.token) })).status, 404)
  await alice.do('accesses.delete', { id: own.accessId })
  await bobby.do('connections.delete', { id: other.id })
  for (const { token } of [own, other])
    t.equal((await ask('GET', 'v1/entries', undefined, { 'api-secret': digest(token) })).status, 401)
})

t.test('guessing secrets at the root has to wait, as guessing tokens does', async t => {
  const { alice } = await coffer(t, { throttle: { invalidTokens: 3 } })
  const { token } = await connect(alice, 'nightscout')
  const statuses = new Set<number>()
  for (let guess = 0; guess < 10; guess++) {
    const headers = { 'api-secret': digest(`guess ${guess}`) }
    statuses.add((await alice.service.http('GET', '/api/v1/entries', undefined, headers)).status)
  }
  t.same([...statuses], [401, 429])
  const right = { 'api-secret': digest(token) }
  t.equal((await alice.service.http('GET', '/api/v1/entries', undefined, right)).status, 200)
})
