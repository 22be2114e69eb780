/** What requests of apps cannot do: block the service, lose values, or change what users have entered. */
import { createHash } from 'node:crypto'
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { coffer, openCoffer, type Answer } from '../../support/coffer.js'
import { connect, events, look, points, send } from './connecting.js'

const noon = 1_700_000_000

t.test('a body of millions of entries is refused before it is read', async t => {
  const { alice } = await coffer(t)
  for (const [dialect, body] of [
    ['owntracks', `[${'{},'.repeat(1_000_000)}{}]`],
    ['hc-webhook', `{${Array.from({ length: 500_000 }, (_, n) => `"k${n}":[1]`).join()}}`],
    ['influx', 'm f=1 1\n'.repeat(500_000)]
  ] as const) {
    const { id, token } = await connect(alice, dialect)
    const path = dialect === 'influx' ? 'influx/api/v2/write' : dialect
    const response = await fetch(`${alice.service.server.url}/alice/from/${path}`, {
      method: 'POST',
      body: gzipSync(body),
      headers: { authorization: `Bearer ${token}`, 'content-encoding': 'gzip' }
    })
    t.equal(response.status, 400, dialect)
    t.match(((await response.json()) as Answer).error.message, /more than 400000 entries/)
    t.match(await look(alice, { id }), { received: 0, lastProblem: { message: /entries/ } })
  }
  t.same(await events(alice), [])
})

t.test('bodies at the root of the service count for the account of their secret', async t => {
  const service = await openCoffer(t, { limits: { bodiesBytes: 256 * 1024 } })
  const { port } = new URL(service.server.url)
  const body = JSON.stringify([{ type: 'sgv', sgv: 120, date: noon * 1000, notes: 'x'.repeat(40_000) }])
  const [first, second] = await Promise.all(
    ['bobby', 'carol'].map(async name => {
      const { token } = await connect(await service.user(name), 'nightscout')
      return createHash('sha1').update(token).digest('hex')
    })
  )
  // Takes the whole share of an account, and never ends.
  const slow = request({ port, method: 'POST', path: '/api/v1/entries', headers: { 'api-secret': first } })
  t.teardown(() => slow.destroy())
  slow.on('error', () => undefined)
  await new Promise(resolve => slow.write(Buffer.alloc(120_000, ' '), resolve))
  for (let n = 0; n < 3; n++) {
    const sent = await service.http('POST', '/api/v1/entries', body, {
      'api-secret': second!,
      'content-type': 'application/json'
    })
    t.equal(sent.status, 200, JSON.stringify(sent.body).slice(0, 200))
  }
})

t.test('kinds that are not understood are counted by name up to a limit', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'hc-webhook')
  const body = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`kind${n}`, [{}]]))
  t.equal((await send(alice, 'hc-webhook', connection, { timestamp: 'x', ...body })).status, 200)
  const { notUnderstood } = await look(alice, connection)
  t.ok(Object.keys(notUnderstood).length <= 1001)
  t.ok(notUnderstood['…'] >= 2000)
})

t.test('values without a time are of their arrival, also if they equal earlier ones', async t => {
  const { alice, clock } = await coffer(t)
  const mapping = { value: '/t', type: 'temperature/c', stream: 'Temp' }
  const connection = await connect(alice, 'json', { mapping })
  for (const value of [21, 22, 21, 22, 21]) {
    for (const _ of ['sent', 'sent again at once'])
      t.equal((await send(alice, 'json', connection, { t: value })).status, 200)
    clock.advance(60)
  }
  t.same(
    (await events(alice)).map(({ content }) => content),
    [21, 22, 21, 22, 21]
  )
})

t.test('a Nightscout treatment keeps its values when it returns to an earlier version', async t => {
  const { alice } = await coffer(t)
  const connection = await connect(alice, 'nightscout')
  const secret = createHash('sha1').update(connection.token).digest('hex')
  const ask = async (verb: string, path: string, body?: unknown) =>
    await alice.service.http(verb, `/alice/from/nightscout/api/v1/${path}`, body, { 'api-secret': secret })
  const id = '65f000000000000000000001'
  const post = async (insulin: number): Promise<void> => {
    const document = { _id: id, eventType: 'Correction Bolus', insulin, created_at: '2023-11-14T12:00:00Z' }
    t.equal((await ask('POST', 'treatments', [document])).status, 200)
  }
  const doses = async (): Promise<unknown[]> =>
    (await events(alice)).filter(({ type }) => type === 'volume/iu').map(({ content }) => content)
  for (const insulin of [2, 3, 2]) {
    await post(insulin)
    t.same(await doses(), [insulin])
  }
  t.equal((await ask('DELETE', `treatments/${id}`)).status, 200)
  t.same(await doses(), [])
  await post(2)
  t.same(await doses(), [2], 'deleted and sent again')
  const values = Array.from({ length: 700 }, () => '2001-01-01').join()
  t.equal((await ask('GET', `treatments?find[created_at][$in]=${values}`)).status, 400)
  t.equal((await ask('POST', 'treatments', `{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`)).status, 400)
})

