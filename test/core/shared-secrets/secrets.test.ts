/** Secrets that are handed over once: keys, proofs, what is stored, who sees what. (docs/spec/shared-secrets.md) */
import { createHash, createHmac, randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { Client, openCoffer, type Answer, type Service } from '../../support/coffer.js'
import { AccountReader } from '../../../storage/transfer/account-reader.js'
import { eraseExpiredSecrets } from '../../../core/platform/retention.js'

const onConsumed = { message: 'It has been taken', returnUrl: 'https://app.example.com/again' }
const value = 'the-hidden-value-7f3a'
const fields = (more: object = {}): object => ({
  ttl: 3600,
  title: 'Token',
  onConsumed,
  secret: value,
  ...more
})

const service = await openCoffer(t, { sharedSecrets: { maxTriesPerMinute: 1_000_000 } })
const { alice, clock } = service
await alice.stream('diary')

async function share(by: Client = alice, more: object = {}): Promise<Answer> {
  return (await by.do('sharedSecrets.create', fields(more))).sharedSecret
}

/** Retrieves by HTTP, without a token. */
async function retrieve(key: unknown, signature?: object, user = 'alice', at: Service = service) {
  const { body, status } = await at.http('POST', `/${user}/shared-secrets/retrieve`, { key, signature })
  const { meta: _meta, ...rest } = body
  return { status, ...rest }
}

const statusOf = async (key: string): Promise<Answer> =>
  (await alice.http('POST', '/shared-secrets/status', { key })).body.sharedSecret

const hmac = (key: string, pin: string): object => ({
  type: 'hmac-sha256',
  payload: createHmac('sha256', pin).update(key.split('.')[1]!).digest('hex')
})
const plain = (payload: string): object => ({ type: 'secret', payload })

const list = async (by: Client, streams?: unknown): Promise<Answer[]> =>
  (await by.do('events.get', { streams, limit: 1000 })).events

const treeOf = async (by: Client): Promise<Answer[]> => (await by.do('streams.get')).streams

const unavailable = {
  status: 403,
  error: {
    id: 'forbidden',
    message: onConsumed.message,
    data: { id: 'shared-secret-unavailable', returnUrl: onConsumed.returnUrl }
  }
}
const unknown = { status: 404, error: { id: 'unknown-resource', message: 'Unknown key' } }

t.test('a secret is created with 201, retrieved once, and unavailable then', async t => {
  const { body, status } = await alice.http('POST', '/shared-secrets', fields())
  t.equal(status, 201)
  const { key } = body.sharedSecret
  t.match(await retrieve(key), { status: 200, secret: value })
  t.strictSame(await retrieve(key), unavailable)
  t.match(await statusOf(key), {
    status: 'consumed',
    statusHistory: [{ status: 'pending' }, { status: 'consumed' }]
  })
})

t.test('a secret may be any JSON except null', async t => {
  for (const secret of [false, 0, '', [], { a: [null] }]) {
    const { key } = await share(alice, { secret })
    t.strictSame(await retrieve(key), { status: 200, secret })
  }
})

t.test('every wrong key gets the same response, of unknown users too', async t => {
  const { key } = await share()
  const [id, random] = key.split('.')
  const keys = [
    `${id}.${'x'.repeat(43)}`,
    `${id}.${random}x`,
    `${id.slice(0, -1)}${id.endsWith('x') ? 'y' : 'x'}.${random}`,
    id,
    '',
    null,
    { key }
  ]
  for (const wrong of keys) t.strictSame(await retrieve(wrong), unknown, String(wrong))
  t.strictSame(await retrieve(key, undefined, 'nobody-here'), unknown)
  t.match(await retrieve(key), { status: 200 }, 'none of them has touched the secret')
})

t.test('a proof', async t => {
  for (const type of ['secret', 'hmac-sha256']) {
    const proof = (key: string, pin: string): object => (type === 'secret' ? plain(pin) : hmac(key, pin))
    const signature = { type, value: '4711' }
    t.test(`by ${type} opens the secret`, async t => {
      const { key } = await share(alice, { signature })
      t.strictSame(await retrieve(key), unavailable, 'without a proof it stays')
      t.match(await retrieve(key, proof(key, '4711')), { status: 200, secret: value })
    })
    t.test(`by ${type} discards the secret if it is wrong`, async t => {
      const { key } = await share(alice, { signature })
      t.strictSame(await retrieve(key, proof(key, '4712')), unavailable)
      t.strictSame(await retrieve(key, proof(key, '4711')), unavailable)
      t.match(await statusOf(key), {
        status: 'discarded',
        statusHistory: [{}, { status: 'discarded', info: 'Secret does not match' }]
      })
    })
  }
  t.test('of another type is wrong', async t => {
    const { key } = await share(alice, { signature: { type: 'hmac-sha256', value: '4711' } })
    t.strictSame(await retrieve(key, plain('4711')), unavailable)
    t.match(await statusOf(key), { status: 'discarded' })
  })
  t.test('survives no batch either', async t => {
    const { key } = await share(alice, { signature: { type: 'secret', value: '4711' } })
    const calls = ['4712', '4711'].map(pin => ({
      method: 'sharedSecrets.retrieve',
      params: { key, signature: plain(pin) }
    }))
    const { body } = await alice.http('POST', '/', calls)
    t.match(body.results, [{ error: unavailable.error }, { error: unavailable.error }])
  })
})

t.test('a key of which the client has made the random half', async t => {
  const random = randomBytes(24).toString('base64url')
  const { id, key } = await share(alice, { keyHash: createHash('sha256').update(random).digest('hex') })
  t.equal(key, undefined)
  t.match(await retrieve(`${id}.${random}`), { status: 200, secret: value })
})

t.test('an expired secret is discarded', async t => {
  const { id, key } = await share(alice, { ttl: 10 })
  clock.advance(11)
  t.match(await statusOf(key), {
    status: 'discarded',
    expired: true,
    statusHistory: [{}, { info: 'expired' }]
  })
  const store = storeOf()
  t.ok(store.sharedSecrets.findValue(id))
  t.strictSame(await retrieve(key), unavailable)
  t.notOk(store.sharedSecrets.findValue(id), 'its value is erased by the attempt')
  const other = await share(alice, { ttl: 10 })
  clock.advance(11)
  await eraseExpiredSecrets(service.server.services, accountOf())
  t.notOk(store.sharedSecrets.findValue(other.id), 'or by the daily job')
  t.match(await statusOf(other.key), { status: 'discarded', expired: true })
})

t.test('of fifty pairs of retrievals at once, one of each pair succeeds', async t => {
  for (let round = 0; round < 50; round++) {
    const { key } = await share()
    const both = await Promise.all([retrieve(key), retrieve(key)])
    t.strictSame(both.map(({ status }) => status).toSorted(), [200, 403])
  }
})

t.test('secrets are read as events', async t => {
  const app = await alice.grantAll([{ streamId: '*', level: 'manage' }], { type: 'app', name: 'an-app' })
  const reader = await alice.grant('read', '*')
  const shared = await app.grant('read', 'diary')
  const byApp = await share(app, { title: 'From an app' })
  const byShare = await share(shared, { title: 'From a share' })
  const streamId = `:_shared-secrets:${app.access.id}`

  t.match((await list(app, [streamId])).at(0), {
    id: byApp.id,
    streamIds: [streamId],
    type: 'shared-secret/item',
    content: { title: 'From an app', status: 'pending' },
    createdBy: app.access.id
  })
  t.match(await list(app, [':_shared-secrets:']), { length: 1 }, 'an access sees its own')
  t.match(await list(shared, [':_shared-secrets:']), [{ id: byShare.id }])
  t.ok((await list(alice, [':_shared-secrets:'])).length > 50, 'the user sees all')
  t.match(await list(alice, [{ any: [':_shared-secrets:'], not: [`:_shared-secrets:${alice.access.id}`] }]), {
    length: 2
  })
  for (const by of [alice, app, reader])
    t.notOk(
      (await list(by)).some(({ type }) => type === 'shared-secret/item'),
      '`*` does not cover them'
    )
  t.match(await reader.call('events.get', { streams: [streamId] }), { error: { id: 'forbidden' } })
  t.match(await reader.call('events.getOne', { id: byApp.id }), { error: { id: 'unknown-resource' } })
  t.match(await app.do('events.getOne', { id: byApp.id, includeHistory: true }), {
    event: { id: byApp.id },
    history: []
  })
  t.match((await treeOf(app)).at(-1), { id: streamId, parentId: null })
  t.match((await treeOf(alice)).at(-1), { id: ':_shared-secrets:', children: { length: 3 } })
  t.notOk((await treeOf(reader)).some(({ id }) => id.startsWith(':_shared')))
  const newcomer = await service.user('newcomer')
  t.notOk(
    (await treeOf(newcomer)).some(({ id }) => id.startsWith(':_shared')),
    'before the first use there are none'
  )
})

t.test('secrets change by their own methods only', async t => {
  const { id } = await share()
  const own = `:_shared-secrets:${alice.access.id}`
  const refusals: [string, object, string][] = [
    ['events.create', { streamIds: [own], type: 'note/txt', content: 'x' }, 'reserved-stream'],
    ['events.create', { streamIds: ['diary'], type: 'shared-secret/item', content: {} }, 'reserved-type'],
    ['events.update', { id, update: { content: {} } }, 'immutable'],
    ['streams.create', { id: `${own}x`, name: 'x' }, 'reserved-stream'],
    ['streams.create', { id: 'below', name: 'x', parentId: own }, 'reserved-stream'],
    ['streams.update', { id: own, update: { name: 'x' } }, 'reserved-stream'],
    ['streams.delete', { id: own }, 'reserved-stream']
  ]
  const note = await alice.event()
  refusals.push(
    ['events.update', { id: note.id, update: { streamIds: [own] } }, 'reserved-stream'],
    ['events.update', { id: note.id, update: { type: 'shared-secret/item' } }, 'reserved-type']
  )
  for (const [method, params, name] of refusals)
    t.match(await alice.call(method, params), {
      error: { id: 'forbidden', data: { id: `shared-secret-${name}` } }
    })
  t.match(await alice.call('events.create', { id, streamIds: ['diary'], type: 'note/txt', content: 'x' }), {
    error: { id: 'item-already-exists' }
  })
})

t.test('deleting', async t => {
  const { id, key } = await share()
  const stranger = await alice.grant('manage', '*')
  t.match(await stranger.call('events.delete', { id }), { error: { id: 'unknown-resource' } })
  t.match(await alice.do('events.delete', { id }), { event: { content: { status: 'discarded' } } })
  t.strictSame(await retrieve(key), unavailable)
  t.match(await statusOf(key), { statusHistory: [{}, { info: 'deleted' }] })
  t.match(await alice.do('events.delete', { id }), { eventDeletion: { id } })
  t.strictSame(await retrieve(key), unknown)
})

t.test('an access whose permissions forbid it cannot share secrets', async t => {
  const forbidden = { feature: 'secretSharing', setting: 'forbidden' } as const
  const app = await alice.grantAll([{ streamId: 'diary', level: 'manage' }, forbidden], {
    type: 'app',
    name: 'mute'
  })
  const below = await app.grant('read', 'diary')
  for (const by of [app, below])
    t.match(await by.call('sharedSecrets.create', fields()), {
      error: { id: 'forbidden', data: { id: 'shared-secret-forbidden' } }
    })
})

t.test('the value is on no disk, in no list and in no record', async t => {
  const random = randomBytes(24).toString('base64url')
  const keyHash = createHash('sha256').update(random).digest('hex')
  await share(alice, { secret: 'made-by-the-service' })
  const { id } = await share(alice, { secret: 'made-by-the-client', keyHash })
  const texts = async (): Promise<string> => {
    const all = await alice.do('events.get', { streams: [':_shared-secrets:', ':_audit:'], limit: 10_000 })
    const found = await alice.do('events.get', { text: 'made', limit: 100 })
    return JSON.stringify([all, found, await alice.do('streams.get')])
  }
  t.notMatch(await texts(), /made-by/)
  t.match(filesOf(service), 'made-by-the-client', 'a value under the key of a client is stored as it is')
  t.notMatch(filesOf(service), /made-by-the-service/)
  const exported = join(t.testdir(), 'account.sqlite')
  await storeOf().copyTo(exported)
  const reader = new AccountReader(exported, { includesSecrets: true, original: exported })
  const rows = Buffer.concat([...reader.lines('shared_secret')]).toString()
  reader.close()
  t.notMatch(rows, id, 'archives contain no pending secret')
  t.match(rows, '"isPending":0')
  await retrieve(`${id}.${random}`)
  t.notOk(storeOf().sharedSecrets.findValue(id))
  const copy = join(t.testdir(), 'copy.sqlite')
  await storeOf().copyTo(copy)
  t.notMatch(readFileSync(copy, 'latin1'), /made-by-the-client/, 'nothing of it is left in free pages')
  const { records } = await auditOf(t)
  const retrievals = records.filter(({ content }: Answer) => content.action === 'sharedSecrets.retrieve')
  t.ok(retrievals.length > 0)
  t.ok(retrievals.every(({ streamIds }: Answer) => !streamIds.join().includes(alice.access.id)))
  t.notMatch(JSON.stringify(records), new RegExp(`made-by|${random}`))
})

async function auditOf(_t: Test): Promise<{ records: Answer[] }> {
  const { events } = await alice.do('events.get', { streams: [':_audit:'], limit: 10_000 })
  return { records: events }
}

t.test('attempts are limited by account and address', async t => {
  const limited = await openCoffer(t)
  const params = { key: 'x' }
  const attempt = async (user: string, ip: string): Promise<number> =>
    (await limited.call(user, 'sharedSecrets.retrieve', params, undefined, { ip })).status
  for (const user of ['alice', 'nobody-here']) {
    for (let count = 0; count < 20; count++) t.equal(await attempt(user, '192.0.2.1'), 404)
    t.equal(await attempt(user, '192.0.2.1'), 429)
    t.equal(await attempt(user, '192.0.2.2'), 404, 'others need not wait')
    limited.clock.advance(61)
    t.equal(await attempt(user, '192.0.2.1'), 404)
  }
})

t.test('where secrets are turned off', async t => {
  const off = await openCoffer(t, { sharedSecrets: { enabled: false } })
  for (const path of ['', '/retrieve', '/status'])
    t.match(await off.alice.http('POST', `/shared-secrets${path}`, {}), {
      status: 451,
      body: { error: { id: 'unavailable-method' } }
    })
  const { features } = (await off.http('GET', '/service/info')).body
  t.equal(features.sharedSecrets, false)
  t.equal((await service.http('GET', '/service/info')).body.features.sharedSecrets, true)
})

function accountOf() {
  return service.server.services.accounts.find('alice')!
}

function storeOf() {
  return service.server.services.accounts.openStore(accountOf())
}

/** Returns the bytes of all files of a service. */
function filesOf({ directory }: Service): string {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(entry =>
    entry.isFile()
  )
  return names.map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'latin1')).join('\n')
}

t.test('by an alias, the secrets of its access are retrieved', async t => {
  const { access } = await alice.grant('read', 'diary', { type: 'app', randomAlias: true })
  const holder = new Client(service, access.alias!, access)
  const [own, other] = [await share(holder), await share()]
  const unknown = { status: 404, error: { id: 'unknown-resource', message: 'Unknown key' } }
  for (const key of [other.key, 'x', `${own.id}.${'x'.repeat(43)}`])
    t.same(await retrieve(key, undefined, access.alias), unknown)
  t.same(await retrieve(own.key, undefined, 'r-00000000'), unknown)
  t.match(await retrieve(own.key, undefined, access.alias), { status: 200, secret: value })
  t.match(await retrieve(own.key, undefined, access.alias), unavailable)
  t.match(await retrieve(other.key), { status: 200 })
})
