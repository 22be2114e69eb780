import t from 'tap'
import { coffer } from '../../support/coffer.js'

t.test('getAccessInfo', async t => {
  t.test('returns the access, its calls and its user', async t => {
    const { alice, clock } = await coffer(t)
    const caller = await alice.grantAll(
      [
        { streamId: 'diary', level: 'read' },
        { feature: 'selfRevoke', setting: 'forbidden' }
      ],
      { type: 'app', deviceName: 'phone', clientData: { a: 1 }, expireAfter: 100 }
    )
    await caller.call('streams.get')
    await caller.call('callBatch', [
      { method: 'streams.get', params: {} },
      { method: 'getAccessInfo', params: {} }
    ])
    const { accessId: _, ...info } = await caller.do('getAccessInfo')
    const { integrity: _not, ...access } = caller.access
    t.same(info, {
      ...access,
      permissions: [...access.permissions!, { streamId: `:_audit:access-${access.id}`, level: 'read' }],
      lastUsed: clock.now(),
      calls: { 'streams.get': 2, callBatch: 1, getAccessInfo: 2 },
      user: { username: 'alice' }
    })
  })

  t.test('returns a personal access without permissions', async t => {
    const { alice } = await coffer(t)
    const info = await alice.do('getAccessInfo')
    t.match(info, { type: 'personal', name: 'coffer-test', token: alice.token, permissions: undefined })
    t.notOk('deleted' in info)
  })

  t.test('is allowed for any access, whatever its permissions', async t => {
    const { alice } = await coffer(t)
    for (const level of ['none', 'create-only', 'read'] as const)
      t.match(await (await alice.grant(level, 'diary')).call('getAccessInfo'), { type: 'shared' })
    t.match(await (await alice.grantAll([])).call('getAccessInfo'), { permissions: [{ level: 'read' }] })
  })

  t.test('is refused without a valid token', async t => {
    const service = await coffer(t)
    const expired = await service.alice.grant('read', 'diary', { expireAfter: 0 })
    for (const token of [undefined, '', 'nobody', '__proto__', expired.token])
      t.match(await service.call('alice', 'getAccessInfo', {}, token), {
        status: 401,
        error: { id: 'invalid-access-token' }
      })
  })
})
