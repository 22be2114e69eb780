import t from 'tap'
import { coffer, openCoffer, textsOf, type Answer, type Client } from '../../../support/coffer.js'
import { givePassword, password } from '../../../support/passkeys.js'

const names = (accesses: { name: string }[]): string[] => accesses.map(access => access.name)

const byName = (a: Answer, b: Answer): number =>
  a.name === b.name ? (a.id < b.id ? -1 : 1) : a.name < b.name ? -1 : 1
const byTime = (a: Answer, b: Answer): number => a.deleted - b.deleted || (a.id < b.id ? -1 : 1)

t.test('accesses.get', async t => {
  t.test('returns all by name to a personal access', async t => {
    const { alice, clock } = await coffer(t)
    await alice.grant('read', 'diary', { name: 'zoe', clientData: { a: 1 } })
    const bob = await alice.grant('read', 'diary', { name: 'bob' })
    await alice.grant('read', 'diary', { name: 'app', type: 'app' })
    await alice.grant('read', 'diary', { name: 'old', expireAfter: 0 })
    clock.advance(5)
    await bob.do('streams.get')
    const { accesses } = await alice.do('accesses.get', { includeExpired: null, includeDeletions: null })
    t.same(names(accesses), ['app', 'bob', 'coffer-test', 'zoe'])
    t.match(accesses[1], { ...bob.access, lastUsed: clock.now() })
    t.match(accesses[2], { type: 'personal', token: alice.token, permissions: undefined })
    t.match(accesses[3], { clientData: { a: 1 } })
    for (const access of accesses) {
      t.match(access.apiEndpoint, `${access.token}@`)
      t.notOk('deleted' in access)
      t.notOk('calls' in access)
    }
    t.same(names((await alice.do('accesses.get', { includeExpired: true })).accesses), [
      'app',
      'bob',
      'coffer-test',
      'old',
      'zoe'
    ])
  })

  t.test('returns the tokens of other sessions only to those who have just signed in', async t => {
    const service = await coffer(t)
    const { alice, clock } = service
    await givePassword(alice)
    const origin = service.server.url
    const signIn = async (appId: string): Promise<string> => {
      const given = { appId, username: 'alice', password }
      const { token } = (await service.http('POST', '/alice/auth/login', given, { origin })).body
      if (typeof token !== 'string') throw new Error(`${appId} is not signed in`)
      return token
    }
    const sees = async (authorization: string, token: string): Promise<boolean[]> => {
      const list = (await service.http('GET', '/alice/accesses', undefined, { authorization })).body
      const { id } = list.accesses.find(({ name }: Answer) => name === 'new-app')
      const one = (await service.http('GET', `/alice/accesses/${id}`, undefined, { authorization })).body
      return [list, one].map(shown => JSON.stringify(shown).includes(token))
    }
    const old = await signIn('old-app')
    clock.advance(700)
    const added = await signIn('new-app')
    t.same(await sees(old, added), [false, false])
    t.same(await sees(added, added), [true, true])
    t.same(await sees(await signIn('another-app'), added), [true, true])
    t.same(await sees(await signIn('old-app'), added), [true, true])
  })

  t.test('returns deletions in order', async t => {
    const { alice, clock } = await coffer(t)
    const made = []
    for (const name of ['a', 'b', 'c']) made.push((await alice.grant('read', 'diary', { name })).access)
    for (const index of [1, 0]) {
      clock.advance(1)
      await alice.do('accesses.delete', { id: made[index]!.id })
    }
    t.notOk('accessDeletions' in (await alice.do('accesses.get')))
    const { accesses, accessDeletions } = await alice.do('accesses.get', { includeDeletions: true })
    t.same(names(accesses), ['c', 'coffer-test'])
    const changed = { apiEndpoint: undefined, integrity: /^ACCESS:0:sha256-/ }
    t.match(accessDeletions, [
      { ...made[1], ...changed, deleted: clock.now() - 1 },
      { ...made[0], ...changed, deleted: clock.now() }
    ])
  })

  t.test('returns to an app its own shares within its permissions', async t => {
    const { alice } = await coffer(t)
    for (const [id, parentId] of [
      ['diary', null],
      ['day', 'diary']
    ] as const)
      await alice.stream(id, parentId)
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    const other = await alice.grant('manage', 'diary', { type: 'app' })
    await other.grant('read', 'diary', { name: 'of the other app' })
    await alice.grant('read', 'diary', { name: 'of alice' })
    await app.grant('read', 'day', { name: 'own' })
    const gone = await app.grant('read', 'diary', { name: 'gone' })
    await app.do('accesses.delete', { id: gone.access.id })
    const { accesses, accessDeletions } = await app.do('accesses.get', { includeDeletions: true })
    t.same(names(accesses), ['own'])
    t.same(names(accessDeletions), ['gone'])
    await alice.do('streams.update', { id: 'day', update: { parentId: null } })
    t.same((await app.do('accesses.get')).accesses, [], 'the stream has left what the app holds')
  })

  t.test('includes shares created by an app with a caller id', async t => {
    const { alice, call } = await coffer(t).then(service => ({
      alice: service.alice,
      call: service.call.bind(service)
    }))
    await alice.stream('diary')
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    const params = { name: 'own', permissions: [{ streamId: 'diary', level: 'read' }] }
    await call('alice', 'accesses.create', params, `${app.token} somebody`)
    const { accesses } = await app.do('accesses.get')
    t.match(accesses, [{ name: 'own', createdBy: `${app.access.id} somebody` }])
    t.same((await app.do('accesses.delete', { id: accesses[0].id })).accessDeletion, { id: accesses[0].id })
  })

  t.test('returns nothing to a create-only app, and refuses shared accesses', async t => {
    const { alice } = await coffer(t)
    const app = await alice.grant('create-only', 'diary', { type: 'app' })
    t.same((await app.do('accesses.get', { includeDeletions: true })).accesses, [])
    for (const level of ['manage', 'create-only'] as const) {
      const shared = await alice.grant(level, 'diary')
      t.match(await shared.call('accesses.get'), { status: 403, error: { id: 'forbidden' } })
    }
  })

  t.test('returns many in pages, in the same order', async t => {
    const service = await openCoffer(t, { storage: { maxOpenUsers: 1 } })
    const { alice, server } = service
    const bob = await service.user('bob')
    await alice.stream('diary')
    const app = await alice.grant('manage', 'diary', { type: 'app' })
    const permissions = [{ streamId: 'diary', level: 'read' }]
    // Ten of each name, so that pages end among them.
    const create = (i: number): object => ({
      method: 'accesses.create',
      params: { name: `name ${Math.floor(i / 10)}`, deviceName: `${i}`, type: 'app', permissions }
    })
    await alice.do(
      'callBatch',
      Array.from({ length: 250 }, (_, i) => create(i))
    )
    const share = (i: number): object => ({
      method: 'accesses.create',
      params: { name: `shared ${i}`, permissions }
    })
    await app.do(
      'callBatch',
      Array.from({ length: 450 }, (_, i) => share(i))
    )
    const { results } = await alice.do('callBatch', [
      ...Array.from({ length: 110 }, (_, i) => share(1000 + i)),
      { method: 'accesses.get', params: {} }
    ])
    const all = results.at(-1).accesses
    t.same(all, all.toSorted(byName))
    t.equal(new Set(all.map(({ id }: Answer) => id)).size, 1 + 1 + 250 + 450 + 110)
    const [large] = results
    await alice.do('accesses.delete', { id: large.access.id })
    const own = await pagesOf(app)
    t.equal(own.result.accesses.length, 450)
    // All deleted at the same time.
    await alice.do('accesses.delete', { id: app.access.id })
    const { result, texts } = await pagesOf(alice)
    t.equal(result.accesses.length, 1 + 250 + 109)
    const ids = result.accessDeletions.map(({ id }: Answer) => id)
    t.equal(new Set(ids).size, 1 + 1 + 450)
    t.same(result.accessDeletions, result.accessDeletions.toSorted(byTime))
    t.ok(texts.length > 4, `${texts.length} pages`)

    /** Returns the list and its chunks; the file is closed and reopened in between. */
    async function pagesOf(client: Client): Promise<{ result: Answer; texts: string[] }> {
      const outcome = await server.dispatcher.call({
        user: 'alice',
        method: 'accesses.get',
        params: { includeDeletions: true },
        credentials: { ip: '127.0.0.1', via: 'http', authorization: client.token }
      })
      const texts: string[] = []
      for await (const text of textsOf(outcome)) {
        texts.push(text)
        await bob.do('streams.get')
      }
      for (const text of texts) t.ok(text.length < 150_000, `${text.length}`)
      return { result: JSON.parse(`{${texts.join('')}}`), texts }
    }
  })

  t.test('refuses unknown and invalid params', async t => {
    const { alice } = await coffer(t)
    for (const params of [{ includeExpired: 'yes' }, { includeDeletions: 1 }, { state: 'all' }])
      t.match(await alice.call('accesses.get', params), { error: { id: 'invalid-parameters-format' } })
  })
})
