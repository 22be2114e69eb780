import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { coffer, type Answer, type Client } from '../../support/coffer.js'
import { connect, events, look, points } from './connecting.js'

const hour = 3600
const id = /^[0-9a-f]{24}$/

/** Sends a request to version 1 of the API, as apps do that know only the SHA-1 of the secret. */
async function ask(
  user: Client,
  { token }: { readonly token: string },
  verb: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {}
): Promise<{ status: number; headers: Headers; body: Answer }> {
  const secret = createHash('sha1').update(token).digest('hex')
  return await user.service.http(verb, `/${user.username}/from/nightscout/api/${path}`, body, {
    'api-secret': secret,
    ...headers
  })
}

function sgv(time: number, value = 120, fields: object = {}): Record<string, unknown> {
  const date = time * 1000
  return {
    type: 'sgv',
    sgv: value,
    date,
    dateString: new Date(date).toISOString(),
    direction: 'Flat',
    device: 'dexcom',
    ...fields
  }
}

function isoTime(time: number): string {
  return new Date(time * 1000).toISOString()
}

/** An hour before the time of the service. */
const recent = (): number => 1_700_000_000 - hour

t.test('Loop uploads entries: 200, as many documents as were sent, in their order, once', async t => {
  const { alice } = await coffer(t)
  const loop = await connect(alice, 'nightscout')
  t.match(await ask(alice, loop, 'GET', 'v1/experiments/test'), { status: 200, body: { status: 'ok' } })
  const start = recent() - 1000 * 300
  const sent = Array.from({ length: 1000 }, (_, at) =>
    sgv(start + at * 300, 80 + (at % 100), { unknown: { a: [1, null] } })
  )
  const withRepeat = [...sent, sent[0]!]
  const first = await ask(alice, loop, 'POST', 'v1/entries.json', withRepeat)
  t.equal(first.status, 200)
  t.equal(first.body.length, 1001)
  for (const [at, { _id, ...document }] of first.body.entries()) {
    t.match(_id, id)
    t.same(document, withRepeat[at])
  }
  t.same(first.body[1000], first.body[0])
  const again = await ask(alice, loop, 'POST', 'v1/entries', withRepeat)
  t.same(again.body, first.body)
  t.equal((await points(alice)).length, 1000)
  const read = await ask(alice, loop, 'GET', 'v1/entries.json?count=3')
  t.same(read.body, first.body.slice(997, 1000).toReversed())
  const since = read.headers.get('last-modified')!
  t.equal(
    (await ask(alice, loop, 'GET', 'v1/entries.json?count=3', undefined, { 'if-modified-since': since }))
      .status,
    304
  )
  const range = `find[date][$gte]=${(start + 300) * 1000}&find[date][$lt]=${(start + 900) * 1000}`
  t.same((await ask(alice, loop, 'GET', `v1/entries/sgv?${range}`)).body, [first.body[2], first.body[1]])
  t.match(await look(alice, loop), { received: 2002, lastProblem: null })
})

t.test('treatments become events, and follow corrections and deletions', async t => {
  const { alice } = await coffer(t)
  const loop = await connect(alice, 'nightscout')
  const time = recent()
  const bolus = {
    eventType: 'Meal Bolus',
    created_at: isoTime(time),
    enteredBy: 'loop://phone',
    insulin: 2.5,
    carbs: 30,
    syncIdentifier: 'a1'
  }
  const values = async (): Promise<unknown[]> =>
    (await events(alice))
      .filter(({ type }) => !type.startsWith('nightscout/'))
      .map(({ content, type }) => [type, content])
      .toSorted()
  const [stored] = (await ask(alice, loop, 'POST', 'v1/treatments', [bolus])).body
  const { _id: storedId, ...rest } = stored
  t.same(rest, bolus)
  t.same(await values(), [
    ['mass/g', 30],
    ['volume/iu', 2.5]
  ])
  await ask(alice, loop, 'PUT', 'v1/treatments', { ...stored, insulin: 3 })
  t.same(await values(), [
    ['mass/g', 30],
    ['volume/iu', 3]
  ])
  t.same((await ask(alice, loop, 'GET', 'v1/treatments.json')).body, [{ ...stored, insulin: 3 }])
  t.equal((await ask(alice, loop, 'DELETE', 'v1/treatments/*?find[insulin]=3')).status, 400)
  t.match((await ask(alice, loop, 'DELETE', `v1/treatments/${storedId}`)).body, {
    acknowledged: true,
    deletedCount: 1
  })
  t.same(await values(), [])
  t.same((await ask(alice, loop, 'GET', 'v1/treatments')).body, [])
})

