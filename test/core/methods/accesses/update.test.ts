/** Updates of accesses, their versions, and what they mean for apps and their shares. */
import t from 'tap'
import type { Level } from '../../../../schemas/permission.js'
import { matchesIntegrity } from '../../../../core/integrity.js'
import { Client, coffer, type Answer } from '../../../support/coffer.js'
import { socketOf, until, type TestSocket } from '../../../support/socket.js'

const on = { accesses: { updates: true } }
const read = (streamId: string) => ({ streamId, level: 'read' as const })

/** Creates an app's access. */
async function app(alice: Client, levels: Record<string, Level>, fields = {}): Promise<Client> {
  const permissions = Object.entries(levels).map(([streamId, level]) => ({ streamId, level }))
  return await alice.grantAll(permissions, { type: 'app', ...fields })
}

/** Sends an update over HTTP, and returns the answer with its status. */
async function put(by: Client, id: string, changes: unknown): Promise<Answer> {
  const { body, status } = await by.http('PUT', `/accesses/${id}`, changes)
  return { ...body, status }
}

/** Changes an access as its owner, and returns its new id. */
async function change(by: Client, id: string, changes: object): Promise<string> {
  return (await by.do('accesses.update', { id, update: changes })).access.id
}

/** Returns the methods of the calls that streams of the audit hold. */
async function actions(by: Client, streams: string[]): Promise<string[]> {
  const { events } = await by.do('events.get', { streams, fromTime: 0, toTime: 1e11, limit: 100 })
  return events.map(({ content }: Answer) => content.action).toSorted()
}

