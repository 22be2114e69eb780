import type { ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { coffer, type Answer, type Client, type Service } from '../../support/coffer.js'
import { receiver } from '../../support/receiver.js'

const url = 'https://hooks.example/coffer'

interface Setup {
  readonly service: Service
  readonly alice: Client
  readonly app: Client
  readonly other: Client
}

async function setUp(t: Test, webhooks = {}): Promise<Setup> {
  const service = await coffer(t, { webhooks: { allowInternalTargets: true, ...webhooks } })
  const { alice } = service
  await alice.stream('diary')
  await alice.stream('work')
  const app = await alice.grant('manage', 'diary', { type: 'app' })
  const other = await alice.grant('read', 'diary')
  return { service, alice, app, other }
}

/** Returns the ids of the webhooks that a client can list. */
async function listed(client: Client): Promise<string[]> {
  return (await client.do('webhooks.get')).webhooks.map((webhook: Answer) => webhook.id)
}

function scopes(streamId: string): unknown {
  return { k: { kind: 'events', query: { streams: [streamId] } } }
}

t.test('webhooks.create', async t => {
  const { alice, app, other, service } = await setUp(t, { maxPerUser: 6 })

  t.test('returns the webhook in its initial state', async t => {
    const { body, status } = await app.http('POST', '/webhooks', { url })
    t.equal(status, 201)
    const now = service.clock.now()
    t.match(body.webhook, {
      id: /^c/,
      accessId: app.access.id,
      url,
      state: 'active',
      runCount: 0,
      failCount: 0,
      lastRun: { status: 0, timestamp: 0 },
      runs: [],
      currentRetries: 0,
      maxRetries: 5,
      minIntervalMs: 5000,
      createdBy: app.access.id,
      modifiedBy: app.access.id
    })
    t.ok(Math.abs(body.webhook.created - now) < 1)
    t.notOk('secret' in body.webhook)
  })

  t.test('is allowed for shared accesses, including create-only ones', async t => {
    t.match(await other.call('webhooks.create', { url }), { webhook: { accessId: other.access.id } })
    const sensor = await alice.grant('create-only', 'diary')
    t.match(await sensor.call('webhooks.create', { url }), { webhook: { state: 'active' } })
  })

  t.test('is refused for personal accesses', async t => {
    t.match(await alice.call('webhooks.create', { url }), { error: { id: 'forbidden' }, status: 403 })
  })

  t.test('is refused for a URL that the access already uses', async t => {
    t.match(await app.call('webhooks.create', { url }), {
      error: { id: 'item-already-exists', data: { url } },
      status: 409
    })
  })

  const bad: unknown[] = [
    {},
    null,
    [],
    { url: 1 },
    { url: null },
    { url: '' },
    { url: 'no url' },
    { url: 'ftp://a.example' },
    { url: 'javascript:alert(1)' },
    { url: 'file:///etc/passwd' },
    { url: 'http://' },
    { url: 'https://me:secret@a.example' },
    { url: `https://a.example/${'x'.repeat(3000)}` },
    { url: 'https://a.example', state: 'active' },
    { url: 'https://a.example', id: 'x' },
    { url: 'https://a.example', signed: 'yes' },
    { url: 'https://a.example', scopes: [] },
    { url: 'https://a.example', scopes: { k: { kind: 'all' } } }
  ]
  for (const params of bad)
    t.test(`is refused with ${JSON.stringify(params).slice(0, 60)}`, async t => {
      t.match(await app.call('webhooks.create', params), { error: { id: 'invalid-parameters-format' } })
    })

  t.test('returns a secret once, to verify signed calls', async t => {
    const { webhook } = await app.do('webhooks.create', { url: `${url}/signed`, signed: true })
    t.match(webhook, { signed: true, secret: /^[\w-]{43}$/ })
    for (const method of ['webhooks.getOne', 'webhooks.test'])
      t.notMatch(JSON.stringify(await app.call(method, { id: webhook.id })), webhook.secret)
    t.notMatch(JSON.stringify(await app.do('webhooks.get')), webhook.secret)
  })

  t.test('accepts scopes within the permissions of the access', async t => {
    t.match(await app.call('webhooks.create', { url: `${url}/1`, scopes: scopes('work') }), {
      error: { id: 'forbidden' }
    })
    t.match(await app.call('webhooks.create', { url: `${url}/2`, scopes: scopes('unknown') }), {
      error: { id: 'unknown-referenced-resource' }
    })
    t.match(await app.call('webhooks.create', { url: `${url}/3`, scopes: scopes('diary') }), {
      webhook: { scopes: { k: { kind: 'events' } } }
    })
  })

  t.test('is refused above the limit per user', async t => {
    t.match(await app.call('webhooks.create', { url: `${url}/6` }), { webhook: {} })
    t.match(await app.call('webhooks.create', { url: `${url}/7` }), { error: { id: 'invalid-operation' } })
    t.equal((await alice.do('webhooks.get')).webhooks.length, 6, 'refusals leave nothing behind')
  })
})

t.test('webhooks.get', async t => {
  const { alice, app, other } = await setUp(t)
  const a = (await app.do('webhooks.create', { url: `${url}/a` })).webhook
  const b = (await other.do('webhooks.create', { url: `${url}/b` })).webhook
  const c = (await app.do('webhooks.create', { url: `${url}/c` })).webhook
  t.same(await listed(alice), [a.id, b.id, c.id], 'shows all to personal accesses, by modification')
  await app.do('webhooks.update', { id: a.id, update: { state: 'active' } })
  t.same(await listed(alice), [b.id, c.id, a.id])
  t.same(await listed(app), [c.id, a.id], 'shows apps what they created')
  t.same(await listed(other), [b.id], 'shows shared accesses what they created')
  t.match((await app.http('GET', '/webhooks')).body, { webhooks: [{ id: c.id }, { id: a.id }] })
  t.match(await app.call('webhooks.get', { all: true }), { error: { id: 'invalid-parameters-format' } })

  t.test('webhooks.getOne', async t => {
    t.match((await app.http('GET', `/webhooks/${a.id}`)).body, { webhook: { id: a.id, url: a.url } })
    t.match(await alice.call('webhooks.getOne', { id: a.id }), { webhook: { id: a.id } })
    t.match(await other.call('webhooks.getOne', { id: a.id }), { error: { id: 'forbidden' }, status: 403 })
    t.match(await app.call('webhooks.getOne', { id: 'x' }), { error: { id: 'unknown-resource' } })
    t.match(await app.call('webhooks.getOne', {}), { error: { id: 'invalid-parameters-format' } })
  })
})

t.test('webhooks.update', async t => {
  const { alice, app, other } = await setUp(t)
  const { webhook } = await app.do('webhooks.create', { url })
  const { id } = webhook
  const update = (client: Client, fields: unknown): Promise<Answer> =>
    client.call('webhooks.update', { id, update: fields })

  t.test('changes the state', async t => {
    t.match(await update(app, { state: 'inactive' }), { webhook: { state: 'inactive' } })
    const { body } = await alice.http('PUT', `/webhooks/${id}`, { state: 'active' })
    t.match(body, { webhook: { state: 'active', currentRetries: 0, modifiedBy: alice.access.id } })
  })

  t.test('changes the URL, unless the access already uses it', async t => {
    await app.do('webhooks.create', { url: `${url}/2` })
    t.match(await update(app, { url: `${url}/2` }), { error: { id: 'item-already-exists' }, status: 409 })
    t.match(await update(alice, { url: `${url}/2` }), { error: { id: 'item-already-exists' } })
    t.match(await update(alice, { url: `${url}/3` }), { webhook: { url: `${url}/3` } })
    t.match(await update(app, { url: 'gopher://x' }), { error: { id: 'invalid-parameters-format' } })
  })

  t.test('changes scopes within the permissions of the creating access, for any caller', async t => {
    t.match(await update(alice, { scopes: scopes('work') }), { error: { id: 'forbidden' } })
    t.match(await update(alice, { scopes: scopes('diary') }), { webhook: { scopes: scopes('diary') } })
    t.match(await update(app, { state: 'active' }), { webhook: { scopes: scopes('diary') } })
    t.notOk('scopes' in (await update(app, { scopes: null })).webhook)
  })

  for (const field of ['id', 'accessId', 'runCount', 'runs', 'currentRetries', 'minIntervalMs', 'secret'])
    t.test(`is refused for ${field}`, async t => {
      t.match(await update(app, { [field]: 1 }), { error: { id: 'forbidden' }, status: 403 })
    })

  t.test('is refused to other accesses, for unknown webhooks, and for invalid params', async t => {
    t.match(await update(other, { state: 'active' }), { error: { id: 'forbidden' } })
    t.match(await app.call('webhooks.update', { id: 'x', update: {} }), { error: { id: 'unknown-resource' } })
    t.match(await update(app, { state: 'asleep' }), { error: { id: 'invalid-parameters-format' } })
    for (const field of ['x', '__proto__', 'constructor'])
      t.match(
        await update(app, JSON.parse(`{ "${field}": 1 }`)),
        {
          error: { id: 'invalid-parameters-format', data: [{ path: '#/update', params: [field] }] },
          status: 400
        },
        field
      )
    t.match(await update(app, null), { error: { id: 'invalid-parameters-format' } })
    t.match(await app.do('webhooks.getOne', { id }), { webhook: { state: 'active', url: `${url}/3` } })
  })
})

t.test('webhooks.delete', async t => {
  const { alice, app, other, service } = await setUp(t)
  const { webhook } = await app.do('webhooks.create', { url })
  const { id } = webhook
  t.match(await other.call('webhooks.delete', { id }), { error: { id: 'forbidden' } })
  t.match((await app.http('DELETE', `/webhooks/${id}`)).body, {
    webhookDeletion: { id, deleted: service.clock.now() }
  })
  t.match(await app.call('webhooks.delete', { id }), { error: { id: 'unknown-resource' }, status: 404 })
  const again = (await app.do('webhooks.create', { url })).webhook
  t.match(await alice.call('webhooks.delete', { id: again.id }), { webhookDeletion: { id: again.id } })

  t.test('happens when the access, or the one that shared it, is deleted', async t => {
    const shared = await app.grant('read', 'diary')
    await app.do('webhooks.create', { url })
    await shared.do('webhooks.create', { url })
    const kept = (await other.do('webhooks.create', { url })).webhook
    await alice.do('accesses.delete', { id: app.access.id })
    t.match((await alice.do('webhooks.get')).webhooks, [{ id: kept.id }])
    t.equal((await alice.do('webhooks.get')).webhooks.length, 1)
  })
})

t.test('webhooks.test', async t => {
  const { alice, app, other, service } = await setUp(t, { timeoutMs: 300 })
  const target = await receiver(t)
  const { webhook } = await app.do('webhooks.create', { url: `${target.url}/hook?key=secret` })
  const { id } = webhook

  t.test('sends the message immediately, without counting a run', async t => {
    const { body, status } = await app.http('POST', `/webhooks/${id}/test`)
    t.equal(status, 200)
    t.match(body, { webhook: { id, runCount: 0, runs: [] }, meta: {} })
    t.match(target.deliveries, [
      {
        path: 'POST /hook?key=secret',
        headers: { 'content-type': /^application\/json/ },
        body: {
          messages: ['test'],
          meta: { apiVersion: '1.6.21', serverTime: service.clock.now(), serial: String }
        }
      }
    ])
    t.match(await alice.call('webhooks.test', { id }), { webhook: { id } })
  })

  t.test('is refused if the URL does not respond as required', async t => {
    const refused = {
      error: { id: 'unknown-referenced-resource', data: { url: webhook.url } },
      status: 400
    }
    for (const status of [301, 400, 404, 500]) {
      target.answer = status
      t.match(await app.call('webhooks.test', { id }), refused, String(status))
    }
    target.answer = response => void response.socket?.destroy()
    t.match(await app.call('webhooks.test', { id }), refused, 'a broken connection')
    target.answer = () => {}
    t.match(await app.call('webhooks.test', { id }), refused, 'no answer in time')
    target.answer = response => void response.writeHead(200).write('x')
    t.match(await app.call('webhooks.test', { id }), refused, 'an answer without end')
    const gone = (await app.do('webhooks.create', { url: 'http://127.0.0.1:1/' })).webhook
    t.match(await app.call('webhooks.test', { id: gone.id }), { error: { data: { url: gone.url } } })
    t.match(await app.do('webhooks.getOne', { id }), { webhook: { runCount: 0, failCount: 0 } })
  })

  t.test('is refused if too many tests of the user are pending', async t => {
    const { alice, app, service } = await setUp(t)
    const target = await receiver(t)
    const held: ServerResponse[] = []
    target.answer = response => void held.push(response)
    const { webhook } = await app.do('webhooks.create', { url: target.url })
    const asked = Array.from({ length: 50 }, () => app.call('webhooks.test', { id: webhook.id }))
    const bob = await service.user('bobby')
    await bob.stream('diary')
    const others = await bob.grant('read', 'diary')
    const own = (await others.do('webhooks.create', { url: target.url })).webhook
    const other = others.call('webhooks.test', { id: own.id })
    const release = setInterval(() => held.splice(0).forEach(response => response.end()), 5)
    const answers = await Promise.all(asked)
    t.match(await other, { webhook: { id: own.id } })
    clearInterval(release)
    const refused = answers.filter(({ error }) => error)
    t.equal(refused.length, 30)
    for (const each of refused) t.match(each, { status: 429, error: { id: 'too-many-requests' } })
    target.answer = 200
    t.match(await alice.call('webhooks.test', { id: webhook.id }), { webhook: { id: webhook.id } })
  })

  t.test('does not follow redirects', async t => {
    const elsewhere = await receiver(t)
    target.answer = response => void response.writeHead(307, { location: `${elsewhere.url}/other` }).end()
    t.match(await app.call('webhooks.test', { id }), { error: { id: 'unknown-referenced-resource' } })
    t.same(elsewhere.deliveries, [])
  })

  t.test('is refused to other accesses and for unknown webhooks, without a call', async t => {
    const before = target.deliveries.length
    t.match(await other.call('webhooks.test', { id }), { error: { id: 'forbidden' } })
    t.match(await app.call('webhooks.test', { id: 'x' }), { error: { id: 'unknown-resource' } })
    t.equal(target.deliveries.length, before)
  })
})

t.test('internal addresses are called only if the settings allow it', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const app = await alice.grant('read', 'diary')
  const target = await receiver(t)
  const { port } = target
  const hosts = [
    '127.0.0.1',
    'localhost',
    '0.0.0.0',
    '[::1]',
    '[::]',
    '0x7f000001',
    '2130706433',
    '127.1',
    '[::ffff:127.0.0.1]',
    '10.0.0.1',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '[fe80::1]',
    '[fc00::1]',
    '[64:ff9b::7f00:1]',
    '[2002:7f00:1::]',
    '[::7f00:1]',
    '[::ffff:0:7f00:1]',
    '[64:ff9b:1::7f00:1]',
    '[2a00::5efe:7f00:1]',
    '224.0.0.1',
    '255.255.255.255'
  ]
  for (const host of hosts) {
    const { webhook } = await app.do('webhooks.create', { url: `http://${host}:${port}/` })
    t.match(
      await app.call('webhooks.test', { id: webhook.id }),
      { error: { data: { url: webhook.url } } },
      host
    )
  }
  t.same(target.deliveries, [])
})