t.test('xDrip compresses, and puts treatments with an id of its own', async t => {
  const { alice } = await coffer(t)
  const xdrip = await connect(alice, 'nightscout')
  const secret = createHash('sha1').update(xdrip.token).digest('hex')
  const url = `${alice.service.server.url}/${alice.username}/api/v1/entries`
  const sent = [sgv(recent(), 99)]
  const answer = await fetch(url, {
    method: 'POST',
    body: gzipSync(JSON.stringify(sent)),
    headers: { 'api-secret': secret, 'content-encoding': 'gzip', 'content-type': 'application/json' }
  })
  t.equal(answer.status, 200)
  t.match(await answer.json(), [{ ...sent[0], _id: id }])
  const treatment = {
    _id: '0123456789abcdef01234567',
    uuid: '01234567-89ab',
    eventType: 'Note',
    created_at: isoTime(recent()),
    notes: 'walk'
  }
  t.match(await ask(alice, xdrip, 'PUT', 'v1/treatments', treatment), { status: 200, body: treatment })
  t.same((await ask(alice, xdrip, 'GET', 'v1/treatments?find[uuid]=01234567-89ab')).body, [treatment])
})

t.test('AndroidAPS gets a token, uploads, deduplicates and reads the history', async t => {
  const { alice } = await coffer(t)
  const aaps = await connect(alice, 'nightscout')
  const base = `/${alice.username}/api`
  const { service } = alice
  t.equal(
    (await service.http('GET', `${base}/v3/status`, undefined, { authorization: 'Bearer ' })).status,
    401
  )
  t.equal((await service.http('GET', `${base}/v2/authorization/request/wrong`)).status, 401)
  const { body } = await service.http('GET', `${base}/v2/authorization/request/${aaps.token}`)
  t.match(body, { sub: 'phone', permissionGroups: [['*']], iat: Number, exp: Number })
  const as = async (
    verb: string,
    path: string,
    sent?: unknown
  ): Promise<{ status: number; headers: Headers; body: Answer }> =>
    await service.http(verb, `${base}/v3/${path}`, sent, { authorization: `Bearer ${body.token}` })
  t.match((await as('GET', 'status')).body.result, {
    apiVersion: '3.0.4',
    apiPermissions: { treatments: 'crud' }
  })
  const document = {
    identifier: 'b-1',
    date: recent() * 1000,
    app: 'AAPS',
    eventType: 'Carb Correction',
    carbs: 12,
    created_at: isoTime(recent())
  }
  t.match(await as('POST', 'treatments', document), { status: 201, body: { status: 201, identifier: 'b-1' } })
  t.match(await as('POST', 'treatments', document), { status: 200, body: { isDeduplication: true } })
  t.equal((await as('POST', 'treatments', { ...document, app: '' })).status, 400)
  t.equal((await as('POST', 'treatments', { ...document, date: 1 })).status, 400)
  // Only changes of milliseconds that are over are listed.
  service.clock.advance(1)
  const history = await as('GET', 'treatments/history/0')
  t.match(history.body.result, [document])
  t.equal(history.headers.get('etag'), `W/"${history.body.result[0].srvModified}"`)
  service.clock.advance(1)
  t.equal((await as('DELETE', 'treatments/b-1')).status, 200)
  t.equal((await as('GET', 'treatments/b-1')).status, 410)
  t.equal((await as('GET', 'treatments/none')).status, 404)
  service.clock.advance(1)
  const later = await as('GET', `treatments/history/${history.body.result[0].srvModified}`)
  t.match(later.body.result, [{ identifier: 'b-1', isValid: false }])
})

