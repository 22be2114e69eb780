/** Usage of an account, for any number of accesses. (docs/spec/administration.md#people) */
import t from 'tap'
import { openCoffer } from '../../support/coffer.js'

const many = 450
const key = { authorization: 'the key of the operator' }

t.test('an account with many accesses', async t => {
  const service = await openCoffer(t, { adminKey: key.authorization })
  const { alice, clock } = service
  await alice.stream('diary')
  const first = await alice.grant('read', 'diary', { name: 'first' })
  for (let n = 0; n < many; n++) await alice.grant('read', 'diary', { name: `share ${n}` })
  const last = await alice.grant('read', 'diary', { type: 'app', name: 'last-app' })
  const told = async (): Promise<{ lastUsed: number; lastAccess: number }> => {
    const { body: person } = await service.http('GET', '/system/users/alice', undefined, key)
    const { body: info } = await service.http('GET', '/system/user-info/alice', undefined, key)
    return { lastUsed: person.user.lastUsed, lastAccess: info.userInfo.lastAccess }
  }

  t.test('was last used when any of them was, including deleted ones', async t => {
    clock.advance(1000)
    const used = clock.now()
    await first.call('streams.get')
    await alice.do('accesses.delete', { id: first.access.id })
    t.same(await told(), { lastUsed: used, lastAccess: used })
    clock.advance(1000)
    const later = clock.now()
    await last.call('streams.get')
    t.same(await told(), { lastUsed: later, lastAccess: later })
  })

  t.test('counts the calls of all of them', async t => {
    const { services } = service.server
    services.accounts.openStore(services.accounts.find('alice')!).flushUsage()
    await last.call('streams.get')
    const { body } = await service.http('GET', '/system/user-info/alice', undefined, key)
    const { callsDetail, callsPerAccess, callsTotal } = body.userInfo
    t.equal(callsPerAccess['last-app'], 2)
    t.equal(callsPerAccess.shared, 1)
    t.equal(callsDetail['accesses:create'], many + 2)
    t.equal(callsDetail['streams:get'], 3)
    t.equal(
      callsTotal,
      Object.values(callsDetail as Record<string, number>).reduce((a, b) => a + b)
    )
  })
})
