/** Permissions end with their streams: they do not apply to a later stream with the same id. */
import t from 'tap'
import type { Level, Permission } from '../../../schemas/permission.js'
import { matchesIntegrity } from '../../../core/integrity.js'
import { checkDirectory } from '../../../scripts/maintenance/check.js'
import { Layout } from '../../../storage/files/layout.js'
import { openCoffer, type Answer, type Client } from '../../support/coffer.js'
import { socketOf } from '../../support/socket.js'

type Levels = Readonly<Record<string, Level>>

function permissionsOf(levels: Levels): Permission[] {
  return Object.entries(levels).map(([streamId, level]) => ({ streamId, level }))
}

/** Deletes a stream permanently. */
async function remove(client: Client, id: string, mergeEventsWithParent = false): Promise<void> {
  await client.do('streams.delete', { id })
  await client.do('streams.delete', { id, mergeEventsWithParent })
}

async function contents(client: Client, query: object = {}): Promise<unknown[]> {
  const { events } = await client.do('events.get', { fromTime: 0, toTime: 1e300, state: 'all', ...query })
  return events.map(({ content }: Answer) => content).toSorted()
}

async function accessOf(alice: Client, { access: { id } }: Client): Promise<Answer> {
  const { accesses } = await alice.do('accesses.get', { includeExpired: true })
  return accesses.find((access: Answer) => access.id === id)
}

