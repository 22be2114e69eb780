import t from 'tap'
import type { Level } from '../../../../schemas/permission.js'
import { coffer, type Client } from '../../../support/coffer.js'

const diary = { streamId: 'diary', level: 'read' as const }

async function app(alice: Client, levels: Record<string, Level>, fields = {}): Promise<Client> {
  const permissions = Object.entries(levels).map(([streamId, level]) => ({ streamId, level }))
  return await alice.grantAll(permissions, { type: 'app', ...fields })
}

t.test('accesses.create', async t => {
  t.test('returns the access with its token and endpoint', async t => {
    const { alice, clock, server } = await coffer(t)
    const { access } = await alice.do('accesses.create', {
      name: 'For my doctor',
      permissions: [diary, { feature: 'selfRevoke', setting: 'forbidden' }],
      clientData: { 'app:x': { nested: true } }
    })
    const by = alice.access.id
    t.match(access.id, /^c[a-z0-9]{24}$/)
    t.match(access.token, /^c[a-z0-9]{24}$/)
    const { id, integrity, token } = access
    t.same(access, {
      id,
      token,
      apiEndpoint: `${server.url.replace('//', `//${token}@`)}/alice/`,
      type: 'shared',
      name: 'For my doctor',
      permissions: [diary, { feature: 'selfRevoke', setting: 'forbidden' }],
      clientData: { 'app:x': { nested: true } },
      created: clock.now(),
      createdBy: by,
      modified: clock.now(),
      modifiedBy: by,
      integrity
    })
    t.same((await alice.do('accesses.get')).accesses[0], access)
  })

  t.test('accepts null for optional fields', async t => {
    const { alice } = await coffer(t)
    const { access } = await alice.do('accesses.create', {
      name: 'x',
      permissions: [],
      type: null,
      token: null,
      deviceName: null,
      expireAfter: null
    })
    t.match(access, { type: 'shared', permissions: [], clientData: undefined })
    for (const key of ['deviceName', 'expires', 'expireAfter', 'deleted']) t.notOk(key in access, key)
  })

  t.test('converts expireAfter to a time', async t => {
    const { alice, clock } = await coffer(t)
    const reader = await alice.grant('read', 'diary', { expireAfter: 100 })
    t.match(reader.access, { expires: clock.now() + 100 })
    t.notOk('expireAfter' in reader.access)
    t.notOk((await reader.call('streams.get')).error)
    clock.advance(100)
    t.match(await reader.call('streams.get'), {
      status: 401,
      error: { id: 'invalid-access-token', message: /expired/ }
    })
    const dead = await alice.grant('read', 'diary', { expireAfter: 0 })
    t.match(await dead.call('streams.get'), {
      status: 401,
      error: { message: /expired/ },
      accessId: dead.access.id
    })
  })

  t.test('slugifies the token', async t => {
    const { alice } = await coffer(t)
    const reader = await alice.grant('read', 'diary', { token: 'Été à/la_mer' })
    t.equal(reader.token, 'Ete-ala_mer')
    t.notOk((await reader.call('streams.get')).error)
  })

  t.test('creates separate accesses for the devices of an app', async t => {
    const { alice } = await coffer(t)
    const fields = { type: 'app', name: 'my-app', permissions: [diary] }
    await alice.do('accesses.create', fields)
    for (const deviceName of ['phone', 'watch'])
      t.match(await alice.call('accesses.create', { ...fields, deviceName }), { access: { deviceName } })
    t.match(await alice.call('accesses.create', { ...fields, deviceName: 'watch' }), {
      status: 409,
      error: {
        id: 'item-already-exists',
        data: { type: 'app', name: 'my-app', deviceName: 'watch' }
      }
    })
    t.match(await alice.call('accesses.create', { name: 'my-app', permissions: [] }), {
      access: { type: 'shared' }
    })
  })

  const refused: [string, Record<string, unknown>, string, unknown?][] = [
    ['no name', { name: undefined }, 'invalid-parameters-format'],
    ['an empty name', { name: '' }, 'invalid-parameters-format'],
    ['no permissions', { permissions: undefined }, 'invalid-parameters-format'],
    ['permissions of null', { permissions: null }, 'invalid-parameters-format'],
    ['another type', { type: 'guest' }, 'invalid-parameters-format'],
    ['the type personal', { type: 'personal' }, 'forbidden'],
    ['a device on a shared access', { deviceName: 'phone' }, 'invalid-parameters-format'],
    ['a negative expireAfter', { expireAfter: -1 }, 'invalid-parameters-format'],
    ['an expireAfter that is not a number', { expireAfter: '1' }, 'invalid-parameters-format'],
    ['clientData of null', { clientData: null }, 'invalid-parameters-format'],
    ['deleted', { deleted: null }, 'invalid-parameters-format'],
    ['id', { id: 'x' }, 'invalid-parameters-format'],
    ['expires', { expires: 5 }, 'invalid-parameters-format'],
    ['the token null', { token: 'null' }, 'invalid-item-id'],
    ['the token *', { token: '*' }, 'invalid-item-id'],
    ['a token of which nothing is left', { token: '??' }, 'invalid-item-id'],
    ['a token of half a character', { token: '\udc00' }, 'invalid-item-id'],
    ['an empty token', { token: '' }, 'invalid-parameters-format'],
    ['a token in use', { token: 'taken' }, 'item-already-exists', { token: '(hidden)' }],
    [
      'a name in use',
      { name: 'reader' },
      'item-already-exists',
      { type: 'shared', name: 'reader', deviceName: null }
    ],
    ['a permission on tags', { permissions: [{ tag: 'x', level: 'read' }] }, 'invalid-parameters-format'],
    ['another level', { permissions: [{ streamId: 'a', level: 'own' }] }, 'invalid-parameters-format'],
    ['no level', { permissions: [{ streamId: 'a' }] }, 'invalid-parameters-format'],
    ['an empty stream id', { permissions: [{ streamId: '', level: 'read' }] }, 'invalid-parameters-format'],
    [
      'a stream id that is not a text',
      { permissions: [{ streamId: 5, level: 'read' }] },
      'invalid-parameters-format'
    ],
    [
      'another setting',
      { permissions: [{ feature: 'selfRevoke', setting: 'maybe' }] },
      'invalid-parameters-format'
    ],
    [
      'another feature',
      { permissions: [{ feature: 'fly', setting: 'forbidden' }] },
      'invalid-parameters-format'
    ],
    ['odd characters', { permissions: [{ streamId: 'a b/c', level: 'read' }] }, 'invalid-request-structure'],
    ...[':az&', ':_system:a b', ':_system:x"', '.az&', ':_audit:access-x/y', ':az\u0000', ':é'].map(
      (streamId): [string, Record<string, unknown>, string] => [
        `odd characters in the service's own form, ${JSON.stringify(streamId)}`,
        { permissions: [{ streamId, level: 'read' }] },
        'invalid-request-structure'
      ]
    ),
    ...[':az', ':', '.', ':_system:', '.nothing'].map(
      (streamId): [string, Record<string, unknown>, string] => [
        `the unknown ${streamId}`,
        { permissions: [{ streamId, level: 'read' }] },
        'forbidden'
      ]
    ),
    [
      'a blank name of a stream',
      { permissions: [{ ...diary, defaultName: ' ' }] },
      'invalid-parameters-format'
    ],
    ['a reserved stream id', { permissions: [{ streamId: 'null', level: 'read' }] }, 'invalid-item-id'],
    ['an unknown system stream', { permissions: [{ streamId: ':_system:x', level: 'read' }] }, 'forbidden'],
    ['a store', { permissions: [{ streamId: ':_audit:x', level: 'read' }] }, 'forbidden'],
    [
      'manage on an account stream',
      { permissions: [{ streamId: ':_system:account', level: 'manage' }] },
      'invalid-operation',
      { param: ':_system:account' }
    ],
    [
      'an invisible account stream',
      { permissions: [{ streamId: '.invitationToken', level: 'read' }] },
      'invalid-operation',
      { param: ':_system:invitationToken' }
    ]
  ]
  t.test('refuses', async t => {
    const { alice } = await coffer(t)
    await alice.grant('read', 'diary', { name: 'reader', token: 'taken' })
    const before = await alice.do('accesses.get')
    for (const [what, fields, id, data] of refused) {
      const params = JSON.parse(JSON.stringify({ name: 'new', permissions: [diary], ...fields }))
      const answer = await alice.call('accesses.create', params)
      t.equal(answer.error?.id, id, what)
      if (data) t.same(answer.error.data, data, what)
      t.notMatch(answer.error.message, 'taken', 'the token is not told')
    }
    const named = await alice.call('accesses.create', { name: 'x', permissions: [], deleted: 5 })
    t.match(named.error.message, 'deleted')
    t.same((await alice.do('accesses.get')).accesses.length, before.accesses.length, 'nothing was created')
  })

  t.test('refuses to create personal accesses, whatever else is wrong', async t => {
    const { alice } = await coffer(t)
    const caller = await alice.grant('manage', '*', { type: 'app' })
    for (const by of [alice, caller])
      for (const params of [
        { type: 'personal' },
        { type: 'personal', name: 'x' },
        { type: 'personal', name: 'x', permissions: 'all' },
        { type: 'personal', name: 'x', permissions: [diary] }
      ])
        t.match(await by.call('accesses.create', params), { status: 403, error: { id: 'forbidden' } })
  })

  t.test('refuses shared accesses', async t => {
    const { alice } = await coffer(t)
    const caller = await alice.grant('manage', '*')
    const answer = await caller.call('accesses.create', { name: 'x', permissions: [diary] })
    t.match(answer, { status: 403, error: { id: 'forbidden' } })
  })

  t.test('lets apps share no more than they may access', async t => {
    const { alice } = await coffer(t)
    for (const [id, parentId] of [
      ['diary', null],
      ['day', 'diary'],
      ['other', null]
    ] as const)
      await alice.stream(id, parentId)
    const cases: [Record<string, Level>, Record<string, Level>, boolean][] = [
      [{ diary: 'manage' }, { diary: 'manage' }, true],
      [{ diary: 'manage' }, { day: 'contribute' }, true],
      [{ diary: 'contribute' }, { diary: 'manage' }, false],
      [{ diary: 'contribute' }, { diary: 'create-only' }, true],
      [{ diary: 'contribute' }, { other: 'read' }, false],
      [{ diary: 'contribute' }, { diary: 'read', other: 'read' }, false],
      [{ diary: 'contribute' }, { '*': 'read' }, false],
      [{ diary: 'contribute' }, { unheard: 'read' }, false],
      [{ '*': 'contribute' }, { other: 'read' }, true],
      [{ '*': 'contribute' }, { '*': 'contribute' }, true],
      [{ '*': 'contribute' }, { '*': 'manage' }, false],
      [{ diary: 'read' }, { diary: 'create-only' }, false],
      [{ diary: 'read' }, { day: 'read' }, true],
      [{ diary: 'create-only' }, { diary: 'create-only' }, false],
      [{ diary: 'create-only' }, { diary: 'read' }, false],
      [{ diary: 'create-only' }, { day: 'manage' }, false],
      [{ diary: 'manage', day: 'none' }, { diary: 'read' }, false],
      [{ diary: 'manage', day: 'none' }, { diary: 'read', day: 'none' }, true],
      [{ diary: 'manage', day: 'none' }, { day: 'read' }, false],
      [{ diary: 'manage', day: 'read' }, { diary: 'contribute' }, false],
      [{ diary: 'manage', day: 'read' }, { diary: 'contribute', day: 'read' }, true],
      [{ '*': 'manage', other: 'none' }, { '*': 'read' }, false],
      [{ '*': 'manage', other: 'none' }, { diary: 'read' }, true],
      [{ diary: 'none', day: 'manage' }, { day: 'manage' }, true],
      [{ diary: 'none', day: 'manage' }, { diary: 'read' }, false]
    ]
    for (const [held, wanted, isAllowed] of cases) {
      const caller = await app(alice, held)
      const permissions = Object.entries(wanted).map(([streamId, level]) => ({ streamId, level }))
      const answer = await caller.call('accesses.create', { name: `for ${caller.access.id}`, permissions })
      const what = JSON.stringify([held, wanted])
      if (isAllowed) t.match(answer, { access: { permissions, createdBy: caller.access.id } }, what)
      else t.match(answer, { status: 403, error: { id: 'forbidden' } }, what)
    }
  })

  t.test('lets apps create only shared accesses on streams', async t => {
    const { alice } = await coffer(t)
    await alice.stream('diary')
    const caller = await app(alice, { '*': 'manage' })
    const feature = { feature: 'selfRevoke', setting: 'forbidden' }
    const cases: [Record<string, unknown>, boolean][] = [
      [{ type: 'app', permissions: [diary] }, false],
      [{ type: 'personal', permissions: [diary] }, false],
      [{ permissions: [] }, false],
      [{ permissions: [feature] }, false],
      [{ permissions: [diary, feature] }, true]
    ]
    for (const [fields, isAllowed] of cases) {
      const answer = await caller.call('accesses.create', { name: 'x', ...fields })
      t.equal(answer.error?.id, isAllowed ? undefined : 'forbidden', JSON.stringify(fields))
    }
  })

  t.test("refuses shares that would outlive the app's access", async t => {
    const { alice, clock } = await coffer(t, { accesses: { updates: false } })
    await alice.stream('diary')
    const caller = await app(alice, { diary: 'manage' }, { expireAfter: 100 })
    clock.advance(10)
    for (const [expireAfter, id] of [
      [90, undefined],
      [91, 'invalid-operation'],
      [null, 'invalid-operation']
    ]) {
      const fields = { name: `x${expireAfter}`, permissions: [diary], expireAfter }
      t.equal((await caller.call('accesses.create', fields)).error?.id, id)
    }
  })

  t.test('replaces an expired access of the same name', async t => {
    const { alice, clock } = await coffer(t)
    const fields = { name: 'my-app', token: 'my-token', permissions: [diary], type: 'app', expireAfter: 10 }
    const { access: old } = await alice.do('accesses.create', fields)
    clock.advance(10)
    const { access } = await alice.do('accesses.create', { ...fields, expireAfter: null })
    t.not(access.id, old.id)
    const { accesses, accessDeletions } = await alice.do('accesses.get', {
      includeExpired: true,
      includeDeletions: true
    })
    t.same(accesses[1].id, access.id)
    t.match(accessDeletions, [{ id: old.id, deleted: clock.now() }])
  })

  t.test('creates and restores streams named by a personal access', async t => {
    const { alice } = await coffer(t)
    for (const id of ['diary', 'bin', 'taken']) await alice.stream(id)
    await alice.do('streams.update', { id: 'bin', update: { trashed: true } })
    const requested = [
      { streamId: 'diary', level: 'read', name: 'diary', defaultName: null },
      { streamId: 'nameless', level: 'read', name: null, defaultName: null },
      { streamId: 'bin', level: 'read', defaultName: 'whatever' },
      { streamId: 'new', level: 'manage', defaultName: 'Brand new' },
      { streamId: '*', level: 'read', defaultName: 'All' },
      { streamId: ':system:email', level: 'read', defaultName: 'Address' }
    ]
    const { access } = await alice.do('accesses.create', { name: 'x', permissions: requested })
    t.same(
      access.permissions,
      requested.map(({ streamId, level }) => ({ streamId, level }))
    )
    const { streams } = await alice.do('streams.get')
    t.match(streams, [
      { id: ':_audit:' },
      { id: 'bin', name: 'bin', trashed: undefined },
      { id: 'new', name: 'Brand new', parentId: null },
      { id: 'diary' },
      { id: 'taken' }
    ])

    const clash = [{ streamId: 'newer', level: 'read', defaultName: 'taken' }]
    t.match(await alice.call('accesses.create', { name: 'y', permissions: clash }), {
      status: 409,
      error: { id: 'item-already-exists', data: { name: 'taken' } }
    })
    const caller = await app(alice, { '*': 'manage' })
    t.match(
      await caller.call('accesses.create', {
        name: 'z',
        permissions: [{ streamId: 'newest', level: 'read', defaultName: 'n' }]
      }),
      { status: 400, error: { id: 'unknown-referenced-resource', data: { streamIds: ['newest'] } } }
    )
    const after = (await alice.do('streams.get')).streams
    t.same(after.length, streams.length, 'an app creates none this way')

    const older = [{ streamId: '.email', level: 'read', defaultName: 'Address' }]
    t.match(await alice.do('accesses.create', { name: 'older', permissions: older }), {
      access: { permissions: [{ streamId: ':system:email', level: 'read' }] }
    })
    t.same((await alice.do('streams.get')).streams, after, "the service's streams are there, by any id")
  })
})
