import t from 'tap'
import { createId } from '../../../../core/ids.js'
import type { Level } from '../../../../schemas/permission.js'
import { type Client, coffer, openCoffer, textsOf } from '../../../support/coffer.js'
import { assertTakesLessThan, longestTurn } from '../../../support/probe.js'

/** Formats streams with their substreams: `a(b c(d))`, without the service's own. */
function shape(streams: { id: string; children: never[] }[]): string {
  const own = streams.filter(({ id }) => !id.startsWith(':'))
  return own.map(({ id, children }) => (children.length > 0 ? `${id}(${shape(children)})` : id)).join(' ')
}

/** Creates a(b(c d) e) f(g), with `e` and `f` in the trash. */
async function plant(alice: Client): Promise<void> {
  const streams = [
    ['a', null],
    ['b', 'a'],
    ['c', 'b'],
    ['d', 'b'],
    ['e', 'a'],
    ['f', null],
    ['g', 'f']
  ] as const
  for (const [id, parentId] of streams) await alice.stream(id, parentId)
  for (const id of ['e', 'f']) await alice.do('streams.update', { id, update: { trashed: true } })
}

async function holding(alice: Client, levels: Record<string, Level>): Promise<Client> {
  return await alice.grantAll(Object.entries(levels).map(([streamId, level]) => ({ streamId, level })))
}

/** Returns the ids of root streams, including the service's own. */
async function idsFor(client: Client, params = {}): Promise<string[]> {
  return (await client.do('streams.get', params)).streams.map(({ id }: { id: string }) => id)
}