t.test('levels: some only read, some only send, and nobody reads the data of others', async t => {
  const { alice } = await coffer(t)
  const sender = await connect(alice, 'nightscout', { level: 'create-only' })
  const follower = await connect(alice, 'nightscout', { name: 'watch', level: 'read' })
  await ask(alice, sender, 'POST', 'v1/entries', [sgv(recent())])
  t.equal((await ask(alice, sender, 'GET', 'v1/entries')).status, 403)
  t.equal((await ask(alice, follower, 'POST', 'v1/entries', [sgv(recent())])).status, 403)
  t.match((await ask(alice, follower, 'GET', 'v1/entries')).body, [{ sgv: 120 }])
  t.match((await ask(alice, follower, 'GET', 'v1/verifyauth')).body.message, {
    canRead: true,
    canWrite: false
  })
  t.match((await ask(alice, sender, 'GET', 'v1/verifyauth')).body.message, { canRead: false, canWrite: true })
  const bob = await alice.service.user('bobby')
  t.equal((await ask(bob, follower, 'GET', 'v1/entries')).status, 401)
  const refused = await alice.call('connections.create', { dialect: 'osmand', name: 'x', level: 'read' })
  t.match(refused, { error: { id: 'invalid-parameters-format' } })
})

t.test('commands to a pump are unknown, and hostile documents are refused or kept as they are', async t => {
  const { alice } = await coffer(t)
  const loop = await connect(alice, 'nightscout')
  t.equal(
    (await ask(alice, loop, 'POST', 'v2/notifications/loop', { eventType: 'Remote Bolus Entry' })).status,
    404
  )
  let deep: unknown = 1
  for (let level = 0; level < 2000; level++) deep = [deep]
  for (const body of [1, 'x', [1], [null], '{"sgv": NaN}', [sgv(recent(), 100, { deep })]]) {
    const { status } = await ask(alice, loop, 'POST', 'v1/entries', body)
    t.ok(status === 200 || (status >= 400 && status < 500), `${status}`)
  }
  t.equal((await ask(alice, loop, 'GET', 'v1/entries?find[device][$regex]=(a%2B)%2B$')).status, 400)
  t.equal((await ask(alice, loop, 'GET', 'v1/entries?count=x')).status, 400)
  // Times that do not exist are not times of arrival, nor texts to compare with.
  for (const wrong of ['2026-02-30', '2026-02-30T12:00:00Z', '2026-03-29T12:00:00+99:99']) {
    const query = encodeURIComponent(wrong)
    t.equal((await ask(alice, loop, 'GET', `v1/entries?find[dateString][$gte]=${query}`)).status, 400, wrong)
    const { date: _date, ...undated } = sgv(recent())
    const stored = await ask(alice, loop, 'POST', 'v1/entries', [{ ...undated, dateString: wrong }])
    t.equal(stored.status, 400, wrong)
  }
  // Others are texts, as before: a part of a time, a "+" that was not encoded, several times, and what an app calls a time.
  const texts = ['2023-11-14T', '2023-11-14T20:00:00.000 00:00'].map(
    text => `find[dateString][$gte]=${encodeURIComponent(text)}`
  )
  const dateString = isoTime(recent())
  for (const query of [...texts, `find[dateString][$in]=${dateString}|2023-11-14T12:00:00.000Z`]) {
    await ask(alice, loop, 'POST', 'v1/entries', [sgv(recent())])
    const { body, status } = await ask(alice, loop, 'GET', `v1/entries?${query}`)
    t.equal(status, 200, query)
    t.ok(
      body.some((each: Answer) => each.dateString === dateString),
      query
    )
  }
  for (const unclear of ['2023-11-14 08:13:20 PM', '2023-11-14T20:13:20 CET']) {
    const { date: _date, ...undated } = sgv(recent(), 90)
    const document = { ...undated, dateString: unclear }
    t.equal((await ask(alice, loop, 'POST', 'v1/entries', [document])).status, 200, unclear)
  }
  const named = JSON.parse('{"__proto__": {"a": 1}, "constructor": 1}') as object
  const [stored] = (await ask(alice, loop, 'POST', 'v1/entries', [sgv(recent(), 100, named)])).body
  t.match(stored, { constructor: 1, sgv: 100 })
  t.same((await ask(alice, loop, 'GET', 'v1/entries?find[constructor]=1')).body, [stored])
})
