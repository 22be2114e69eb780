import t from 'tap'
import type { Change } from '../../../../core/changes.js'
import { type Client, coffer, openCoffer } from '../../../support/coffer.js'

t.test('accesses.delete', async t => {
  t.test('invalidates the token immediately and keeps the record', async t => {
    const { alice, clock } = await coffer(t)
    const reader = await alice.grant('read', 'diary', { name: 'reader' })
    await reader.do('streams.get')
    const answer = await alice.do('accesses.delete', { id: reader.access.id })
    t.same(answer.accessDeletion, { id: reader.access.id })
    t.notOk('relatedDeletions' in answer)
    t.match(await reader.call('streams.get'), { status: 401, error: { id: 'invalid-access-token' } })
    const { accessDeletions } = await alice.do('accesses.get', { includeDeletions: true })
    t.match(accessDeletions, [{ id: reader.access.id, name: 'reader', deleted: clock.now() }])
    await alice.grant('read', 'diary', { name: 'reader', token: reader.token })
    t.notOk((await reader.call('streams.get')).error, 'name and token are free again')
  })

  t.test('also deletes what an app shared, unless it has expired', async t => {
    const { alice, clock } = await coffer(t)
    await alice.stream('diary')
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    const shared = await app.grant('read', 'diary')
    const expired = await app.grant('read', 'diary', { expireAfter: 5 })
    clock.advance(5)
    const ofAlice = await alice.grant('read', 'diary')
    const { relatedDeletions } = await alice.do('accesses.delete', { id: app.access.id })
    t.same(relatedDeletions, [{ id: shared.access.id }])
    t.match(await shared.call('streams.get'), { status: 401 })
    t.notOk((await ofAlice.call('streams.get')).error)
    const { accesses } = await alice.do('accesses.get', { includeExpired: true })
    t.ok(accesses.some(({ id }: { id: string }) => id === expired.access.id))
  })

  t.test('returns no related deletions if an app shared nothing', async t => {
    const { alice } = await coffer(t)
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    t.same((await alice.do('accesses.delete', { id: app.access.id })).relatedDeletions, [])
  })

  t.test('ends the session of a personal access and keeps the accesses that it created', async t => {
    const service = await openCoffer(t)
    const { alice } = service
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    await alice.do('accesses.delete', { id: alice.access.id })
    t.match(await alice.call('streams.get'), { status: 401 })
    t.notOk((await app.call('streams.get')).error)
    const store = service.server.services.accounts.openStore(service.server.services.accounts.find('alice')!)
    t.equal(store.sessions.lastUse(alice.access.id), undefined)
  })

  t.test('accepts an expired access', async t => {
    const { alice } = await coffer(t)
    const expired = await alice.grant('read', 'diary', { expireAfter: 0 })
    t.match(await alice.call('accesses.delete', { id: expired.access.id }), { accessDeletion: {} })
  })

  t.test('is permitted to personal accesses, to the app that shared it, and to itself', async t => {
    const forbidding = [{ feature: 'selfRevoke', setting: 'forbidden' } as const]
    const diary = { streamId: 'diary', level: 'manage' } as const
    const cases: [string, (all: Record<string, Client>) => [Client, Client], boolean][] = [
      ['personal on app', all => [all['alice']!, all['app']!], true],
      ['personal on one that keeps itself', all => [all['alice']!, all['kept']!], true],
      ['app on what it shared', all => [all['app']!, all['child']!], true],
      ['app on what another shared', all => [all['app']!, all['other']!], false],
      ['app on the personal access', all => [all['app']!, all['alice']!], false],
      ['app on itself', all => [all['app']!, all['app']!], true],
      ['app on itself, forbidden', all => [all['keptApp']!, all['keptApp']!], false],
      ['shared on itself', all => [all['other']!, all['other']!], true],
      ['shared on itself, forbidden', all => [all['kept']!, all['kept']!], false],
      ['shared on its app', all => [all['child']!, all['app']!], false],
      ['shared on another', all => [all['other']!, all['child']!], false]
    ]
    const service = await coffer(t)
    for (const [at, [what, pick, isAllowed]] of cases.entries()) {
      const alice = await service.user(`alice${at}`)
      await alice.stream('diary')
      const app = await alice.grantAll([diary], { type: 'app' })
      const all = {
        alice,
        app,
        child: await app.grantAll([diary]),
        other: await alice.grantAll([diary]),
        kept: await alice.grantAll([diary, ...forbidding]),
        keptApp: await alice.grantAll([diary, ...forbidding], { type: 'app' })
      }
      const [caller, target] = pick(all)
      const answer = await caller.call('accesses.delete', { id: target.access.id })
      if (isAllowed) t.same(answer.accessDeletion, { id: target.access.id }, what)
      else {
        t.match(answer, { status: 403, error: { id: 'forbidden' } }, what)
        t.notOk((await target.call('streams.get')).error, 'it lives on')
      }
    }
  })

  t.test('refuses unknown and deleted accesses', async t => {
    const { alice } = await coffer(t)
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    const gone = await alice.grant('read', 'diary', { type: 'app' })
    await alice.do('accesses.delete', { id: gone.access.id })
    for (const caller of [alice, app])
      for (const id of ['nobody', gone.access.id, '__proto__']) {
        const answer = await caller.call('accesses.delete', { id })
        t.match(answer, { status: 404, error: { id: 'unknown-resource' } })
      }
    for (const params of [{}, { id: null }, { id: 5 }, { id: 'x', force: true }])
      t.match(await alice.call('accesses.delete', params), { error: { id: 'invalid-parameters-format' } })
  })

  t.test('publishes changes of the accesses and of their streams', async t => {
    const { alice, server } = await openCoffer(t)
    await alice.stream('diary')
    const told: Change[] = []
    server.services.bus.subscribe((_, change) => told.push(change))
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    const shared = await app.grant('read', 'diary')
    await alice.do('accesses.delete', { id: app.access.id })
    const places = [[['diary']]]
    t.same(
      told.map(each => ({ kind: each.kind, places: each.places, accessIds: each.accessIds })),
      [
        { kind: 'accesses', places, accessIds: [app.access.id] },
        { kind: 'accesses', places, accessIds: [shared.access.id] },
        { kind: 'accesses', places, accessIds: [shared.access.id, app.access.id] }
      ]
    )
    t.same(
      told.map(({ items = [] }) => items.map(({ access }) => access)),
      [
        [{ id: app.access.id, type: 'app' }],
        [{ id: shared.access.id, type: 'shared' }],
        [
          { id: shared.access.id, type: 'shared' },
          { id: app.access.id, type: 'app' }
        ]
      ]
    )
  })
})
