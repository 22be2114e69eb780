/**
 * Values of account fields as events: who may read and write them, which is active, and uniqueness.
 * (docs/spec/accounts.md#account-events)
 */
import SQLite from 'better-sqlite3'
import t, { type Test } from 'tap'
import { ChangeRecipient } from '../../../core/permissions/change-recipient.js'
import { runSteps } from '../../../storage/steps.js'
import type { CustomStream } from '../../../core/settings/custom-streams.js'
import { getAccountStreams } from '../../../core/account/fields.js'
import type { Level } from '../../../schemas/permission.js'
import { Layout } from '../../../storage/files/layout.js'
import { checkDirectory } from '../../../scripts/maintenance/check.js'
import { rebuildUniqueIndex } from '../../../scripts/maintenance/unique-index.js'
import { ManualClock } from '../../../core/time.js'
import { startServer } from '../../../server/server.js'
import {
  Client,
  methodModules,
  openCoffer,
  Service,
  testSettings,
  type Answer,
  type Overrides
} from '../../support/coffer.js'
import { rotate } from '../../support/rotation.js'

const everything = { fromTime: -1e300, toTime: 1e300, state: 'all' }

async function start(t: Test, overrides: Overrides = {}) {
  const service = await openCoffer(t, overrides)
  const daisy = await service.user('daisy', { email: 'daisy@example.com' })
  await daisy.stream('diary')
  const { services } = service.server
  const active = async (streamId: string): Promise<Answer> => {
    const { events } = await daisy.do('events.get', {
      streams: { any: [streamId], all: [':_system:active'] }
    })
    t.equal(events.length, 1, 'one is in force')
    return events[0]
  }
  const mail = async (content: unknown, more: object = {}): Promise<Answer> =>
    await daisy.call('events.create', {
      streamIds: [':system:email'],
      type: 'email/string',
      content,
      ...more
    })
  const holder = (email: string): string | undefined =>
    services.platform.findByUnique('email', email)?.username
  return { service, services, daisy, active, mail, holder }
}

/** Returns the streams of the events that a caller gets by default. */
async function seen(caller: Client): Promise<string[]> {
  const { events } = await caller.do('events.get', everything)
  return events.map(({ streamId }: { streamId: string }) => streamId).toSorted()
}

/** Returns params of an access with one permission. */
function permissionsOf(streamId: string, level: Level): object {
  return { name: streamId + level, permissions: [{ streamId, level }] }
}

/** Returns the expected response to a registration with an invalid insurance. */
function refused(code: string): object {
  return { status: 400, error: { data: [{ code, param: 'insurance', path: '#/insurance' }] } }
}

/** Additional account fields, besides the standard ones. */
const ownFields: Overrides = {
  custom: { systemStreams: { account: [{ id: 'insurance', type: 'number/x', isIndexed: true }] } }
}