t.test('apps change only what they have sent', async t => {
  const { alice } = await coffer(t)
  const scale = await connect(alice, 'openscale')
  const editor = await connect(alice, 'wakatime')
  await send(alice, 'openscale', scale, {
    event: 'insert',
    userId: 1,
    weight: 71,
    date: '2023-11-14T12:00:00Z'
  })
  const [weight] = await events(alice)
  const note = await alice.event({ streamIds: weight!.streamIds, type: 'note/txt', content: 'by hand' })
  await send(alice, 'openscale', scale, { event: 'clear', userId: 1 })
  t.same(
    (await events(alice)).map(({ id }) => id),
    [note.id]
  )
  const beat = async (time: number): Promise<void> =>
    void (await alice.service.http(
      'POST',
      '/alice/from/wakatime/users/current/heartbeats',
      { entity: 'x', project: 'p', time, type: 'file' },
      { authorization: `Bearer ${editor.token}` }
    ))
  await beat(noon)
  const [own] = (await events(alice)).filter(({ description }) => description === 'p')
  const { streamIds, type } = own!
  const byHand = [600, 1400].map(
    async after =>
      await alice.event({
        streamIds,
        type,
        description: 'p',
        time: noon + after,
        duration: 300,
        content: own!.content
      })
  )
  await Promise.all(byHand)
  await beat(noon + 1000)
  t.match(
    (await events(alice)).filter(({ time }) => time === noon + 600 || time === noon + 1400),
    [{ duration: 300 }, { duration: 300 }]
  )
})

t.test('only the service marks the access of a connection', async t => {
  const { alice } = await coffer(t)
  const clientData = { 'coffer:connection': 'x' }
  const permissions = [{ streamId: 'diary', level: 'manage' }]
  for (const type of ['app', 'shared'])
    t.match(await alice.call('accesses.create', { type, name: 'app', permissions, clientData }), {
      error: { id: 'invalid-operation', message: /coffer:connection/ }
    })
  const app = await alice.grantAll([{ streamId: 'diary', level: 'manage' }], { type: 'app' })
  for (const key of ['coffer:oauth', 'coffer:anything', 'dpop'])
    t.match(await app.call('accesses.create', { name: 'x', permissions, clientData: { [key]: {} } }), {
      error: { id: 'invalid-operation', message: `The client data "${key}" can only be set by the service` }
    })
  const asked = { requestingAppId: 'example-app', requestedPermissions: permissions, clientData }
  t.match(await alice.service.http('POST', '/reg/access', asked), {
    status: 400,
    body: { error: { message: /coffer:connection/ } }
  })
})

t.test('forms of lanes are remembered, however many new ones arrive', async t => {
  const { alice } = await openCoffer(t)
  const { accounts } = alice.service.server.services
  const store = accounts.openStore(accounts.find('alice')!)
  const connection = await connect(alice, 'influx')
  const write = async (...lines: string[]): Promise<number> => {
    const { token } = connection
    const path = '/alice/from/influx/api/v2/write?precision=s'
    const headers = { authorization: `Bearer ${token}` }
    const { status } = await alice.service.http('POST', path, lines.join('\n'), headers)
    return status
  }
  t.equal(await write(`known f=1 ${noon}`), 204)
  const known = store.imports.listMemory('form:')
  t.match(known, [{ value: 'series' }])
  await store.write(() => {
    for (let n = 0; n < 42; n++) store.imports.setMemory(`form:${n} ${'x'.repeat(99_990)}`, 'events')
  })
  t.equal(await write(`new f=1 ${noon}`, `known f=2 ${noon + 1}`), 204)
  t.match(store.imports.listMemory(known[0]!.name), known, 'still remembered')
  // A lane that is not remembered stays what it is.
  t.equal(await write(`new f=2 ${noon + 1}`), 204)
  t.equal((await points(alice)).length, 4)
  const lines = Array.from({ length: 2001 }, (_, n) => `m${n} f=1 ${noon}`)
  t.equal(await write(...lines), 400)
  t.match(await look(alice, connection), {
    lastProblem: { id: 'invalid-request-structure', message: /2000 series at most/ }
  })
})