t.test('a permission on a stream', async t => {
  t.test('ends when the stream is deleted permanently', async t => {
    const { alice } = await openCoffer(t)
    for (const merge of [true, false]) {
      await alice.stream('top')
      await alice.stream('diary', 'top')
      await alice.stream('page', 'diary')
      await alice.event({ content: 'old' })
      const levels: Level[] = ['read', 'contribute', 'manage', 'create-only']
      const callers = await Promise.all(
        levels.flatMap(level =>
          ['app', 'shared'].flatMap(type =>
            ['diary', 'page'].map(id => alice.grant(level, id, { type, name: `${id} ${level} ${type}` }))
          )
        )
      )
      const app = await alice.grant('manage', 'diary', { type: 'app' })
      callers.push(app, await app.grant('read', 'page'))
      await alice.do('streams.delete', { id: 'diary' })
      for (const caller of callers)
        t.not((await accessOf(alice, caller)).permissions.length, 0, 'the trash ends nothing')
      await alice.do('streams.delete', { id: 'diary', mergeEventsWithParent: merge })
      await alice.stream('diary')
      await alice.stream('page', 'diary')
      await alice.event({ content: 'new' })
      await alice.event({ streamIds: ['page'], content: 'new' })
      for (const caller of callers) {
        const { level } = caller.access.permissions![0] as { level: Level }
        t.same(await contents(caller), [], level)
        t.same((await accessOf(alice, caller)).permissions, [])
        const params = { streamIds: ['page'], type: 'note/txt', content: '' }
        t.match(await caller.call('events.create', params), { status: 403 })
        t.match(await caller.call('events.get', { streams: ['diary'] }), { status: 403 })
      }
      for (const { access } of callers) await alice.call('accesses.delete', { id: access.id })
      await remove(alice, 'diary')
      await remove(alice, 'top')
    }
  })

  t.test("ends without affecting the access's other permissions", async t => {
    const { alice } = await openCoffer(t)
    for (const id of ['diary', 'work', 'gone', 'shut']) await alice.stream(id)
    const feature = { feature: 'selfRevoke', setting: 'forbidden' } as const
    const held = [
      ...permissionsOf({ '*': 'read', diary: 'contribute', gone: 'read', shut: 'none', waiting: 'read' }),
      feature
    ]
    const caller = await alice.grantAll(held)
    for (const id of ['gone', 'shut', 'diary']) await remove(alice, id)
    t.same((await accessOf(alice, caller)).permissions, [
      ...permissionsOf({ '*': 'read', shut: 'none', waiting: 'read' }),
      feature
    ])
    for (const id of ['shut', 'waiting']) await alice.stream(id)
    await alice.event({ streamIds: ['shut'], content: 'closed' })
    await alice.event({ streamIds: ['waiting'], content: 'open' })
    t.same(await contents(caller), ['open'], 'what takes away stays')
  })

  t.test('leaves nothing with wider permissions than before', async t => {
    const { alice } = await openCoffer(t)
    await alice.stream('a')
    await alice.stream('mid', 'a')
    for (const level of ['read', 'create-only', 'none'] as const) {
      const app = await alice.grantAll(permissionsOf({ a: 'manage', mid: level }), { type: 'app' })
      await remove(alice, 'mid')
      await alice.stream('mid', 'a')
      await alice.event({ streamIds: ['mid'], content: level })
      t.match(await app.call('streams.update', { id: 'mid', update: { name: 'x' } }), { status: 403 }, level)
      t.match(await app.call('streams.delete', { id: 'a' }), { status: 403 }, level)
      t.same(await contents(app), level === 'read' ? ['read'] : [], level)
      const share = await app.call('accesses.create', {
        name: level,
        permissions: permissionsOf({ a: 'manage' })
      })
      t.match(share, { status: 403 }, 'nor to be handed on')
    }
  })

  t.test('ends with tracking fields, audit record, integrity and notifications', async t => {
    const { alice, clock, directory, server } = await openCoffer(t)
    for (const id of ['diary', 'work']) await alice.stream(id)
    const reader = await alice.grant('read', 'diary')
    const other = await alice.grant('read', 'work')
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    const expired = await alice.grant('read', 'diary', { expireAfter: 1 })
    const sockets = await Promise.all([reader, other].map(client => socketOf(t, client)))
    await app.do('streams.delete', { id: 'diary' })
    for (const socket of sockets) await socket.news()
    clock.advance(100)
    await app.do('streams.delete', { id: 'diary' })
    t.same(await sockets[0]!.news(), ['accessesChanged', 'streamsChanged'])
    t.same(await sockets[1]!.news(), [])
    for (const client of [reader, expired, app]) {
      const { apiEndpoint: _, lastUsed: __, ...access } = await accessOf(alice, client)
      t.match(access, { permissions: [], modifiedBy: app.access.id, created: client.access.created })
      t.ok(access.modified > client.access.modified)
      t.equal(matchesIntegrity(access), true)
    }
    const { apiEndpoint: _, lastUsed: __, ...untouched } = await accessOf(alice, other)
    const { apiEndpoint: ___, ...before } = other.access as Answer
    t.same(untouched, before)
    await server.close()
    const { problems } = await checkDirectory(new Layout(directory))
    t.same(problems, [])
  })

  t.test('ends for many accesses and streams in slices', async t => {
    const { alice } = await openCoffer(t)
    await alice.stream('top')
    const names = Array.from({ length: 30 }, (_, n) => `s${n}`)
    for (const name of names) await alice.stream(name, 'top')
    await alice.stream('kept')
    const callers: Client[] = []
    for (let n = 0; n < 450; n++)
      callers.push(await alice.grantAll(permissionsOf({ [names[n % 30]!]: 'read', kept: 'read' })))
    await alice.do('streams.delete', { id: 'top' })
    const others = Array.from({ length: 20 }, () => alice.do('streams.get'))
    await alice.do('streams.delete', { id: 'top' })
    await Promise.all(others)
    const { accesses } = await alice.do('accesses.get')
    for (const { permissions, type } of accesses)
      if (type === 'shared') t.same(permissions, permissionsOf({ kept: 'read' }))
    for (const name of names) await alice.stream(name)
    t.match(await callers[3]!.call('events.get', { streams: ['s3'] }), { status: 403 })
    t.notOk((await callers[3]!.call('events.get', { streams: ['kept'] })).error)
  })

  t.test('left by an earlier version ends when the stream id is reused', async t => {
    const { alice, clock, server } = await openCoffer(t)
    const { accounts } = server.services
    await alice.stream('diary')
    const app = await alice.grantAll(permissionsOf({ '*': 'manage' }), { type: 'app' })
    const left = [
      await alice.grantAll(permissionsOf({ diary: 'read', work: 'read' })),
      await app.grant('manage', 'diary')
    ]
    clock.advance(5)
    await remove(alice, 'diary')
    const store = accounts.openStore(accounts.find('alice')!)
    await store.write(() => {
      for (const { access } of left) store.accesses.update(access)
    })
    clock.advance(5)
    const waiting = await alice.grant('read', 'diary')
    await alice.stream('diary')
    await alice.event({ content: 'new' })
    for (const client of left) t.same(await contents(client), [])
    t.same((await accessOf(alice, left[0]!)).permissions, permissionsOf({ work: 'read' }))
    t.same(await contents(waiting), ['new'], 'what the owner has granted since stays')
  })

  t.test('survives a deletion that was refused', async t => {
    const { alice } = await openCoffer(t)
    await alice.stream('diary')
    const reader = await alice.grant('read', 'diary')
    await alice.do('streams.delete', { id: 'diary' })
    const before = await accessOf(alice, reader)
    t.match(await alice.call('streams.delete', { id: 'diary', mergeEventsWithParent: true }), { status: 400 })
    t.same(await accessOf(alice, reader), before)
  })
})

