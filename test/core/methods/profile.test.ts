/** Profile sets, beyond the contract tests. (docs/spec/accounts.md#profile-sets) */
import t from 'tap'
import { Probe } from '../../support/probe.js'
import { coffer, openCoffer } from '../../support/coffer.js'

t.test('profile sets', async t => {
  t.test('of apps are shared by the devices of an app, and by no other app', async t => {
    const { alice } = await coffer(t)
    const app = { type: 'app', name: 'walking' }
    const phone = await alice.grant('read', 'diary', { ...app, deviceName: 'phone' })
    const watch = await alice.grant('read', 'diary', { ...app, deviceName: 'watch' })
    const other = await alice.grant('read', 'diary', { type: 'app', name: 'public' })
    await phone.do('profile.updateApp', { update: { steps: 12 } })
    t.same((await watch.do('profile.getApp')).profile, { steps: 12 })
    t.same((await other.do('profile.getApp')).profile, {})
    t.same((await other.do('profile.getPublic')).profile, {})
  })

  t.test('accept any key, `__proto__` and the like included', async t => {
    const { alice } = await coffer(t)
    const update = JSON.parse('{"__proto__":{"evil":true},"constructor":1,"toString":"text","":0,"a.b":{}}')
    const { body, status } = await alice.http('PUT', '/profile/public', update)
    t.equal(status, 200)
    t.equal(JSON.stringify(body.profile), JSON.stringify(update))
    t.equal(({} as { evil?: boolean }).evil, undefined)
    const { body: found } = await alice.http('GET', '/profile/public')
    t.equal(JSON.stringify(found.profile), JSON.stringify(update))
    const removal = JSON.parse('{"__proto__":null,"constructor":null,"toString":null,"":null}')
    t.same((await alice.http('PUT', '/profile/public', removal)).body.profile, { 'a.b': {} })
  })

  t.test('can be read and written by path as well', async t => {
    const { alice } = await coffer(t)
    t.match(await alice.http('GET', '/profile/other'), {
      status: 404,
      body: { error: { id: 'unknown-resource' } }
    })
    t.match(await alice.http('PUT', '/profile/other', { a: 1 }), { status: 404 })
    t.match(await alice.http('PUT', '/profile/public', [1]), {
      status: 400,
      body: { error: { id: 'invalid-parameters-format' } }
    })
    t.match(await alice.http('GET', '/profile/app'), { status: 403, body: { error: { id: 'forbidden' } } })
  })

  t.test('are limited to the size of a body, also over several calls', async t => {
    const { alice } = await coffer(t, { limits: { bodyBytes: 1024 } })
    await alice.do('profile.updatePrivate', { update: { a: 'x'.repeat(600) } })
    const more = { b: 'x'.repeat(600) }
    t.match(await alice.call('profile.updatePrivate', { update: more }), {
      status: 400,
      error: { id: 'invalid-operation' }
    })
    t.same(Object.keys((await alice.do('profile.getPrivate')).profile), ['a'])
    t.notOk((await alice.call('profile.updatePrivate', { update: { ...more, a: null } })).error)
  })

  t.test('are small enough to be read and written in one piece', async t => {
    const service = await coffer(t)
    const { alice } = service
    const bob = await service.user('bobby')
    let app = alice
    await new Probe(bob).assertServed(t, 500, async () => {
      app = await alice.grant('manage', '*', { type: 'app' })
      let refused = 0
      for (let n = 0; n < 30; n++) {
        const { error } = await app.call('profile.updateApp', { update: part(n) })
        if (error)
          t.match(error, { id: 'invalid-operation', message: /1048576 characters/ }, String(++refused))
      }
      t.ok(refused > 0)
      t.notOk((await app.call('profile.updateApp', { update: { small: 1 } })).error)
      t.equal((await app.do('profile.getApp')).profile.small, 1)
    })
    const clientData = { text: 'x'.repeat(1024 * 1024) }
    const refusal = { error: { id: 'invalid-operation' } }
    t.match(await app.call('streams.create', { id: 'large', name: 'large', clientData }), refusal)
    t.match(await alice.call('streams.getOne', { id: 'large' }), { error: {} })
    await alice.stream('small')
    t.match(await app.call('streams.update', { id: 'small', update: { clientData } }), refusal)
    const access = { name: 'x', permissions: [{ streamId: 'small', level: 'read' }], clientData }
    t.match(await app.call('accesses.create', access), refusal)
  })

  t.test('count towards the storage used', async t => {
    const { alice, server } = await openCoffer(t)
    const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
    const before = store.storageUsed().documents
    await alice.do('profile.updatePublic', { update: { text: 'x'.repeat(1000) } })
    t.ok(store.storageUsed().documents > before + 1000)
    await alice.do('profile.updatePublic', { update: { text: null } })
    t.same(store.storageUsed().documents, before + 2)
    t.same(store.recountStorageUsed(), store.storageUsed())
  })

  t.test("hide the service's own data in the private set", async t => {
    const { alice, server } = await openCoffer(t, { ignoreProtectedFieldUpdates: true })
    const store = server.services.accounts.openStore(server.services.accounts.find('alice')!)
    const mfa = { content: { phone: '1' }, recoveryCodes: ['secret'] }
    await store.write(() => store.profile.update('private', { mfa, colour: 'blue' }))
    t.same((await alice.do('profile.getPrivate')).profile, { colour: 'blue' })
    t.same((await alice.do('profile.get', { id: 'private' })).profile, { colour: 'blue' })
    const { profile } = await alice.do('profile.updatePrivate', { update: { mfa: null, colour: 'red' } })
    t.same(profile, { colour: 'red' }, 'ignored where the operator wants it so')
    t.same(store.profile.find('private'), { mfa, colour: 'red' })
    await alice.do('profile.updatePublic', { update: { mfa: 'of no meaning here' } })
    t.same((await alice.do('profile.getPublic')).profile, { mfa: 'of no meaning here' })
  })
})

/** Returns part of a profile set: many values. */
function part(n: number): object {
  return { [`part ${n}`]: Object.fromEntries(Array.from({ length: 19_000 }, (_, key) => [`${key}`, [key]])) }
}
