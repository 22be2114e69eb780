/** The audit log: a record of each call, by any caller and transport, without secrets. (docs/spec/audit.md) */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkDirectory } from '../../../scripts/maintenance/check.js'
import { Layout } from '../../../storage/files/layout.js'
import {
  type Answer,
  Client,
  coffer,
  methodModules,
  openCoffer,
  type Overrides,
  Service,
  testSettings
} from '../../support/coffer.js'
import { inRotation, rotate } from '../../support/rotation.js'
import { eventSeal } from '../../support/sealed.js'
import { socketOf } from '../../support/socket.js'
import { startServer } from '../../../server/server.js'

const all = { streams: [':_audit:'], limit: 10_000 }

/** Returns what the owner finds in the audit log, earliest first: transport, method and status. */
async function told(alice: Client, query: object = {}): Promise<string[]> {
  const { events } = await alice.do('events.get', { ...all, sortAscending: true, ...query })
  return events.map(({ content }: Answer) => `${content.source.name} ${content.action} ${content.status}`)
}

async function records(alice: Client, query: object = {}): Promise<Answer[]> {
  return (await alice.do('events.get', { ...all, sortAscending: true, ...query })).events
}

/** Returns all files below a folder, as text. */
function everything(directory: string): string {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter(entry =>
    entry.isFile()
  )
  return names.map(({ name, parentPath }) => readFileSync(join(parentPath, name), 'latin1')).join('\n')
}

/** Returns the records of calls without a valid token. */
async function strangers(alice: Client): Promise<Answer[]> {
  return await records(alice, { streams: [':_audit:access-invalid'] })
}

async function withStrangers(t: Test, overrides: Overrides) {
  const service = await coffer(t, { workers: 0, throttle: { invalidTokens: 1e9 }, ...overrides })
  const stranger = async (method: string): Promise<void> =>
    void (await service.call('alice', method, {}, 'made-up'))
  const { alice, clock, directory, server } = service
  return { alice, clock, directory, server, stranger }
}

/** A filter that matches every record. */
const whatever = { any: undefined, all: [], not: new Set<number>() }

const permissions = (streamId: string, level = 'read') => ({
  name: streamId + level,
  permissions: [{ streamId, level }]
})

const filter = (include: string[], exclude: string[]) => ({
  audit: { storage: { filter: { methods: { include, exclude } } } }
})