t.test('values of account fields', async t => {
  t.test('are not included in *, in any form of query', async t => {
    const { daisy, service } = await start(t, ownFields)
    const insured = { streamIds: [':system:insurance'], type: 'number/x', content: 42 }
    await daisy.do('events.create', insured)
    for (const id of ['work', 'bin']) await daisy.stream(id)
    await daisy.event({ tags: ['red'] })
    await daisy.event({ streamIds: ['work'], duration: null })
    await daisy.do('streams.delete', { id: 'bin' })
    const app = await daisy.grant('manage', '*', { type: 'app' })
    const callers = [
      app,
      await daisy.grant('read', '*'),
      await daisy.grantAll([
        { streamId: '*', level: 'contribute' },
        { streamId: 'work', level: 'none' }
      ]),
      await app.grant('read', '*')
    ]
    const asked: unknown[] = [undefined, '*', ['*'], '["*"]', { any: ['*'] }]
    for (const not of [
      ['work'],
      ['work!'],
      ['nowhere'],
      [':_system:active'],
      [':_system:account', 'work'],
      [':system:email'],
      ['tags-migrated'],
      ['bin']
    ])
      for (const query of [{ any: ['*'], not }, [{ any: ['*'], not }, { any: ['diary'] }]])
        asked.push(query, JSON.stringify(query))
    const forms: object[] = [
      {},
      everything,
      { ...everything, modifiedSince: 0, includeDeletions: true },
      { running: true },
      { ...everything, sortAscending: true, skip: 1, limit: 500 },
      { ...everything, types: ['email/string', 'number/x', 'language/*', 'note/txt'] },
      { ...everything, state: 'trashed' },
      { ...everything, tags: ['red'] },
      { ...everything, content: [{ path: '$', exists: true }] }
    ]
    let found = 0
    for (const caller of callers)
      for (const streams of asked)
        for (const form of forms) {
          const params = { ...form, ...(streams !== undefined && { streams }) }
          const [{ events }] = (await caller.do('callBatch', [{ method: 'events.get', params }])).results
          found += events.length
          const leaked = events.filter((event: Answer) => String(event.streamId).startsWith(':'))
          if (leaked.length > 0) t.same(leaked, [], JSON.stringify(params))
        }
    t.ok(found > 100, `${found} events`)
    t.ok(
      (await daisy.do('events.get', { ...everything, streams: { any: ['*'], not: ['work'] } })).events.some(
        (event: Answer) => event.streamId === ':system:insurance'
      ),
      'to their owner they are'
    )
    t.ok(service)
  })

  t.test('of a removed field stay hidden from others', async t => {
    const { daisy, service } = await start(t, ownFields)
    const { event } = await daisy.do('events.create', {
      streamIds: [':system:insurance'],
      type: 'number/x',
      content: 42
    })
    const caller = await daisy.grant('manage', '*')
    await service.server.close()
    const server = await startServer(testSettings(service.directory), { clock: service.clock, methodModules })
    t.teardown(() => server.close())
    const after = new Client(new Service(server, service.clock, service.directory), 'daisy', caller.access)
    t.match(await after.call('events.getOne', { id: event.id }), { status: 403 })
    t.match(await after.call('events.update', { id: event.id, update: { description: 'x' } }), {
      status: 403
    })
    t.same((await after.do('events.get', { ...everything, streams: { any: ['*'], not: ['x'] } })).events, [])
  })

  t.test('are returned to their owner, and to others if granted by name', async t => {
    const { daisy } = await start(t)
    await daisy.event()
    const counts = [':_system:attachedFiles', ':_system:dbDocuments']
    const shown = [...counts, ':_system:language', ':system:email']
    const cases: [Record<string, Level>, string[], string][] = [
      [{ '*': 'read' }, ['diary'], 'diary'],
      [{ '*': 'manage' }, ['diary'], 'diary'],
      [{ diary: 'read' }, ['diary'], 'diary'],
      [{ ':system:email': 'read' }, [':system:email'], ':system:email'],
      [{ '*': 'read', ':system:email': 'read' }, [':system:email', 'diary'], 'diary :system:email'],
      [{ ':_system:account': 'read' }, shown, ':_system:account'],
      [
        { ':_system:account': 'read', ':system:email': 'none' },
        [...counts, ':_system:language'],
        ':_system:account'
      ],
      [{ ':_system:account': 'create-only' }, [], ':_system:account']
    ]
    t.same(await seen(daisy), [...shown, 'diary'])
    for (const [levels, expected, roots] of cases) {
      const caller = await daisy.grantAll(
        Object.entries(levels).map(([streamId, level]) => ({ streamId, level }))
      )
      t.same(await seen(caller), expected, JSON.stringify(levels))
      const { streams } = await caller.do('streams.get')
      t.equal(streams.map(({ id }: { id: string }) => id).join(' '), roots)
      const { events } = await daisy.do('events.get', { streams: [':_system:language'] })
      const isOpen = expected.includes(':_system:language')
      t.equal(
        (await caller.call('events.getOne', { id: events[0].id })).error?.id,
        isOpen ? undefined : 'forbidden'
      )
      t.equal(
        (await caller.call('events.get', { streams: [':_system:language'] })).error?.id,
        isOpen ? undefined : 'forbidden'
      )
    }
  })

  t.test('of hidden fields are returned to no caller', async t => {
    const { services, daisy } = await start(t)
    const store = services.accounts.openStore(services.accounts.find('daisy')!)
    const [{ id }] = store.fields.list('invitationToken') as [Answer]
    t.equal(store.account.field('invitationToken'), 'no-token')
    const all = await daisy.grant('read', ':_system:account')
    for (const caller of [daisy, all]) {
      t.match(await caller.call('events.getOne', { id }), { error: { id: 'forbidden' } })
      t.match(await caller.call('events.update', { id, update: { content: 'x' } }), {
        error: { id: 'forbidden' }
      })
      for (const streams of [[':_system:invitationToken'], [':_system:unique']])
        t.match(await caller.call('events.get', { streams }), { error: { id: 'forbidden' } })
      for (const query of [
        { types: ['token/string'] },
        { modifiedSince: 0 },
        { state: 'trashed' },
        { skip: 1 }
      ]) {
        const { events } = await caller.do('events.get', { ...everything, ...query })
        t.notOk(
          events.some((event: Answer) => event.id === id),
          JSON.stringify(query)
        )
      }
    }
  })

  t.test('replace the active value when they are created', async t => {
    const { active, daisy, holder, mail } = await start(t)
    const before = await active(':system:email')
    t.same(before.streamIds, [':system:email', ':_system:active', ':_system:unique'])
    const { event } = await mail('Second@example.com')
    t.same(event.streamIds, before.streamIds)
    t.equal((await active(':system:email')).id, event.id)
    t.same((await daisy.do('events.getOne', { id: before.id })).event.streamIds, [
      ':system:email',
      ':_system:unique'
    ])
    t.match(await daisy.do('account.get'), { account: { email: 'Second@example.com' } })
    for (const email of ['daisy@example.com', 'second@EXAMPLE.com']) t.equal(holder(email), 'daisy')

    const update = { streamIds: [':system:email', ':_system:active'] }
    await daisy.do('events.update', { id: before.id, update })
    t.equal((await active(':system:email')).id, before.id)
  })

  t.test('can be distinguished by their mark by accesses that may read them', async t => {
    const { daisy, mail } = await start(t)
    const { event } = await mail('second@example.com')
    const caller = await daisy.grant('read', ':system:email')
    const found = async (query: object): Promise<string[]> => {
      const { events } = await caller.do('events.get', { streams: { any: [':system:email'], ...query } })
      return events.map(({ content }: { content: string }) => content)
    }
    t.same(await found({ all: [':_system:active'] }), [event.content])
    t.same(await found({ not: [':_system:active'] }), ['daisy@example.com'])
    t.same(await found({ all: [':_system:language'] }), [], 'what is not granted is unknown')
    t.match(await caller.call('events.get', { streams: [':_system:active'] }), { error: { id: 'forbidden' } })
  })

  t.test('are unique across accounts until they are trashed', async t => {
    const { active, daisy, holder, mail, service } = await start(t)
    const other = await service.user('other', { email: 'other@example.com' })
    const { id } = await active(':system:email')
    const taken = { status: 409, error: { id: 'item-already-exists', data: { email: 'OTHER@example.com' } } }
    const before = await daisy.do('events.get', everything)
    t.match(await mail('OTHER@example.com'), taken)
    t.match(await daisy.call('events.update', { id, update: { content: 'OTHER@example.com' } }), taken)
    t.match(await daisy.call('account.update', { update: { email: 'OTHER@example.com' } }), taken)
    t.same(await daisy.do('events.get', everything), before, 'nothing has changed')
    t.equal(holder('other@example.com'), 'other')

    await mail('new@example.com')
    await daisy.do('events.delete', { id })
    t.equal(holder('daisy@example.com'), undefined)
    await other.do('account.update', { update: { email: 'daisy@example.com' } })
    t.equal(holder('other@example.com'), undefined)
    t.match(await daisy.call('events.update', { id, update: { trashed: false } }), { status: 409 })
    await other.do('account.update', { update: { email: 'elsewhere@example.com' } })
    await daisy.do('events.update', { id, update: { trashed: false } })
    t.equal(holder('daisy@example.com'), 'daisy')
    for (const _ of ['trash', 'delete']) await daisy.do('events.delete', { id })
    t.equal(holder('daisy@example.com'), undefined)
  })

  t.test('are refused where they are not allowed', async t => {
    const { active, daisy, mail } = await start(t)
    const { id } = await active(':system:email')
    const note = await daisy.event()
    const counted = await active(':_system:dbDocuments')
    const create = { type: 'note/txt', content: 'x' }
    const invalid = 'invalid-parameters-format'
    const cases: [string, object, string][] = [
      [
        'events.create',
        { ...create, streamIds: [':system:email', ':_system:language'] },
        'invalid-operation'
      ],
      ['events.create', { ...create, streamIds: [':system:email', 'diary'] }, 'invalid-operation'],
      ['events.create', { ...create, streamIds: [':_system:active', 'diary'] }, 'invalid-operation'],
      ['events.create', { ...create, streamIds: [':_system:account'] }, 'invalid-operation'],
      ['events.create', { ...create, streamIds: [':_system:helpers'] }, 'invalid-operation'],
      ['events.create', { ...create, streamIds: [':_system:storageUsed'] }, 'invalid-operation'],
      ['events.create', { ...create, streamIds: [':_system:dbDocuments'] }, 'invalid-operation'],
      ['events.create', { ...create, streamIds: [':_system:appId'] }, 'invalid-operation'],
      ['events.create', { ...create, streamIds: [':_system:nothing'] }, 'unknown-referenced-resource'],
      ['events.create', { ...create, streamIds: [':system:email'], tags: ['x'] }, 'invalid-operation'],
      ['events.create', { ...create, streamIds: [':system:email'], trashed: true }, 'invalid-operation'],
      ...[null, { a: 1 }, true, ['x']].map(
        content =>
          ['events.create', { streamIds: [':system:email'], type: 'any/thing', content }, invalid] as [
            string,
            object,
            string
          ]
      ),
      [
        'events.create',
        { streamIds: [':_system:language'], type: 'any/thing', content: 'too long' },
        invalid
      ],
      ['events.update', { id, update: { streamIds: ['diary'] } }, 'invalid-operation'],
      ['events.update', { id, update: { streamIds: [':system:email', 'diary'] } }, 'invalid-operation'],
      ['events.update', { id, update: { streamIds: [':_system:language'] } }, 'invalid-operation'],
      ['events.update', { id, update: { tags: ['x'] } }, 'invalid-operation'],
      ['events.update', { id, update: { trashed: true } }, 'invalid-operation'],
      ['events.update', { id, update: { content: { a: 1 }, type: 'any/thing' } }, invalid],
      [
        'events.update',
        { id: note.id, update: { streamIds: ['diary', ':system:email'] } },
        'invalid-operation'
      ],
      [
        'events.update',
        { id: note.id, update: { streamIds: ['diary', ':_system:active'] } },
        'invalid-operation'
      ],
      ['events.update', { id: counted.id, update: { content: 1 } }, 'invalid-operation'],
      ['events.delete', { id }, 'invalid-operation'],
      ['events.delete', { id: counted.id }, 'invalid-operation'],
      ['streams.create', { name: 'x', parentId: ':_system:account' }, 'invalid-operation'],
      ['streams.update', { id: ':system:email', update: { name: 'x' } }, 'invalid-operation'],
      ['streams.delete', { id: ':_system:language' }, 'invalid-operation']
    ]
    const before = await daisy.do('events.get', everything)
    for (const [method, params, error] of cases)
      t.equal((await daisy.call(method, params)).error?.id, error, `${method} ${JSON.stringify(params)}`)
    t.same(await daisy.do('events.get', everything), before, 'nothing has changed')
    t.notOk((await mail('fine@example.com')).error)
  })

  t.test('are written as far as levels allow', async t => {
    const { active, daisy } = await start(t)
    const { id } = await active(':_system:language')
    const cases: [Record<string, Level>, boolean, boolean][] = [
      [{ '*': 'manage' }, false, false],
      [{ ':_system:account': 'read' }, false, false],
      [{ ':_system:account': 'contribute' }, true, true],
      [{ ':_system:language': 'contribute' }, true, true],
      [{ ':_system:language': 'create-only' }, false, true]
    ]
    for (const [levels, mayUpdate, mayCreate] of cases) {
      const caller = await daisy.grantAll(
        Object.entries(levels).map(([streamId, level]) => ({ streamId, level }))
      )
      const what = JSON.stringify(levels)
      const updated = await caller.call('events.update', { id, update: { content: 'fr' } })
      t.equal(updated.error?.id, mayUpdate ? undefined : 'forbidden', what)
      const fields = { streamIds: [':_system:language'], type: 'language/iso-639-1', content: 'de' }
      const created = await caller.call('events.create', fields)
      t.equal(created.error?.id, mayCreate ? undefined : 'forbidden', what)
    }
  })

  t.test('can be granted by accesses that have them', async t => {
    const { daisy } = await start(t)
    const cases: [string, Level, string | undefined][] = [
      [':_system:account', 'contribute', undefined],
      [':system:email', 'read', undefined],
      [':system:email', 'create-only', undefined],
      [':system:email', 'manage', 'invalid-operation'],
      [':_system:appId', 'read', 'invalid-operation'],
      [':_system:unique', 'read', 'invalid-operation'],
      [':_system:nothing', 'read', 'forbidden']
    ]
    for (const [streamId, level, error] of cases) {
      const answer = await daisy.call('accesses.create', permissionsOf(streamId, level))
      t.equal(answer.error?.id, error, `${level} on ${streamId}`)
      if (error === 'invalid-operation') t.same(answer.error.data, { param: streamId })
    }
    const all = await daisy.grant('manage', '*', { type: 'app' })
    t.match(await all.call('accesses.create', permissionsOf(':_system:language', 'read')), {
      error: { id: 'forbidden' }
    })
    const mails = await daisy.grant('contribute', ':system:email', { type: 'app' })
    t.notOk((await mails.call('accesses.create', permissionsOf(':system:email', 'contribute'))).error)
    t.match(await mails.call('accesses.create', permissionsOf(':_system:account', 'read')), {
      error: { id: 'forbidden' }
    })
  })

  t.test('return the current storage used, with its integrity', async t => {
    const { active, services, daisy } = await start(t)
    const count = async (): Promise<number> => (await active(':_system:dbDocuments')).content
    const first = await count()
    await daisy.event({ content: 'x'.repeat(1000) })
    t.ok((await count()) > first + 1000)
    const { documents } = services.accounts.openStore(services.accounts.find('daisy')!).storageUsed()
    t.match(await daisy.do('account.get'), { account: { storageUsed: { dbDocuments: documents } } })
    const event = await active(':_system:dbDocuments')
    t.equal(event.content, documents)
    t.match(await daisy.do('events.getOne', { id: event.id }), {
      event: { content: documents, integrity: event.integrity }
    })
    const { samples } = await daisy.do('events.sample', {
      streams: { any: [':_system:dbDocuments'], all: [':_system:active'] },
      types: [event.type],
      fromTime: event.time - 10,
      toTime: event.time + 10,
      parts: 1
    })
    t.match(samples, [{ count: 1, mean: documents }], 'a sample has the current number, too')
  })

  t.test('stay unchanged if the index cannot be written', async t => {
    const { services, daisy, holder, mail } = await start(t)
    const before = await daisy.do('events.get', everything)
    const file = new SQLite(services.config.dataDir + '/platform.sqlite')
    // The database itself refuses every write meanwhile.
    file.exec("CREATE TRIGGER broken BEFORE INSERT ON unique_field BEGIN SELECT raise(FAIL, 'broken'); END")
    t.match(await mail('new@example.com'), { status: 500, error: { id: 'unexpected-error' } })
    const { body, status } = await daisy.http('PUT', '/account', { email: 'new@example.com' })
    t.match({ body, status }, { status: 500, body: { error: { id: 'unexpected-error' }, meta: {} } })
    t.same(await daisy.do('events.get', everything), before, 'nothing has changed')
    file.exec('DROP TRIGGER broken')
    file.close()
    t.equal(holder('new@example.com'), undefined)
    await daisy.do('account.update', { update: { email: 'new@example.com' } })
    t.equal(holder('new@example.com'), 'daisy')
    t.equal(holder('daisy@example.com'), undefined)
  })

  t.test('stored by earlier versions become events when the account is opened', async t => {
    const { services, daisy, holder, service } = await start(t)
    const account = services.accounts.find('alice')!
    const values = {
      email: 'alice@example.com',
      language: 'fr',
      referer: null,
      appId: 'old-app',
      unheardOf: 1
    }
    const file = new SQLite(new Layout(services.config.dataDir).userFile(account.id))
    for (const [name, value] of Object.entries(values))
      file.prepare('INSERT INTO account_field VALUES (?, ?)').run(name, JSON.stringify(value))
    file.close()
    const { alice } = service
    const store = services.accounts.openStore(account)
    t.match([store.account.field('email'), store.account.field('language')], ['alice@example.com', 'fr'])
    store.migrateFields(getAccountStreams(services.config), service.clock.now())
    t.match(await alice.do('account.get'), { account: { email: 'alice@example.com', language: 'fr' } })
    t.same(await seen(alice), [':_system:language', ':system:email'])
    t.same(store.fields.listUnique(), [{ field: 'email', key: 'alice@example.com' }])
    t.equal(store.account.field('unheardOf'), 1)
    t.same(store.storageUsed(), store.recountStorageUsed())
    t.match(services.platform.changeNow('replaceUnique', account.id, store.fields.listUnique()), [])
    t.equal(holder('alice@example.com'), 'alice')
    t.match(await daisy.call('account.update', { update: { email: 'alice@example.com' } }), { status: 409 })
  })

  t.test('notify accesses that may read them', async t => {
    const { services, daisy, service } = await start(t)
    const heard: string[][] = []
    const store = services.accounts.openStore(services.accounts.find('daisy')!)
    const callers = await Promise.all(
      (['*', ':system:email', ':_system:account', ':_system:language'] as const).map(
        async streamId => await daisy.grant('read', streamId)
      )
    )
    service.server.services.bus.subscribe((_username, change) => {
      if (change.kind === 'events')
        heard.push(
          [daisy, ...callers].flatMap(({ access }, index) =>
            runSteps(new ChangeRecipient(store, access).mayReceive(change)) ? [String(index)] : []
          )
        )
    })
    await daisy.do('account.update', { update: { email: 'new@example.com' } })
    await daisy.event()
    t.same(heard, [
      ['0', '2', '3'],
      ['0', '1']
    ])
  })
})