t.test('accesses.update and accesses.getOne', async t => {
  const service = await coffer(t, on)
  const { clock } = service
  const user = async (): Promise<Client> => {
    const alice = await service.user(`user-${Math.random().toString(36).slice(2, 10)}`)
    for (const id of ['diary', 'body']) await alice.stream(id)
    await alice.stream('walks', 'diary')
    return alice
  }

  t.test('gives a new id with each version, and keeps the token', async t => {
    const alice = await user()
    const bob = await app(alice, { diary: 'read' }, { name: 'app-x' })
    const x = bob.access.id
    const first = await put(alice, x, { name: 'renamed' })
    t.match(first, { status: 200, access: { id: `${x}:1`, name: 'renamed', token: bob.token } })
    t.equal(first.access.apiEndpoint, bob.access['apiEndpoint' as 'name'])
    t.notOk('serial' in first.access)
    t.ok(matchesIntegrity(first.access), 'the integrity value covers the id of the version')
    t.match(await put(alice, x, {}), {
      status: 409,
      error: { id: 'stale-resource', data: { provided: x, currentSerial: 1 } }
    })
    t.match(await put(alice, `${x}:1`, {}), { status: 200, access: { id: `${x}:2`, name: 'renamed' } })
    for (const id of [`${x}:1`, `${x}:3`])
      t.match(await put(alice, id, {}), { error: { data: { provided: id, currentSerial: 2 } } })
    for (const id of [
      'x',
      `${x}:`,
      `${x}:0`,
      `${x}:01`,
      `${x}:a`,
      `${x}:-1`,
      `${x}:1.0`,
      `${x}:2:2`,
      ':2',
      'x:1'
    ])
      t.match(await put(alice, id, {}), { status: 404, error: { id: 'unknown-resource' } }, id)
    const y = await alice.grant('read', 'diary')
    t.match(await put(alice, `${y.access.id}:1`, {}), {
      status: 409,
      error: { id: 'stale-resource', data: { provided: `${y.access.id}:1`, currentSerial: null } }
    })

    t.match((await alice.http('GET', `/accesses/${x}:2?includeHistory=true`)).body, {
      access: { id: `${x}:2`, token: bob.token },
      history: [
        { id: x, name: 'app-x', permissions: [read('diary')] },
        { id: `${x}:1`, name: 'renamed' }
      ]
    })
    const { access, history } = await alice.do('accesses.getOne', { id: `${x}:2`, includeHistory: true })
    t.equal(history.length, 2)
    for (const each of history)
      t.same(
        ['token', 'apiEndpoint', 'serial', 'integrity'].filter(key => key in each),
        []
      )
    t.same((await alice.do('accesses.getOne', { id: x })).access, access)
    const former = await alice.do('accesses.getOne', { id: `${x}:1` })
    t.same({ access: former.access, current: former.current }, { access: history[1], current: `${x}:2` })
    for (const id of [`${x}:9`, `${x}:0`, `${x}:`, 'x'])
      t.match(await alice.call('accesses.getOne', { id }), { error: { id: 'unknown-resource' } }, id)
    const { accesses } = await alice.do('accesses.get')
    t.same(
      accesses.find(({ name }: Answer) => name === 'renamed'),
      access
    )
    const info = await bob.do('getAccessInfo')
    t.equal(info.id, x, 'the access itself sees the id that stays')
    t.notOk('serial' in info)
    const asked = {
      requestingAppId: 'renamed',
      requestedPermissions: [{ ...read('diary'), defaultName: 'D' }]
    }
    t.equal((await alice.do('accesses.checkApp', asked)).matchingAccess.id, `${x}:2`)
    const other = { ...asked, requestedPermissions: [{ ...read('body'), defaultName: 'D' }] }
    t.equal((await alice.do('accesses.checkApp', other)).mismatchingAccess.id, `${x}:2`)

    for (const id of [x, `${x}:1`])
      t.match((await alice.http('DELETE', `/accesses/${id}`)).body, { error: { id: 'stale-resource' } })
    const gone = await alice.http('DELETE', `/accesses/${x}:2`)
    t.match(gone, { status: 200, body: { accessDeletion: { id: `${x}:2` } } })
    t.match(await alice.call('accesses.getOne', { id: `${x}:2` }), { error: { id: 'unknown-resource' } })
    t.match(await put(alice, `${x}:2`, {}), { status: 404 })
    const { accessDeletions } = await alice.do('accesses.get', { includeDeletions: true })
    t.match(accessDeletions, [{ id: `${x}:2` }])
  })

  t.test('changes the given fields only', async t => {
    const alice = await user()
    const bob = await app(alice, { diary: 'read' }, { expireAfter: 100, clientData: { a: 1, b: { c: 1 } } })
    let id = bob.access.id
    const set = async (changes: object): Promise<Answer> => {
      const answer = await put(alice, id, changes)
      t.equal(answer.status, 200, JSON.stringify(answer.error))
      id = answer.access.id
      return answer.access
    }
    const start = clock.now()
    t.match(await set({ clientData: { b: null, d: 2 }, deviceName: 'phone' }), {
      expires: start + 100,
      clientData: { a: 1, b: undefined, d: 2 },
      deviceName: 'phone',
      permissions: [read('diary')]
    })
    const kept = { streamId: 'diary', level: 'contribute', defaultName: 'Diary', name: 'Diary' }
    t.same((await set({ permissions: [kept] })).permissions, [{ streamId: 'diary', level: 'contribute' }])
    t.equal((await set({ expireAfter: 5 })).expires, start + 5)
    clock.advance(5)
    t.match(await bob.call('streams.get'), { status: 401 })
    t.equal((await set({ expireAfter: 50 })).expires, start + 55, 'an expired access can be renewed')
    t.notOk((await bob.call('streams.get')).error)
    t.notOk('expires' in (await set({ expireAfter: null })))
    t.ok('expires' in (await set({ expireAfter: 50 })))
    t.notOk('expires' in (await set({ expires: null })))
    const last = await set({ clientData: null, deviceName: null })
    t.same(
      ['clientData', 'deviceName'].filter(key => key in last),
      []
    )
    t.equal(last.id, `${bob.access.id}:8`)
  })

  t.test('refuses other fields and values', async t => {
    const alice = await user()
    const bob = await app(alice, { diary: 'read' }, { clientData: { 'coffer:oauth': 1, a: 1 } })
    const carol = await alice.grant('read', 'diary')
    await app(alice, {}, { name: 'taken' })
    const sent = [
      { token: 'x' },
      { type: 'shared' },
      { id: 'x' },
      { createdBy: 'x' },
      { randomAlias: true },
      { expires: 5 },
      { expireAfter: -1 },
      { expireAfter: 'x' },
      { expireAfter: 5, expires: null },
      { name: '' },
      { name: null },
      { permissions: null },
      { permissions: [{ feature: 'selfRevoke', setting: 'maybe' }] },
      { clientData: 5 }
    ]
    for (const changes of sent)
      t.match(
        await put(alice, bob.access.id, changes),
        { status: 400, error: { id: 'invalid-parameters-format' } },
        JSON.stringify(changes)
      )
    t.match(await put(alice, carol.access.id, { deviceName: 'x' }), { status: 400 })
    t.match(await put(alice, bob.access.id, { name: 'taken' }), {
      status: 409,
      error: { id: 'item-already-exists', data: { type: 'app', name: 'taken', deviceName: null } }
    })
    const cmc = {
      status: 400,
      error: { id: 'invalid-operation', data: { id: 'cmc-clientdata-cmc-forbidden' } }
    }
    t.match(await put(alice, bob.access.id, { clientData: { cmc: null } }), cmc)
    t.match(await alice.call('accesses.create', { name: 'x', permissions: [], clientData: { cmc: {} } }), {
      error: cmc.error
    })
    for (const clientData of [{ dpop: { jkt: 'y' } }, { 'coffer:oauth': null }, { 'coffer:x': 1 }])
      t.match(await put(alice, bob.access.id, { clientData }), { status: 403 }, JSON.stringify(clientData))
    t.match(await put(alice, bob.access.id, { name: 'oauth:client' }), {
      status: 403,
      error: { id: 'forbidden' }
    })
    const same = { 'coffer:oauth': 1 }
    t.same((await put(alice, bob.access.id, { clientData: null })).access.clientData, same)
    t.match(await put(alice, `${bob.access.id}:1`, { clientData: same }), { status: 200 })
  })

  t.test('lets owners update all, apps their shares, and shared accesses none', async t => {
    const alice = await user()
    const bob = await app(alice, { diary: 'contribute' })
    const foreign = await (await app(alice, { body: 'read' })).grant('read', 'body')
    const own = await bob.grant('read', 'diary')
    const ofAlice = await alice.grant('read', 'diary')
    const refused = { status: 403, error: { id: 'forbidden' } }
    t.match(await put(alice, alice.access.id, { name: 'x' }), refused, 'a personal access')
    for (const client of [bob, foreign, ofAlice])
      t.match(await put(bob, client.access.id, { name: 'x' }), refused)
    for (const client of [own, bob, ofAlice, alice])
      t.match(await put(own, client.access.id, { name: 'x' }), refused)
    t.match(await put(bob, own.access.id, { name: 'x' }), {
      status: 200,
      access: { modifiedBy: bob.access.id }
    })
    t.match(await own.call('accesses.getOne', { id: own.access.id }), { error: { id: 'forbidden' } })
    for (const client of [bob, own])
      t.match(await bob.call('accesses.getOne', { id: client.access.id }), {
        access: { token: client.token }
      })
    for (const client of [alice, foreign, ofAlice])
      t.match(await bob.call('accesses.getOne', { id: client.access.id }), {
        error: { id: 'unknown-resource' }
      })
    const unknown = await put(bob, `${own.access.id}:1`, { permissions: [read('new')] })
    t.match(unknown, { status: 400, error: { id: 'unknown-referenced-resource' } })
    t.match(await put(bob, `${own.access.id}:1`, { permissions: [] }), refused, 'without any stream')
  })

  t.test('keeps shares within their apps', async t => {
    const alice = await user()
    const bob = await app(alice, { diary: 'contribute', body: 'read' }, { expireAfter: 1000 })
    const share = await bob.grant('contribute', 'diary', { expireAfter: 500 })
    const endless = await bob.grant('read', 'diary')
    t.notOk('expires' in endless.access, 'it ends with its app')
    const end = bob.access.expires!
    for (const by of [alice, bob])
      t.match(await put(by, share.access.id, { permissions: [{ streamId: 'diary', level: 'manage' }] }), {
        status: 400,
        error: { id: 'invalid-operation', data: { managingAccessId: bob.access.id } }
      })
    t.match(await put(alice, share.access.id, { expireAfter: 2000 }), {
      status: 400,
      error: { data: { parentExpires: end, requestedExpires: clock.now() + 2000 } }
    })
    t.match(
      await bob.call('accesses.create', { name: 'long', permissions: [read('diary')], expireAfter: 2000 }),
      { error: { data: { expires: end, parentExpires: end, requestedExpires: clock.now() + 2000 } } }
    )
    t.match(await bob.call('accesses.create', { name: 'wide', permissions: [read('*')] }), {
      status: 403,
      error: { data: { managingAccessId: bob.access.id } }
    })
    t.match(await put(alice, bob.access.id, { permissions: [read('diary')] }), {
      status: 400,
      error: { id: 'invalid-operation', data: { offendingChildren: [share.access.id] } }
    })
    t.match(await put(alice, bob.access.id, { expireAfter: 100 }), {
      status: 400,
      error: { id: 'invalid-operation', data: { offendingChildren: [share.access.id] } }
    })
    const renewed = await change(bob, share.access.id, { permissions: [read('walks')], expireAfter: 50 })
    t.equal(renewed, `${share.access.id}:1`)
    const narrowed = await change(alice, bob.access.id, { permissions: [read('diary')], expireAfter: 100 })
    t.equal(narrowed, `${bob.access.id}:1`)
    const refused = await put(alice, renewed, { permissions: [read('body')] })
    t.match(refused, { status: 400, error: { data: { managingAccessId: narrowed } } })
    t.match(await put(alice, renewed, { expireAfter: null }), { status: 200 }, 'no end, no comparison')
    const second = await bob.grant('read', 'diary')
    t.equal(second.access.createdBy, narrowed, 'its creator in the version that it was')
    t.match(await bob.event({ streamIds: ['diary'] }).catch(String), /forbidden/)
    const reader = await app(alice, { diary: 'contribute' })
    await change(alice, reader.access.id, {})
    t.equal((await reader.event()).createdBy, reader.access.id, 'events name no version')
    const gone = await alice.do('accesses.delete', { id: narrowed })
    t.same(gone.relatedDeletions.length, 3, 'with all that any version shared')
  })

  t.test('inherits that shared secrets are forbidden', async t => {
    const alice = await user()
    const forbidden = { feature: 'secretSharing', setting: 'forbidden' } as const
    const bob = await alice.grantAll([read('diary'), forbidden], { type: 'app' })
    const share = await bob.grant('read', 'diary')
    t.same(share.access.permissions, [read('diary'), forbidden])
    const open = { feature: 'secretSharing', setting: 'allowed' } as const
    t.match(await bob.call('accesses.create', { name: 'x', permissions: [read('diary'), open] }), {
      status: 403
    })
    t.match(await put(bob, share.access.id, { permissions: [read('diary'), open] }), { status: 400 })
    const updated = await put(bob, share.access.id, { permissions: [read('walks')] })
    t.same(updated.access.permissions, [read('walks'), forbidden])
    const last = await alice.grantAll([
      read('diary'),
      { feature: 'selfRevoke', setting: 'forbidden' },
      { feature: 'selfRevoke', setting: 'allowed' }
    ])
    t.notOk((await last.call('accesses.delete', { id: last.access.id })).error, 'the last entry counts')
  })

  t.test('lets one of two writers pass', async t => {
    const alice = await user()
    const bob = await app(alice, { diary: 'read' })
    const { id } = bob.access
    const both = await Promise.all([put(alice, id, { name: 'one' }), put(alice, id, { name: 'two' })])
    t.same(both.map(({ status }) => status).toSorted(), [200, 409])
    const batch = await alice.do('callBatch', [
      { method: 'accesses.update', params: { id: `${id}:1`, update: { name: 'a' } } },
      { method: 'accesses.update', params: { id: `${id}:1`, update: { name: 'b' } } },
      { method: 'accesses.update', params: { id: `${id}:2`, update: { name: 'c' } } },
      { method: 'accesses.getOne', params: { id } }
    ])
    t.match(batch.results, [
      { access: { id: `${id}:2` } },
      { error: { id: 'stale-resource', data: { provided: `${id}:1`, currentSerial: 2 } } },
      { access: { id: `${id}:3` } },
      { access: { id: `${id}:3`, name: 'c' } }
    ])
  })

  t.test('tells sockets, which stay open', async t => {
    const alice = await user()
    const bob = await app(alice, { diary: 'contribute', body: 'read' })
    const share = await bob.grant('read', 'diary')
    const other = await alice.grant('read', 'diary')
    const sockets: Record<string, TestSocket> = {}
    for (const [name, client] of Object.entries({ alice, bob, share, other }))
      sockets[name] = await socketOf(t, client)
    const told = async (): Promise<unknown> => {
      const heard: Record<string, unknown> = {}
      for (const [name, socket] of Object.entries(sockets)) {
        await socket.news()
        heard[name] = socket.updates.splice(0)
      }
      return heard
    }
    await sockets['bob']!.call('subscribe', { key: 'body', query: { streams: ['body'] } })
    await change(alice, share.access.id, { permissions: [read('walks')] })
    const ofShare = { type: 'access-updated', accessId: `${share.access.id}:1`, serial: 1 }
    await until(() => sockets['share']!.updates.length > 0, 'the share is told')
    t.same(await told(), { alice: [ofShare], bob: [ofShare], share: [ofShare], other: [] })
    await change(alice, bob.access.id, { permissions: [{ streamId: 'diary', level: 'contribute' }] })
    const ofBob = { type: 'access-updated', accessId: `${bob.access.id}:1`, serial: 1 }
    await until(() => sockets['bob']!.updates.length > 0, 'the app is told')
    t.same(await told(), { alice: [ofBob], bob: [ofBob], share: [], other: [] })
    const { scopes } = await sockets['bob']!.call('getSubscriptions')
    t.same(scopes, {}, 'cut to what it may still read')
    t.ok(Object.values(sockets).every(({ raw }) => raw.connected))
    await alice.do('accesses.delete', { id: `${bob.access.id}:1` })
    for (const name of ['bob', 'share']) await sockets[name]!.closed()
  })

  t.test('closes sockets at the end that an update sets', async t => {
    const alice = await user()
    const bob = await app(alice, { diary: 'read' })
    const share = await bob.grant('read', 'diary')
    const late = await app(alice, { body: 'read' }, { expireAfter: 100 })
    const sockets = await Promise.all([bob, share, late].map(client => socketOf(t, client)))
    await change(alice, bob.access.id, { expireAfter: 10 })
    await change(alice, late.access.id, { expireAfter: 1000 })
    clock.advance(50)
    for (const socket of sockets.slice(0, 2)) await socket.closed()
    clock.advance(100)
    t.notOk((await sockets[2]!.call('events.get')).error, 'prolonged')
    await change(alice, `${late.access.id}:1`, { expireAfter: 10 })
    clock.advance(11)
    await sockets[2]!.closed()
  })

  t.test('records calls under all versions, and under each', async t => {
    const alice = await user()
    const bob = await app(alice, { diary: 'contribute' })
    const { id } = bob.access
    await bob.do('streams.get')
    await change(alice, id, {})
    await bob.do('events.get')
    await bob.call('accesses.update', { id: 'x', update: {} })
    const stream = (serial = '') => `:_audit:access-${id}${serial}`
    for (const by of [alice, bob]) {
      t.same(await actions(by, [stream(':1')]), ['accesses.update', 'events.get'])
      t.ok((await actions(by, [stream()])).includes('streams.get'))
      t.ok((await actions(by, [stream()])).includes('accesses.update'))
    }
    const { auditLogs } = await alice.do('audit.get', { accessId: `${id}:1`, limit: 100 })
    for (const log of auditLogs) t.match(log, { accessId: id, streamIds: [stream(), stream(':1'), String] })
    t.ok(auditLogs.length > 0)
    const { streams } = await alice.do('streams.get', { parentId: ':_audit:accesses' })
    const ids = streams.map((each: Answer) => each.id)
    t.ok(ids.includes(stream()) && ids.includes(stream(':1')))
    const log = await alice.do('audit.get', { streams: [':_audit:action-accesses.update'] })
    t.match(log.auditLogs.at(-1), { streamIds: [`:_audit:access-${alice.access.id}`, String] })
    t.notMatch(JSON.stringify(log), bob.token)
  })
})

t.test('without the setting', async t => {
  const service = await coffer(t, { accesses: { updates: false } })
  const { alice } = service
  await alice.stream('diary')
  const bob = await app(alice, { diary: 'read' }, { expireAfter: 100 })
  const { id } = bob.access
  const removed = { status: 410, error: { id: 'removed-method' } }
  t.match(await put(alice, id, { name: 'x' }), removed)
  t.match(await service.http('PUT', `/alice/accesses/${id}`, {}), { status: 410 }, 'without a token too')
  const calls = [{ method: 'accesses.update', params: { id, update: {} } }]
  t.match(await alice.do('callBatch', calls), { results: [{ error: { id: 'removed-method' } }] })
  t.match(await alice.call('accesses.getOne', { id }), { access: { id } })
  t.match(await bob.call('accesses.create', { name: 'x', permissions: [read('diary')] }), {
    error: { id: 'invalid-operation', data: { parentExpires: bob.access.expires, requestedExpires: null } }
  })
  t.match((await service.http('GET', '/service/info')).body, { features: { accessesUpdate: false } })
})