t.test('streams.get', async t => {
  t.test('returns the tree by name, ignoring accents and case', async t => {
    const { alice } = await coffer(t)
    for (const name of ['beta', 'Alpha', 'été', 'Zoo', 'alpha', 'eta', '10', '9'])
      await alice.do('streams.create', { name })
    const { streams } = await alice.do('streams.get')
    t.same(
      streams.map((stream: { name: string }) => stream.name),
      ['Audit store', '10', '9', 'Alpha', 'alpha', 'beta', 'eta', 'été', 'Zoo', 'Account', 'Helpers']
    )
  })

  t.test(
    'shows the root stream of the audit log only to the owner, and only if calls are recorded',
    async t => {
      const { alice } = await coffer(t)
      for (const state of ['default', 'all']) t.equal((await idsFor(alice, { state }))[0], ':_audit:')
      t.same(await idsFor(alice, { parentId: ':_audit:' }), [':_audit:accesses', ':_audit:actions'])
      t.same(await idsFor(await alice.grant('manage', '*')), [])
      t.same(await idsFor(await alice.grant('read', `:_audit:access-${alice.access.id}`)), [])
      const silent = await coffer(t, { audit: { active: false } })
      t.same(await idsFor(silent.alice), [':_system:account', ':_system:helpers'])
    }
  )

  t.test('shows an app the audit stream of its calls, unless that is forbidden', async t => {
    const { alice } = await coffer(t)
    await alice.stream('diary')
    const read = { streamId: 'diary', level: 'read' } as const
    const app = await alice.grantAll([read], { type: 'app' })
    const own = `:_audit:access-${app.access.id}`
    t.same(await idsFor(app), ['diary', own])
    const { streams } = await app.do('streams.get')
    const last = streams.at(-1)
    t.match(last, { name: app.access.id, parentId: null, children: [], createdBy: 'system' })
    t.match((await app.do('events.get', { streams: [last.id] })).events, [{ streamIds: [own] }])
    t.same(await idsFor(app, { parentId: 'diary' }), [])
    t.same(await idsFor(app, { parentId: own }), [], 'for clients that go down the tree stream by stream')
    const unseen = await alice.grantAll([read, { feature: 'selfAudit', setting: 'forbidden' }], {
      type: 'app'
    })
    t.same(await idsFor(unseen), ['diary'])
    for (const parentId of [own, `:_audit:access-${unseen.access.id}`, ':_audit:accesses'])
      t.match(await unseen.call('streams.get', { parentId }), { status: 403 }, parentId)
    t.same(await idsFor(await alice.grantAll([read])), ['diary'], 'links show what they were made for')
    const silent = await coffer(t, { audit: { active: false } })
    await silent.alice.stream('diary')
    t.same(await idsFor(await silent.alice.grantAll([read], { type: 'app' })), ['diary'])
  })

  t.test('reflects renames', async t => {
    const { alice } = await coffer(t)
    for (const id of ['a', 'b']) await alice.stream(id)
    t.equal(shape((await alice.do('streams.get')).streams), 'a b')
    await alice.do('streams.update', { id: 'a', update: { name: 'c' } })
    t.equal(shape((await alice.do('streams.get')).streams), 'b a')
  })

  t.test('shows each caller only what it may see', async t => {
    const { alice } = await coffer(t)
    await plant(alice)
    const cases: [Record<string, Level>, Record<string, unknown>, string][] = [
      [{ '*': 'read' }, {}, 'a(b(c d))'],
      [{ '*': 'read' }, { state: 'all' }, 'a(b(c d) e) f(g)'],
      [{ '*': 'read', b: 'none' }, {}, 'a'],
      [{ '*': 'read', b: 'none', c: 'read' }, {}, 'a c'],
      [{ '*': 'none', c: 'read' }, {}, 'c'],
      [{ b: 'create-only' }, {}, 'b(c d)'],
      [{ b: 'none' }, {}, ''],
      [{ a: 'read', b: 'manage' }, {}, 'a(b(c d))'],
      [{ c: 'read', d: 'contribute', a: 'none' }, {}, 'c d'],
      [{ a: 'read', b: 'none' }, { state: 'all' }, 'a(e)'],
      [{ g: 'read' }, {}, ''],
      [{ g: 'read' }, { state: 'all' }, 'g'],
      [{ a: 'read' }, { parentId: 'a' }, 'b(c d)'],
      [{ a: 'read' }, { parentId: 'a', state: 'all' }, 'b(c d) e'],
      [{ a: 'read', c: 'none' }, { parentId: 'b' }, 'd'],
      [{ f: 'read' }, { parentId: 'f' }, ''],
      [{ f: 'read' }, { parentId: 'f', state: 'all' }, 'g'],
      [{ unheard: 'manage' }, {}, '']
    ]
    for (const [levels, params, expected] of cases) {
      const caller = await holding(alice, levels)
      const answer = await caller.do('streams.get', params)
      t.equal(shape(answer.streams), expected, JSON.stringify([levels, params]))
    }
    t.equal(shape((await alice.do('streams.get')).streams), 'a(b(c d))')
    t.equal(
      shape((await alice.do('streams.get', { state: 'all', parentId: null })).streams),
      'a(b(c d) e) f(g)'
    )
  })

  t.test('shows nothing to an access without permissions on streams', async t => {
    const { alice } = await coffer(t)
    await plant(alice)
    for (const permissions of [[], [{ feature: 'selfRevoke', setting: 'forbidden' } as const]]) {
      const caller = await alice.grantAll(permissions)
      t.same((await caller.do('streams.get', { state: 'all', includeDeletionsSince: 0 })).streams, [])
    }
  })

  t.test('does not reveal hidden parents', async t => {
    const { alice } = await coffer(t)
    await plant(alice)
    const caller = await alice.grant('read', 'b')
    const { streams } = await caller.do('streams.get')
    t.match(streams, [{ id: 'b', parentId: null, children: [{ parentId: 'b' }, { parentId: 'b' }] }])
  })

  t.test('refuses', async t => {
    const { alice } = await coffer(t)
    await plant(alice)
    const reader = await alice.grant('read', 'b')
    const refused: [Client, Record<string, unknown>, string, unknown?][] = [
      [alice, { parentId: 'nowhere' }, 'unknown-referenced-resource', { parentId: 'nowhere' }],
      [reader, { parentId: 'nowhere' }, 'unknown-referenced-resource', { parentId: 'nowhere' }],
      [reader, { parentId: 'a' }, 'forbidden'],
      [alice, { parentId: ':_system:email' }, 'unknown-referenced-resource'],
      [alice, { parentId: ':_system:appId' }, 'forbidden'],
      [reader, { parentId: ':_system:account' }, 'forbidden'],
      [alice, { parentId: '' }, 'invalid-parameters-format'],
      [alice, { state: 'trashed' }, 'invalid-parameters-format'],
      [alice, { includeDeletionsSince: 'now' }, 'invalid-parameters-format'],
      [alice, { depth: 5 }, 'invalid-parameters-format']
    ]
    for (const [caller, params, id, data] of refused) {
      const { error } = await caller.call('streams.get', params)
      t.equal(error?.id, id, JSON.stringify(params))
      if (data) t.same(error.data, data)
    }
  })

  t.test('requires a token', async t => {
    const service = await coffer(t)
    const answer = await service.call('alice', 'streams.get', {})
    t.match(answer, { status: 401, error: { id: 'invalid-access-token' } })
  })

  t.test('lists many deletions of deep streams in short pieces', async t => {
    const { alice, server } = await openCoffer(t)
    const ids = Array.from({ length: 99 }, (_, n) => String(n).padStart(1000, 'x'))
    for (const [n, id] of ids.entries())
      await alice.do('streams.create', { id, name: id, parentId: n === 0 ? null : ids[n - 1] })
    const children = Array.from({ length: 300 }, () => createId())
    for (const id of children) await alice.stream(id, ids.at(-1))
    const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
    await store.write(() => {
      for (const id of children.slice(0, 200)) store.streams.remove(id, 1)
      for (const id of children.slice(200)) store.streams.remove(id, 2)
    })
    const read = async (): Promise<string[]> => {
      const { streamDeletions } = await alice.do('streams.get', { includeDeletionsSince: 0 })
      return streamDeletions.map(({ id }: { id: string }) => id)
    }
    await assertTakesLessThan(t, 40, async () => await longestTurn(read))
    await assertTakesLessThan(t, 40, async () =>
      longestTurn(async () => alice.http('GET', '/streams?includeDeletionsSince=0'))
    )
    const found = await read()
    t.same(found.toSorted(), children.toSorted())
    t.same(found.slice(0, 100).toSorted(), children.slice(200).toSorted(), 'the latest first')
  })

  t.test('returns trees as deep as the limit permits, and deeper', async t => {
    const { alice, server } = await openCoffer(t, { limits: { streamDepth: 20_000 } })
    const account = server.services.accounts.find('alice')!
    const store = server.services.accounts.openStore(account)
    const ids = Array.from({ length: 12_000 }, createId)
    const tracking = { created: 1, createdBy: 'x', modified: 1, modifiedBy: 'x' }
    await store.write(() =>
      ids.forEach((id, index) =>
        store.streams.insert({ id, name: id, parentId: ids[index - 1] ?? null, ...tracking })
      )
    )
    const outcome = await server.registry.call({
      user: 'alice',
      method: 'streams.get',
      params: {},
      credentials: { ip: '127.0.0.1', via: 'http', authorization: alice.token }
    })
    let text = ''
    for await (const piece of textsOf(outcome)) text += piece
    t.ok(text.includes(']}'.repeat(12_000) + ','))
  })
})