t.test('custom fields', async t => {
  const account: CustomStream[] = [
    {
      id: 'insurance',
      type: 'number/any',
      isIndexed: true,
      isUnique: true,
      isRequiredInValidation: true,
      regexValidation: '^\\d{4}$',
      regexError: { code: 'insurance-wrong', message: 'Four digits, please' }
    },
    {
      id: 'place',
      name: 'Place',
      type: 'place/any',
      children: [{ id: 'town', type: 'town/any', default: 'Bern' }]
    },
    { id: 'secret', type: 'secret/any', isShown: false }
  ]
  const { services, service } = await start(t, {
    custom: { systemStreams: { account, other: [{ id: 'news', type: 'none/none' }] } }
  })
  const register = async (fields: object): Promise<Answer> =>
    await service.call(undefined, 'auth.register', {
      appId: 'test-app',
      username: 'robert',
      password: 'correct horse',
      email: 'robert@example.com',
      ...fields
    })

  t.test('are validated at registration', async t => {
    t.match(await register({}), refused('insurance-required'))
    t.match(await register({ insurance: '12' }), refused('insurance-wrong'))
    t.match(await register({ insurance: { a: 1 } }), refused('INVALID_TYPE'))
    t.match(await register({ insurance: '12', email: 3 }), {
      error: { data: [{ code: 'email-invalid' }, { code: 'insurance-wrong' }] }
    })
    t.equal(services.accounts.find('robert'), undefined)
    t.match(await register({ insurance: 1234, secret: 'x' }), { username: 'robert' })
    const again = await register({ insurance: '1234', username: 'roberta' })
    t.match(again, { status: 409, error: { data: { insurance: '1234', email: 'robert@example.com' } } })
  })

  t.test('are returned like those of every account', async t => {
    const daisy = await service.user('rosie', { email: 'rosie@example.com', insurance: '7777', town: 'Thun' })
    t.match(await daisy.do('account.get'), {
      account: { insurance: '7777', place: { town: 'Thun' }, secret: undefined }
    })
    const { streams } = await daisy.do('streams.get')
    t.match(streams, [
      { id: ':_audit:' },
      { id: ':system:news' },
      {
        id: ':_system:account',
        children: [
          { id: ':system:email' },
          { id: ':system:insurance' },
          {},
          { id: ':system:place', children: [{ id: ':system:town' }] }
        ]
      },
      {}
    ])
    t.notMatch(JSON.stringify(streams), 'secret')
    await daisy.do('account.update', { update: { town: 'Biel', insurance: '8888' } })
    t.match(await daisy.call('account.update', { update: { insurance: 'x' } }), {
      error: { data: [{ code: 'insurance-wrong' }] }
    })
    t.match(await daisy.call('account.update', { update: { secret: 'x' } }), {
      error: { id: 'invalid-operation' }
    })
    const fields = { streamIds: [':system:secret'], type: 'secret/any', content: 'x' }
    t.match(await daisy.call('events.create', fields), { error: { id: 'forbidden' } })
    await daisy.event({ streamIds: [':system:news'] })
    const reader = await daisy.grant('read', '*')
    t.same(await seen(reader), [':system:news'])
  })

  t.test('are found after the index is rebuilt', async t => {
    const values = (): unknown[] =>
      ['robert', 'rosie', 'daisy'].map(name => {
        const { id } = services.accounts.find(name)!
        return services.platform.changeNow(
          'replaceUnique',
          id,
          services.accounts.openStore(services.accounts.find(name)!).fields.listUnique()
        )
      })
    const robert = services.accounts.find('robert')!
    services.platform.changeNow('replaceUnique', robert.id, [{ field: 'email', key: 'rosie-s@example.com' }])
    services.platform.changeNow('replaceUnique', services.accounts.find('daisy')!.id, [
      { field: 'insurance', key: '1234' }
    ])
    t.same(
      rebuildUniqueIndex(
        new Layout(service.directory),
        services.platform,
        services.platform.listKnown('', 100)
      ),
      []
    )
    t.equal(services.platform.findByUnique('insurance', 1234)?.username, 'robert')
    t.equal(services.platform.findByUnique('email', 'daisy@example.com')?.username, 'daisy')
    t.equal(services.platform.findByUnique('email', 'rosie-s@example.com'), undefined)
    t.same(values(), [[], [], []])
  })
})

