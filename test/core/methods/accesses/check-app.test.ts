import t from 'tap'
import { coffer } from '../../../support/coffer.js'

const requested = [
  { streamId: 'diary', level: 'read', defaultName: 'Diary' },
  { streamId: 'health', level: 'manage', defaultName: 'Health' },
  { feature: 'selfRevoke', setting: 'forbidden' }
]
const asked = { requestingAppId: 'my-app', requestedPermissions: requested }
const fields = { name: 'my-app', type: 'app', permissions: requested }

/** Adds a level to each permission. */
function reading(permissions: Record<string, unknown>[]): Record<string, unknown>[] {
  return permissions.map(permission => ({ ...permission, level: 'read' }))
}

t.test('accesses.checkApp', async t => {
  t.test('returns an access with exactly the requested permissions', async t => {
    const { alice, clock } = await coffer(t)
    const { access } = await alice.do('accesses.create', { ...fields, expireAfter: 10 })
    const answer = await alice.do('accesses.checkApp', {
      ...asked,
      requestedPermissions: requested.toReversed()
    })
    t.same(Object.keys(answer), ['matchingAccess', 'accessId'])
    const { apiEndpoint: _, ...stored } = access
    t.same(answer.matchingAccess, stored)
    clock.advance(10)
    t.match(await alice.do('accesses.checkApp', asked), {
      matchingAccess: undefined,
      checkedPermissions: requested.map(({ defaultName: _name, ...rest }) => rest),
      mismatchingAccess: { id: access.id, token: access.token }
    })
  })

  t.test('returns a different access besides the checked permissions', async t => {
    const { alice } = await coffer(t)
    const { access } = await alice.do('accesses.create', { ...fields, clientData: { a: { b: 1 } } })
    const [diary, health, feature] = requested
    const same = { clientData: { a: { b: 1 } } }
    const cases: [Record<string, unknown>, boolean][] = [
      [same, true],
      [{}, false],
      [{ clientData: null }, false],
      [{ clientData: { a: { b: 2 } } }, false],
      [{ ...same, requestedPermissions: [diary, feature] }, false],
      [{ ...same, requestedPermissions: [diary, health] }, false],
      [{ ...same, requestedPermissions: [diary, { ...health, level: 'read' }, feature] }, false],
      [{ ...same, requestedPermissions: [diary, { ...health, streamId: 'wealth' }, feature] }, false],
      [{ ...same, deviceName: null, token: 'x', expireAfter: 5 }, true]
    ]
    for (const [params, isMatch] of cases) {
      const answer = await alice.call('accesses.checkApp', { ...asked, ...params })
      const what = JSON.stringify(params)
      t.match(answer, { [isMatch ? 'matchingAccess' : 'mismatchingAccess']: { id: access.id } }, what)
      t.equal('checkedPermissions' in answer, !isMatch, what)
    }
    const email = { streamId: '.email', level: 'read', defaultName: 'Address' }
    const older = { requestingAppId: 'older-app', requestedPermissions: [email] }
    t.match(await alice.do('accesses.checkApp', older), { checkedPermissions: [{ name: 'Email' }] })
    await alice.do('accesses.create', { name: 'older-app', type: 'app', permissions: [email] })
    t.match(await alice.do('accesses.checkApp', older), { matchingAccess: Object }, 'by its older id too')
    for (const params of [{ deviceName: 'phone' }, { requestingAppId: 'other-app' }]) {
      const answer = await alice.do('accesses.checkApp', { ...asked, ...params })
      t.same(Object.keys(answer), ['checkedPermissions', 'accessId'], 'another app, another device')
    }
  })

  t.test('returns the names of existing streams, and proposes free names for others', async t => {
    const { alice } = await coffer(t)
    await alice.do('streams.create', { id: 'diary', name: 'My diary' })
    for (const name of ['Health', 'Health (1)']) await alice.do('streams.create', { name })
    await alice.do('streams.create', { name: 'Deep', parentId: 'diary' })
    const cases: [Record<string, unknown>[], Record<string, unknown>[], string | undefined][] = [
      [[{ streamId: 'diary', defaultName: 'Health' }], [{ streamId: 'diary', name: 'My diary' }], undefined],
      [[{ streamId: 'new', defaultName: 'New' }], [{ streamId: 'new', defaultName: 'New' }], undefined],
      [[{ streamId: 'deep', defaultName: 'Deep' }], [{ streamId: 'deep', defaultName: 'Deep' }], undefined],
      [
        [{ streamId: 'health', defaultName: 'Health' }],
        [{ streamId: 'health', defaultName: 'Health (2)' }],
        'item-already-exists'
      ],
      [
        [
          { streamId: 'n1', defaultName: 'New' },
          { streamId: 'n2', defaultName: 'New' }
        ],
        [
          { streamId: 'n1', defaultName: 'New' },
          { streamId: 'n2', defaultName: 'New (1)' }
        ],
        'item-already-exists'
      ],
      [
        [
          { streamId: 'n1', defaultName: 'New' },
          { streamId: 'n2', defaultName: 'New' },
          { streamId: 'n3', defaultName: 'New' },
          { streamId: 'n2', defaultName: 'New' },
          { streamId: 'n4', defaultName: 'New (1)' }
        ],
        [
          { streamId: 'n1', defaultName: 'New' },
          { streamId: 'n2', defaultName: 'New (1)' },
          { streamId: 'n3', defaultName: 'New (2)' },
          { streamId: 'n2', defaultName: 'New (1)' },
          { streamId: 'n4', defaultName: 'New (1) (1)' }
        ],
        'item-already-exists'
      ],
      [[{ streamId: '*', defaultName: 'All' }], [{ streamId: '*' }], undefined],
      [[{ streamId: '*' }], [{ streamId: '*' }], undefined],
      [[{ streamId: '*', defaultName: null, name: null }], [{ streamId: '*' }], undefined],
      [
        [{ streamId: ':_audit:x', defaultName: 'Audit' }],
        [{ streamId: ':_audit:x', defaultName: 'Audit' }],
        undefined
      ],
      [[], [], undefined]
    ]
    for (const [wanted, checked, error] of cases) {
      const answer = await alice.call('accesses.checkApp', {
        requestingAppId: 'my-app',
        requestedPermissions: reading(wanted)
      })
      t.same(answer.checkedPermissions, reading(checked))
      t.equal(answer.error?.id, error)
    }
  })

  t.test('shortens proposed names to the limit', async t => {
    const { alice } = await coffer(t)
    const name = '\u{1f600}'.repeat(1024)
    await alice.do('streams.create', { name })
    const permissions = reading([{ streamId: 'new', defaultName: name }])
    const asked = { requestingAppId: 'my-app', requestedPermissions: permissions }
    const { checkedPermissions } = await alice.call('accesses.checkApp', asked)
    t.equal(checkedPermissions[0].defaultName, `${'\u{1f600}'.repeat(1020)} (1)`)
    await alice.do('accesses.create', { name: 'my-app', type: 'app', permissions: checkedPermissions })
  })

  t.test('handles many streams of the same name in linear time', async t => {
    const { alice } = await coffer(t)
    const many = Array.from({ length: 10_001 }, (_, at) => ({ streamId: `s${at}`, defaultName: 'Same' }))
    const all = reading(many)
    const params = { requestingAppId: 'my-app', requestedPermissions: all.slice(1) }
    const answer = await alice.call('accesses.checkApp', params)
    t.equal(answer.checkedPermissions.at(-1).defaultName, 'Same (9999)')
    t.match(await alice.call('accesses.checkApp', { ...params, requestedPermissions: all }), { status: 400 })
    t.match(await alice.call('accesses.create', { name: 'x', permissions: all }), { status: 400 })
  })

  t.test('refuses', async t => {
    const { alice } = await coffer(t)
    const cases: Record<string, unknown>[] = [
      { requestingAppId: 'short' },
      { requestingAppId: undefined },
      { requestedPermissions: undefined },
      { requestedPermissions: 'all' },
      { requestedPermissions: [{ streamId: 'diary', level: 'read' }] },
      { requestedPermissions: [{ streamId: 'diary', defaultName: 'x' }] },
      { requestedPermissions: [{ streamId: 'diary', level: 'read', defaultName: '' }] },
      ...[' ', ' \t\n', '\u00a0\u3000', '\u200b\u2060'].map(defaultName => ({
        requestedPermissions: [{ streamId: 'diary', level: 'read', defaultName }]
      })),
      { requestedPermissions: [{ tag: 'x', level: 'read' }] },
      { clientData: 'x' },
      { deviceName: '' }
    ]
    for (const params of cases) {
      const answer = await alice.call(
        'accesses.checkApp',
        JSON.parse(JSON.stringify({ ...asked, ...params }))
      )
      t.match(answer, { status: 400, error: { id: 'invalid-parameters-format' } }, JSON.stringify(params))
    }
  })

  t.test('is limited to personal accesses', async t => {
    const { alice } = await coffer(t)
    for (const type of ['app', 'shared']) {
      const caller = await alice.grant('manage', '*', { type })
      t.match(await caller.call('accesses.checkApp', asked), { status: 403, error: { id: 'forbidden' } })
    }
  })
})