t.test("the tombstone of a deleted stream's event", async t => {
  const versioning = { forceKeepHistory: true, deletionMode: 'keep-everything' } as const

  t.test('is still returned to accesses that could see the stream', async t => {
    const { alice, clock } = await openCoffer(t, { versioning })
    await alice.stream('diary')
    await alice.stream('page', 'diary')
    const since = clock.now() - 1
    const { id } = await alice.event({ streamIds: ['page'] })
    const reader = await alice.grant('read', 'diary')
    const blind = await alice.grantAll(permissionsOf({ diary: 'read', page: 'create-only' }))
    const stranger = await alice.grant('read', 'elsewhere')
    clock.advance(5)
    await remove(alice, 'diary')
    const query = { modifiedSince: since, includeDeletions: true }
    const told = async (client: Client): Promise<unknown[]> => [
      (await client.do('events.get', query)).eventDeletions.map((one: Answer) => one.id),
      (await client.do('streams.get', { includeDeletionsSince: since })).streamDeletions
        .map((one: Answer) => one.id)
        .toSorted(),
      (await client.call('events.getOne', { id })).event?.content
    ]
    t.same(await told(reader), [[id], ['diary', 'page'], 'hello'])
    t.same(await told(blind), [[], ['diary', 'page'], undefined])
    t.same(await told(stranger), [[], [], undefined])
  })

  t.test('is not returned to accesses that can see another stream with that id', async t => {
    const { alice, clock } = await openCoffer(t, { versioning })
    await alice.stream('diary')
    await alice.stream('work')
    const deleted = await alice.event({ content: 'old' })
    const moved = await alice.event({ content: 'old version' })
    await alice.do('events.update', { id: moved.id, update: { streamIds: ['work'], content: 'at work' } })
    clock.advance(5)
    await remove(alice, 'diary')
    clock.advance(5)
    await alice.stream('diary')
    const young = await alice.event({ content: 'young' })
    for (let n = 0; n < 2; n++) await alice.do('events.delete', { id: young.id })
    const reader = await alice.grantAll(permissionsOf({ diary: 'read', work: 'read' }))
    const query = { modifiedSince: 0, includeDeletions: true }
    const told = async (): Promise<unknown> => [
      (await reader.do('events.get', query)).eventDeletions.map((one: Answer) => one.id),
      (await reader.call('events.getOne', { id: deleted.id })).status,
      (await reader.do('events.getOne', { id: moved.id, includeHistory: true })).history.map(
        (one: Answer) => one.content
      )
    ]
    t.same(await told(), [[young.id], 404, []])
    await remove(alice, 'diary')
    t.same(await told(), [[young.id], 404, []], 'and that one gone as well')
  })
})

t.test('a share of an app', async t => {
  t.test('requires existing streams', async t => {
    const { alice } = await openCoffer(t)
    for (const id of ['a', 'hidden']) await alice.stream(id)
    const app = await alice.grantAll(permissionsOf({ '*': 'manage', hidden: 'none' }), { type: 'app' })
    const create = async (levels: Levels): Promise<Answer> =>
      await app.call('accesses.create', {
        name: JSON.stringify(levels),
        permissions: permissionsOf(levels).map(one => ({ ...one, defaultName: 'x' }))
      })
    for (const level of ['read', 'create-only', 'contribute', 'manage'] as const)
      t.match(await create({ a: 'read', unheard: level }), {
        status: 400,
        error: { id: 'unknown-referenced-resource', data: { streamIds: ['unheard'] } }
      })
    t.match(await create({ hidden: 'read' }), { status: 403 })
    t.ok((await create({ a: 'read', unheard: 'none' })).access, 'to be shut out of nothing is no matter')
    t.ok((await create({ '*': 'read', hidden: 'none' })).access)
    t.ok(
      (await alice.call('accesses.create', { name: 'x', permissions: permissionsOf({ b: 'read' }) })).access
    )
  })

  t.test('of a deleted stream does not apply to a new stream with the same id', async t => {
    const { alice } = await openCoffer(t)
    await alice.stream('diary')
    const app = await alice.grantAll(permissionsOf({ '*': 'manage' }), { type: 'app' })
    const share = await app.grant('read', 'diary')
    await remove(app, 'diary')
    await alice.stream('diary')
    await alice.event({ content: 'mine alone' })
    t.same(await contents(share), [])
    t.same(await contents(app), ['mine alone'])
  })
})