t.test('a field whose settings change to hidden, shown or removed', async t => {
  const directory = t.testdir()
  const serve = async (account: CustomStream[]) =>
    await startServer(
      testSettings(directory, { workers: 0, custom: { systemStreams: { account, other: [] } } })
    )
  const secret = { id: 'secret', type: 'secret/any' }
  let token = ''
  const listed = async (account: CustomStream[]): Promise<string> => {
    const server = await serve(account)
    const headers = { 'content-type': 'application/json', origin: server.url }
    const user = {
      appId: 'test-app',
      username: 'robert',
      password: 'correct horse',
      email: 'r@example.com',
      secret: 'x'
    }
    if (token === '') {
      const body = JSON.stringify(user)
      await fetch(`${server.url}/users`, { method: 'POST', headers, body })
      token = (
        (await (
          await fetch(`${server.url}/robert/auth/login`, { method: 'POST', headers, body })
        ).json()) as Answer
      ).token
    }
    const answer = await fetch(`${server.url}/robert/events?auth=${token}`)
    const { events } = (await answer.json()) as Answer
    await server.close()
    return events.some(({ content }: Answer) => content === 'x') ? 'shown' : 'hidden'
  }
  for (const [account, expected] of [
    [[secret], 'shown'],
    [[{ ...secret, isShown: false }], 'hidden'],
    [[secret], 'shown'],
    [[], 'hidden'],
    [[secret], 'shown']
  ] as const)
    t.equal(await listed([...account]), expected)
  const layout = new Layout(directory)
  t.same((await checkDirectory(layout)).problems, [])
  const file = new SQLite(layout.platformFile)
  file.exec('DELETE FROM unique_field')
  file.close()
  t.match((await checkDirectory(layout)).problems, [{ kind: 'platform', user: 'robert', detail: /"email"/ }])
})