t.test('the audit log', async t => {
  t.test('has a record for each call of each transport, and for each call in a batch', async t => {
    const service = await coffer(t, { hf: { port: 0 } })
    const { alice, server } = service
    await alice.http('POST', '/streams', { id: 'diary', name: 'Diary' })
    await alice.http('GET', '/events?limit=5&types[0]=note/txt&types[1]=mass/kg&auth=whatever')
    await alice.http('POST', '/', [
      { method: 'events.create', params: { streamIds: ['diary'], type: 'note/txt', content: 'x' } },
      { method: 'events.get', params: {} },
      { method: 'events.getOne', params: { id: 'nothing' } },
      { method: 'no.such.method', params: {} },
      { method: 'streams.get' }
    ])
    const socket = await socketOf(t, alice)
    await socket.call('streams.get')
    await socket.call('events.getOne', { id: 'nothing' })
    await fetch(`${server.seriesUrl!}/alice/events/x/series`, { headers: { authorization: alice.token } })
    await service.http('GET', '/alice/streams', undefined, { authorization: 'wrong' })
    await service.http('GET', '/alice/service/info')
    t.same(await told(alice), [
      'http streams.create 201',
      'http events.get 200',
      'http events.create 201',
      'http events.get 200',
      'http events.getOne 404',
      'http streams.get 400',
      'http callBatch 200',
      'socket.io streams.get 200',
      'socket.io events.getOne 404',
      'hf hfs.get 404',
      'http streams.get 401'
    ])
    const found = await records(alice)
    t.match(found[1], {
      id: /^:_audit:c[a-z0-9]{24}$/,
      streamIds: [`:_audit:access-${alice.access.id}`, ':_audit:action-events.get'],
      type: 'audit-log/coffer-api',
      content: {
        source: { name: 'http', ip: '127.0.0.1' },
        action: 'events.get',
        query: { limit: '5', types: ['note/txt', 'mass/kg'] }
      },
      tags: [],
      createdBy: 'system'
    })
    t.same(Object.keys(found[1].content.query), ['limit', 'types'], 'no token')
    t.match(found[2].content.record, { key: /^EVENT:0:c\w{24}:17/, integrity: /^EVENT:0:sha256-/ })
    t.match(found[4], { type: 'audit-log/coffer-api-error', content: { id: 'unknown-resource', query: {} } })
    t.equal(found[10].streamId, ':_audit:access-invalid')
    for (const event of found) t.equal(event.integrity, eventSeal(event))
  })

  t.test('includes every completed call, in order of time', async t => {
    const { alice } = await coffer(t)
    await alice.stream('diary')
    const calls = Array.from({ length: 60 }, (_, index) =>
      index % 3 === 0 ? alice.event() : alice.call(index % 3 === 1 ? 'events.get' : 'streams.get')
    )
    await Promise.all(calls)
    t.equal((await told(alice)).length, 61)
    const times = (await records(alice)).map(({ modified }) => modified)
    t.same(times, [...new Set(times)].toSorted(), 'strictly growing')
    const later = await records(alice, { modifiedSince: times[40], toTime: 1e300, fromTime: -1e300 })
    t.same(later[0].modified, times[41], 'whoever polls misses nothing')
  })

  t.test('records successful and failed sign-ins', async t => {
    const service = await coffer(t)
    const { server } = service
    const origin = { origin: server.url }
    const user = { username: 'daisy', password: 'a long secret', email: 'd@example.com', appId: 'audit-test' }
    await service.http('POST', '/users', user)
    await service.http('POST', '/daisy/auth/login', { ...user, password: 'wrong' }, origin)
    const { body } = await service.http('POST', '/daisy/auth/login', user, origin)
    await service.http('POST', '/daisy/account/request-password-reset', { appId: 'audit-test' }, origin)
    const reset = { appId: 'audit-test', resetToken: 'made-up', newPassword: 'another secret' }
    await service.http('POST', '/daisy/account/reset-password', reset, origin)
    const logs = await service.http('GET', '/daisy/events?streams=:_audit:&sortAscending=true', undefined, {
      authorization: body.token
    })
    t.same(
      logs.body.events.map(({ streamId }: Answer) => streamId.slice(':_audit:access-'.length)),
      ['invalid', 'valid-password', 'password-reset-request', 'invalid']
    )
  })

  t.test('contains no token, password or body', async t => {
    const service = await openCoffer(t)
    const { alice, directory, server } = service
    const canary = 'canary7f3a'
    const origin = { origin: server.url }
    await alice.stream('diary')
    const own = await alice.grant('contribute', 'diary', { token: `${canary}token` })
    await alice.call('accesses.create', { name: 'again', permissions: [], token: `${canary}token` })
    await alice.call('accesses.create', { [canary]: canary, name: canary, permissions: canary })
    await service.http('GET', `/alice/events?auth=${canary}auth&readToken=${canary}read&${canary}=${canary}`)
    await service.http('GET', '/alice/events', undefined, { authorization: `${canary}wrong` })
    await service.http('GET', `/alice/events/x/y?readToken=${canary}`)
    await own.http('GET', '/events')
    await own.http('POST', `/events?password=${canary}`, {
      streamIds: ['diary', `${canary}stream`],
      type: canary
    })
    const body = { username: 'alice', password: canary, appId: 'audit-test', [canary]: canary }
    await service.http('POST', `/alice/auth/login?password=${canary}`, body, origin)
    await service.http('POST', '/alice/auth/login', { ...body, password: [canary] }, origin)
    await alice.call('account.changePassword', { oldPassword: canary, newPassword: canary })
    await alice.http('POST', '/', [
      { method: 'events.getOne', params: { id: canary } },
      { method: canary, params: {} }
    ])
    const socket = await socketOf(t, alice)
    await socket.call('events.get', { streams: [canary], [canary]: 1 })
    const found = await records(alice)
    t.ok(found.length >= 13)
    t.notMatch(JSON.stringify(found), /canary/)
    const { auditLogs } = await alice.do('audit.get', { limit: 1000 })
    t.notMatch(JSON.stringify(auditLogs), /canary/)
    // The access itself keeps its token; the audit table must not.
    await server.close()
    const { default: SQLite } = await import('better-sqlite3')
    const db = new SQLite(new Layout(directory).userFile(server.services.accounts.find('alice')!.id))
    t.notMatch(JSON.stringify(db.prepare('SELECT * FROM audit_record').all()), /canary/)
    t.notMatch(JSON.stringify(db.prepare('SELECT * FROM audit_word').all()), /canary/)
    db.close()
    t.match(everything(directory), /canary7f3atoken/, 'the search would find it')
  })

  t.test('is not included in other queries', async t => {
    const { alice } = await coffer(t)
    await alice.stream('diary')
    await alice.event()
    for (const query of [{}, { streams: ['*'] }, { streams: ['diary'] }, { state: 'all' }])
      t.equal((await alice.do('events.get', query)).events.length, 1)
    const both = await alice.do('events.get', { streams: ['diary', ':_audit:action-events.create'] })
    t.match(both.events, [{ type: 'note/txt' }, { type: 'audit-log/coffer-api' }])
    t.equal(both.events.length, 2)
    t.match(await alice.call('events.get', { streams: { any: ['diary'], all: [':_audit:'] } }), {
      status: 400
    })
  })

  t.test('can be filtered by streams, time, types and more', async t => {
    const { alice, clock } = await coffer(t)
    await alice.stream('diary')
    const app = await alice.grant('read', 'diary')
    const start = clock.now()
    for (let hour = 0; hour < 4; hour++) {
      clock.advance(3600)
      await app.call('events.get')
      await app.call('events.create', { streamIds: ['diary'], type: 'note/txt', content: 'x' })
      await alice.do('streams.get')
    }
    const of = `:_audit:access-${app.access.id}`
    const gets = ':_audit:action-events.get'
    const creates = ':_audit:action-events.create'
    const table: [what: string, query: object, count: number][] = [
      ['an access', { streams: [of] }, 8],
      ['an action', { streams: [gets] }, 4],
      ['either of two', { streams: [gets, ':_audit:action-streams.get'] }, 8],
      ['both of two', { streams: { any: [of], all: [creates] } }, 4],
      ['one without another', { streams: { any: [of], not: [creates] } }, 4],
      ['the whole without an access', { streams: { any: [':_audit:'], not: [of] } }, 6],
      ['several queries', { streams: [{ any: [gets], all: [of] }, { any: [creates] }] }, 8],
      ['all accesses', { streams: [':_audit:accesses'] }, 14],
      ['what nobody did', { streams: [':_audit:action-webhooks.get'] }, 0],
      ['an access that never was', { streams: [':_audit:access-nobody'] }, 0],
      ['refusals by type', { streams: [':_audit:'], types: ['audit-log/coffer-api-error'] }, 4],
      ['a class of types', { streams: [of], types: ['audit-log/*'] }, 8],
      ['other types', { streams: [':_audit:'], types: ['note/txt'] }, 0],
      ['a time', { streams: [of], fromTime: start + 3600, toTime: start + 7200 }, 3],
      ['until a time', { streams: [of], toTime: start + 3601 }, 2],
      ['a limit', { streams: [of], limit: 3 }, 3],
      ['beyond some', { streams: [of], skip: 6 }, 2],
      ['trashed ones', { streams: [of], state: 'trashed' }, 0],
      ['all states', { streams: [of], state: 'all' }, 8],
      ['running ones', { streams: [of], running: true }, 0]
    ]
    // These queries are recorded, too: only earlier records count.
    const { modified } = (await records(alice)).at(-1)
    for (const [what, query, count] of table) {
      const { events } = await alice.do('events.get', { limit: 100, ...query })
      t.equal(events.filter((event: Answer) => event.time <= modified).length, count, what)
    }
    t.equal(
      (await alice.do('events.get', { streams: ':_audit:' })).events.length,
      20,
      'twenty, unless told otherwise'
    )
    t.match(await alice.call('events.get', { streams: [':_audit:x'] }), {
      error: { id: 'unknown-referenced-resource' }
    })
    t.match(await alice.call('events.get', { streams: [gets], content: [{ path: 'id', exists: true }] }), {
      status: 400
    })
  })

  t.test('returns to an access its own calls and those it was granted', async t => {
    const { alice } = await coffer(t)
    await alice.stream('diary')
    const app = await alice.grant('manage', '*', { type: 'app' })
    const other = await alice.grant('read', 'diary')
    await other.call('events.get')
    const own = `:_audit:access-${app.access.id}`
    const others = `:_audit:access-${other.access.id}`
    const { events } = await app.do('events.get', { streams: [own] })
    t.same(events, [])
    t.equal((await app.do('events.get', { streams: [own] })).events.length, 1)
    for (const id of [
      others,
      ':_audit:',
      ':_audit:accesses',
      ':_audit:action-events.get',
      ':_audit:access-nobody'
    ])
      t.match(await app.call('events.get', { streams: [id] }), { error: { id: 'forbidden' } }, id)
    t.match((await app.do('getAccessInfo')).permissions.at(-1), { streamId: own, level: 'read' })

    const auditor = await alice.grantAll([{ streamId: others, level: 'read' }])
    const [record] = (await auditor.do('events.get', { streams: [others] })).events
    t.match(record, { content: { action: 'events.get' } })
    t.same((await auditor.do('events.getOne', { id: record.id })).event, record)
    t.match(await app.call('events.getOne', { id: record.id }), { error: { id: 'forbidden' } })
    t.match(await auditor.call('events.getOne', { id: ':_audit:nothing' }), {
      error: { id: 'unknown-resource' }
    })
    t.same((await auditor.do('events.get')).events, [], 'nothing else')

    const refusals: [Client, object, string][] = [
      [alice, permissions(others, 'manage'), 'invalid-operation'],
      [alice, permissions(':_audit:'), 'forbidden'],
      [alice, permissions(':_audit:action-events.get'), 'forbidden'],
      [app, permissions(others), 'forbidden']
    ]
    for (const [client, access, id] of refusals)
      t.match(await client.call('accesses.create', access), { error: { id } })
    t.ok((await app.do('accesses.create', permissions(own))).access, 'what it may see itself')

    const silent = await alice.grantAll([
      { streamId: 'diary', level: 'read' },
      { feature: 'selfAudit', setting: 'forbidden' }
    ])
    t.match(await silent.call('events.get', { streams: [`:_audit:access-${silent.access.id}`] }), {
      status: 403
    })
    t.match(await silent.call('audit.get'), { status: 403 })
    t.equal((await silent.do('getAccessInfo')).permissions.length, 2)
  })

  t.test('has streams by action and by access', async t => {
    const { alice } = await coffer(t)
    await alice.stream('diary')
    const below = async (parentId: string): Promise<string[]> =>
      (await alice.do('streams.get', { parentId })).streams.map(({ id }: Answer) => id)
    t.same(await below(':_audit:'), [':_audit:accesses', ':_audit:actions'])
    t.same(await below(':_audit:accesses'), [`:_audit:access-${alice.access.id}`])
    t.same(await below(':_audit:actions'), [':_audit:action-streams.create', ':_audit:action-streams.get'])
    t.match(await alice.call('streams.get', { parentId: ':_audit:x' }), { status: 400 })
    const reader = await alice.grant('read', 'diary')
    t.match(await reader.call('streams.get', { parentId: ':_audit:' }), { status: 403 })
  })

  t.test('is read-only', async t => {
    const { alice } = await coffer(t)
    const [record] = (await alice.do('streams.get'), await records(alice))
    for (const [method, params] of [
      ['events.update', { id: record.id, update: { content: {} } }],
      ['events.delete', { id: record.id }],
      ['events.create', { streamIds: [':_audit:'], type: 'note/txt', content: 'x' }],
      ['streams.create', { id: 'x', name: 'x', parentId: ':_audit:' }],
      ['streams.delete', { id: ':_audit:' }]
    ] as const)
      t.ok((await alice.call(method, params)).status >= 400, method)
    t.same(await alice.do('events.getOne', { id: record.id, includeHistory: true }), {
      event: record,
      history: [],
      accessId: alice.access.id
    })
  })

  t.test('can be filtered by every field in the older form', async t => {
    const { alice, clock } = await coffer(t)
    await alice.stream('diary')
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    const shared = await app.grant('read', 'diary')
    await shared.do('events.get')
    await app.do('accesses.delete', { id: shared.access.id })
    await app.call('events.getOne', { id: 'nothing' })
    clock.advance(2 * 86_400)
    await app.do('streams.get')
    const table: [Client, object, number | string][] = [
      [alice, {}, 7],
      [alice, { accessId: app.access.id }, 4],
      [alice, { status: 4 }, 1],
      [alice, { status: '20' }, 6],
      [alice, { status: '404' }, 1],
      [alice, { status: '5' }, 0],
      [alice, { ip: '127.0.0.1' }, 7],
      [alice, { ip: '127.0.0.2' }, 0],
      [alice, { httpVerb: 'DELETE' }, 1],
      [alice, { httpVerb: 'get', resource: '/events' }, 2],
      [alice, { resource: 'streams' }, 2],
      [alice, { errorId: 'unknown-resource' }, 1],
      [alice, { toTime: clock.now() - 2 * 86_400 }, 6],
      [alice, { fromTime: clock.now() }, 1],
      [alice, { skip: 5, sortAscending: true }, 2],
      [alice, { streams: [':_audit:action-events.get'] }, 1],
      [alice, { accessId: null, toTime: null, status: null, resource: null, types: null, skip: null }, 7],
      [app, {}, 4],
      [app, { accessId: shared.access.id }, 1],
      [app, { accessId: alice.access.id }, 'forbidden'],
      [shared, { accessId: shared.access.id }, 'invalid-access-token']
    ]
    // These queries are recorded, too.
    const { modified } = (await records(alice, { sortAscending: false, limit: 1 }))[0]
    for (const [client, params, expected] of table) {
      const { auditLogs, error } = await client.call('audit.get', { limit: 1000, ...params })
      const before = auditLogs?.filter((log: Answer) => log.time <= modified).length
      t.equal(error?.id ?? before, expected, JSON.stringify(params))
    }
    const { body } = await alice.http('GET', '/audit/logs?status=404&limit=1')
    t.match(body.auditLogs, [
      { action: 'GET /events', forwardedFor: '127.0.0.1', errorId: 'unknown-resource' }
    ])
  })

  t.test('records the methods that the settings name', async t => {
    const table: [include: string[], exclude: string[], recorded: string[]][] = [
      [['all'], ['events.all', 'callBatch'], ['streams.create', 'streams.get']],
      [['events.all'], ['events.get'], ['events.create']],
      [[], ['all'], []],
      [['hfs.create', 'streams.get'], [], ['events.create', 'streams.get']]
    ]
    for (const [include, exclude, recorded] of table) {
      const { alice } = await coffer(t, filter(include, exclude))
      await alice.stream('diary')
      await alice.event()
      await alice.do('streams.get')
      await alice.do('callBatch', [{ method: 'events.get', params: {} }])
      const found = await records(alice)
      t.same(
        found.map(({ content }) => content.action),
        recorded
      )
    }
    for (const [include, exclude] of [
      [['event.all'], []],
      [['all'], ['events.got']]
    ] as const)
      await t.rejects(
        startServer(testSettings(t.testdir(), filter([...include], [...exclude]))),
        /audit\.storage\.filter\.methods\.(include: "event\.all" .*"events\.all" is|exclude: "events\.got" .*"events\.get" is)/
      )
    const { alice } = await coffer(t, { audit: { active: false } })
    await alice.stream('diary')
    t.same(await records(alice), [])
  })

  t.test('has no record of unknown methods, whose names callers could invent', async t => {
    const { alice } = await coffer(t)
    const calls = ['made.up', 'events.start', 'hfs.nothing'].map(method => ({ method, params: {} }))
    const { results } = await alice.do('callBatch', [...calls, { method: 'hfs.get', params: { id: 'x' } }])
    t.same(
      results.map(({ error }: Answer) => error.id),
      ['invalid-method', 'removed-method', 'invalid-method', 'unknown-resource']
    )
    t.match(await alice.call('made.up'), { error: { id: 'invalid-method' } })
    t.same(
      (await records(alice)).map(({ content }) => content.action),
      ['hfs.get', 'callBatch']
    )
    const below = await alice.do('streams.get', { parentId: ':_audit:actions' })
    t.notMatch(JSON.stringify(below), /made|start|nothing/)
  })

  for (const workers of rotate(t, [0, 2]))
    t.test(
      `counts a flood of calls without a valid token instead of recording each, in ${workers} threads`,
      async t => {
        const { alice, clock, stranger } = await withStrangers(t, {
          audit: { strangersPerHour: 30 },
          workers
        })
        for (let index = 0; index < 400; index++) await stranger('events.get')
        for (let index = 0; index < 50; index++) await stranger('streams.get')
        const found = await strangers(alice)
        t.equal(found.length, 31)
        t.equal(
          found.at(-1).content.message,
          'Calls not recorded individually: 420. This is the last of them (events.get 370, streams.get 50)'
        )
        t.equal(found.at(-1).content.action, 'streams.get')
        clock.advance(60)
        for (let index = 0; index < 5; index++) await stranger('events.get')
        t.match(await strangers(alice), {
          length: 32,
          31: { content: { message: /^Calls not recorded individually: 5\. .*\(events\.get 5\)$/ } }
        })
        clock.advance(3600)
        await stranger('events.get')
        t.match(await strangers(alice), { length: 33, 32: { content: { message: /^Cannot find access/ } } })
      }
    )

  const test = inRotation(t, 2)
  test('records its counts once the hour is over, at the next call of any caller', async t => {
    const { alice, clock, server, stranger } = await withStrangers(t, { audit: { strangersPerHour: 3 } })
    for (let index = 0; index < 10; index++) await stranger('events.get')
    const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
    store.flushUsage()
    const lines = (): number => store.audit.next({ since: 0, until: 1e18 }, true, [whatever]).records.length
    t.equal(lines(), 3, 'nothing is told within the hour, unless somebody asks')
    clock.advance(3600)
    await alice.do('streams.get')
    store.flushUsage()
    t.equal(lines(), 5)
    t.match((await strangers(alice)).at(-1).content.message, /^Calls not recorded individually: 7\./)
  })

  test('continues counting after the file was closed, and after a restart', async t => {
    const overrides: Overrides = { audit: { strangersPerHour: 10 }, throttle: { invalidTokens: 1e9 } }
    const first = await withStrangers(t, overrides)
    const { clock, directory } = first
    for (let index = 0; index < 25; index++) await first.stranger('events.get')
    await first.server.close()
    const server = await startServer(testSettings(directory, { ...overrides, workers: 0 }), {
      clock,
      methodModules
    })
    t.teardown(() => server.close())
    const again = new Service(server, clock, directory)
    const alice = new Client(again, 'alice', first.alice.access)
    for (let index = 0; index < 25; index++) await again.call('alice', 'events.get', {}, 'made-up')
    const found = await strangers(alice)
    t.equal(found.length, 11)
    t.match(found.at(-1).content.message, /^Calls not recorded individually: 40\./)
  })

  t.test(
    'counts calls with an expired token, and too many of a valid one, as calls without a valid token',
    async t => {
      const { alice, clock } = await withStrangers(t, {
        audit: { strangersPerHour: 5 },
        limits: { callsPerToken: { shared: 2 } }
      })
      await alice.stream('diary')
      const reader = await alice.grant('read', 'diary', { expireAfter: 30 })
      for (let index = 0; index < 20; index++) await reader.call('streams.get')
      clock.advance(31)
      for (let index = 0; index < 20; index++) await reader.call('streams.get')
      const refused = (await records(alice)).filter(({ content }) => content.status >= 400)
      t.equal(refused.length, 6)
      t.match(refused.at(-1).content.message, /^Calls not recorded individually: 33\./)
    }
  )

  t.test(
    'limits queries to a kilobyte and messages to half of that, and marks them as truncated',
    async t => {
      const { alice } = await openCoffer(t)
      await alice.stream('diary')
      const ids = Array.from({ length: 900 }, (_value, index) => `s${index}`)
      const query = `types=note/txt&${ids.map(id => `streams=${id}`).join('&')}&limit=3`
      await alice.http('GET', `/events?${query}`)
      await alice.http('GET', `/events/${'é'.repeat(1000)}`)
      await alice.http('GET', '/events?limit=3')
      const [, many, found, plain] = await records(alice)
      t.match(many.content, { isQueryCut: true, query: { types: 'note/txt', streams: ['s0', 's1'] } })
      t.ok(JSON.stringify(many.content).length < 3000)
      t.match(found.content.message, /^No event "é+…$/)
      t.equal(found.content.message.length, 501)
      t.notOk('isQueryCut' in plain.content)
      t.same(plain.content.query, { limit: '3' })
      const { auditLogs } = await alice.do('audit.get', { limit: 100 })
      t.ok(JSON.stringify(auditLogs).length < 20_000)
    }
  )

  test('ends a list with the records at the time of the query, despite later writes', async t => {
    const { alice, server } = await openCoffer(t)
    const calls = Array.from({ length: 600 }, () => ({ method: 'getAccessInfo', params: {} }))
    await alice.do('callBatch', calls)
    const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
    const outcome = await server.registry.call({
      user: 'alice',
      method: 'events.get',
      params: { ...all, sortAscending: true },
      credentials: { authorization: alice.token, ip: '127.0.0.1', via: 'http' }
    })
    if (!outcome.ok || !outcome.remainder) throw new Error('The list comes in one page')
    store.flushUsage()
    let text = outcome.members
    for await (const more of outcome.remainder) text += more
    t.equal(JSON.parse(`{${text}}`).events.length, 600 + 1)
  })

  test('finds rare records among many others, and keeps a valid chain', async t => {
    const { alice, clock, directory, server } = await openCoffer(t, { audit: { retention: 5000 } })
    await alice.stream('diary')
    const rare = await alice.grant('read', 'diary')
    const once = async (): Promise<void> => void (await rare.do('streams.get'))
    const often = async (): Promise<void> => {
      clock.advance(1)
      await alice.do(
        'callBatch',
        Array.from({ length: 99 }, () => ({ method: 'events.get', params: {} }))
      )
    }
    await once()
    for (let round = 0; round < 8; round++) await often()
    await once()
    for (let round = 0; round < 4; round++) await often()
    await once()
    const asked = { streams: [`:_audit:access-${rare.access.id}`], limit: 10 }
    const down = (await alice.do('events.get', asked)).events
    t.equal(down.length, 3)
    t.same((await alice.do('events.get', { ...asked, sortAscending: true })).events, down.toReversed())
    t.same(
      (await alice.do('events.get', { ...asked, toTime: down[1].time, fromTime: 0 })).events,
      down.slice(1)
    )
    const creations = { streams: { any: [':_audit:'], all: [':_audit:action-accesses.create'] } }
    t.equal((await alice.do('events.get', creations)).events.length, 1)
    t.equal((await told(alice)).length, 1205 + 4)

    // Old records expire, and the rest can still be verified.
    const account = server.services.accounts.find('alice')!
    const { removeExpired } = await import('../../../core/platform/retention.js')
    clock.advance(4996)
    t.equal(await removeExpired(server.services, account, { kind: 'audit' }), 703)
    t.equal((await alice.do('events.get', { ...asked, limit: 5 })).events.length, 2)
    clock.advance(10_000)
    await removeExpired(server.services, account, { kind: 'audit' })
    await alice.do('streams.get')
    t.same(await told(alice), ['http streams.get 200'])
    await server.close()
    const { counts, problems } = await checkDirectory(new Layout(directory))
    t.same(problems, [])
    t.equal(counts.calls, 2)
  })
})
