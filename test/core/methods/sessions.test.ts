/** Listing and revoking sessions. (docs/spec/authentication.md#sessions) */
import t, { type Test } from 'tap'
import { openSession } from '../../../core/auth/personal-access.js'
import { setFactor } from '../../../core/sign-in/mfa/factor.js'
import { Client, openCoffer } from '../../support/coffer.js'
import { socketOf } from '../../support/socket.js'

/** Starts a service in which Alice has signed in with three apps, one after the other. */
async function start(t: Test) {
  const service = await openCoffer(t)
  const { clock, server, alice } = service
  const { accounts, config } = server.services
  const signIn = async (appId: string, username = 'alice'): Promise<Client> => {
    const store = accounts.openStore(accounts.find(username)!)
    const access = await store.write(() => openSession(config, store, appId, clock.now()))
    return new Client(service, username, access)
  }
  clock.advance(100)
  const phone = await signIn('phone-app')
  clock.advance(100)
  const tablet = await signIn('tablet-app')
  return { service, clock, alice, phone, tablet, signIn, day: 86_400 }
}

t.test('sessions.get', async t => {
  t.test('returns when each began, was last used, and expires', async t => {
    const { alice, clock, phone, tablet } = await start(t)
    const began = clock.now()
    clock.advance(50)
    await phone.do('getAccessInfo')
    clock.advance(50)
    const { sessions } = await alice.do('sessions.get')
    const life = 1_209_600
    const row = ({ access }: Client, created: number, lastUsed: number, isCurrent = false) => ({
      id: access.id,
      appId: access.name,
      created,
      lastUsed,
      expires: lastUsed + life,
      isCurrent
    })
    const rounded = sessions.map((session: { created: number }) => ({
      ...session,
      created: Math.round(session.created)
    }))
    t.strictSame(rounded, [
      row(alice, began - 200, began + 100, true),
      row(phone, began - 100, began + 50),
      row(tablet, began, began)
    ])
  })

  t.test('omits expired sessions, and shows a new one after the next sign-in', async t => {
    const { alice, clock, day, phone, signIn } = await start(t)
    clock.advance(10 * day)
    await alice.do('getAccessInfo')
    clock.advance(5 * day)
    t.same((await alice.do('sessions.get')).sessions.length, 1)
    const again = await signIn('phone-app')
    t.equal(again.access.id, phone.access.id)
    const { sessions } = await alice.do('sessions.get')
    const found = sessions.find(({ appId }: { appId: string }) => appId === 'phone-app')
    t.equal(Math.round(found.created), clock.now())
  })

  t.test('returns whether signing in requires a second factor', async t => {
    const { alice, service } = await start(t)
    t.equal((await alice.do('sessions.get')).hasSecondFactor, false)
    const { accounts } = service.server.services
    const store = accounts.openStore(accounts.find('alice')!)
    const factor = { method: 'totp', content: {}, secret: 'A'.repeat(32), recoveryCodes: [] } as const
    await store.write(() => setFactor(store, factor))
    t.equal((await alice.do('sessions.get')).hasSecondFactor, true)
  })

  t.test('omits sessions of other users', async t => {
    const { service, signIn, alice } = await start(t)
    const bobby = await service.user('bobby')
    await signIn('bobbys-app', 'bobby')
    t.equal((await bobby.do('sessions.get')).sessions.length, 2)
    t.notMatch(JSON.stringify(await alice.do('sessions.get')), 'bobby')
    const [first] = (await alice.do('sessions.get')).sessions
    t.match(await bobby.call('sessions.delete', { id: first.id }), { error: { id: 'unknown-resource' } })
  })
})

t.test('sessions.delete', async t => {
  t.test('closes only the sockets of that session', async t => {
    const { alice, phone, tablet } = await start(t)
    const [kept, cut] = [await socketOf(t, tablet), await socketOf(t, phone)]
    const { status, body } = await alice.http('DELETE', `/sessions/${phone.access.id}`)
    t.match({ status, body }, { status: 200, body: { sessionDeletion: { id: phone.access.id } } })
    await cut.closed()
    t.match(await kept.call('getAccessInfo'), { name: 'tablet-app' })
    t.match(await phone.call('getAccessInfo'), { status: 401, error: { id: 'invalid-access-token' } })
    t.match(await alice.call('sessions.delete', { id: phone.access.id }), { status: 404 })
  })

  t.test('keeps accesses that were shared from that session', async t => {
    const { alice, phone } = await start(t)
    await phone.stream('diary')
    const shared = await phone.grant('read', 'diary')
    await alice.do('sessions.delete', { id: phone.access.id })
    t.match(await shared.call('events.get', { streams: ['diary'] }), { events: [] })
  })

  t.test('returns 404 for an expired session', async t => {
    const { alice, clock, day, phone } = await start(t)
    clock.advance(10 * day)
    await alice.do('getAccessInfo')
    clock.advance(5 * day)
    t.match(await alice.call('sessions.delete', { id: phone.access.id }), { status: 404 })
  })
})

t.test('sessions.deleteAll', async t => {
  t.test("ends all sessions but the caller's, and closes their sockets", async t => {
    const { alice, phone, tablet } = await start(t)
    const own = await socketOf(t, alice)
    const others = [await socketOf(t, phone), await socketOf(t, tablet)]
    const { status, body } = await alice.http('DELETE', '/sessions')
    t.equal(status, 200)
    t.same(
      body.sessionDeletions.map(({ id }: { id: string }) => id).toSorted(),
      [phone.access.id, tablet.access.id].toSorted()
    )
    for (const socket of others) await socket.closed()
    t.match(await own.call('getAccessInfo'), { name: 'coffer-test' })
    t.same((await alice.do('sessions.deleteAll')).sessionDeletions, [])
  })

  t.test("ends the caller's session as well on request, after sending the response", async t => {
    const { alice, phone } = await start(t)
    const socket = await socketOf(t, alice)
    const { sessionDeletions } = await socket.call('sessions.deleteAll', { includeCurrent: true })
    t.equal(sessionDeletions.length, 3)
    await socket.closed()
    for (const client of [alice, phone]) t.match(await client.call('getAccessInfo'), { status: 401 })
  })
})