t.test(
  'a unique value is released when it is replaced, however the settings of its field have changed',
  async t => {
    const nick = { id: 'nick', type: 'nick/any' }
    const unique = { account: [{ ...nick, isUnique: true, isIndexed: true }], other: [] }
    const others = { plain: { account: [nick], other: [] }, other: { account: [], other: [nick] } }
    const changes: [keyof typeof others, (alice: Client, id: string) => Promise<unknown>][] = [
      ['plain', alice => alice.do('account.update', { update: { nick: 'other' } })],
      ['plain', (alice, id) => alice.do('events.update', { id, update: { content: 'other' } })],
      ['other', (alice, id) => alice.do('events.update', { id, update: { streamIds: [':system:nick'] } })]
    ]
    for (const [kind, change] of rotate(t, changes))
      await t.test(`${kind}: ${String(change)}`, async t => {
        const directory = t.testdir()
        const clock = new ManualClock()
        const serve = async (systemStreams: typeof unique): Promise<Service> => {
          const settings = testSettings(directory, { workers: 0, custom: { systemStreams } })
          return new Service(await startServer(settings, { clock, methodModules }), clock, directory)
        }
        const first = await serve(unique)
        const { access } = await first.user('alice', { email: 'a@example.com', nick: 'wanted' })
        const { events } = await new Client(first, 'alice', access).do('events.get', {
          streams: [':system:nick']
        })
        await first.server.close()
        const second = await serve(others[kind] as typeof unique)
        await change(new Client(second, 'alice', access), events[0].id)
        await second.server.close()
        t.same((await checkDirectory(new Layout(directory))).problems, [])
        const third = await serve(unique)
        const bob = await third.user('bobby', { email: 'b@example.com', nick: 'none' })
        await bob.do('account.update', { update: { nick: 'wanted' } })
        await third.server.close()
      })
  }
)
