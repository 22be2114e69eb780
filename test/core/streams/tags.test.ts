/** Tags are stored as streams and returned as before. (docs/spec/events.md#tags) */
import t, { type Test } from 'tap'
import type { Event } from '../../../schemas/event.js'
import { coffer, openCoffer, type Answer, type Client } from '../../support/coffer.js'
import { app, apps, begin } from '../../support/oauth.js'
import { socketOf } from '../../support/socket.js'

const ids = ({ events }: Answer): string[] => events.map((event: Event) => event.id).toSorted()

async function streams(client: Client): Promise<Map<string, Answer>> {
  const found = new Map<string, Answer>()
  const add = (list: Answer[]): void => {
    for (const stream of list) {
      found.set(stream.id, stream)
      add(stream.children)
    }
  }
  add((await client.do('streams.get', { state: 'all' })).streams)
  return found
}

t.test('tags of a new event', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')

  t.test('become streams below the root of tags, named after the tag, created by the service', async t => {
    const event = await alice.event({ tags: [' red ', '', 'red', 'Über allem'] })
    t.same(event.tags, ['red', 'Über allem'])
    t.same(event.streamIds, ['diary', 'tag-migrated-red', 'tag-migrated-Über allem'])
    t.equal(event.streamId, 'diary')
    const found = await streams(alice)
    t.match(found.get('tags-migrated'), { parentId: null, createdBy: 'system' })
    t.match(found.get('tag-migrated-red'), { name: 'red', parentId: 'tags-migrated', createdBy: 'system' })
    t.match(found.get('tag-migrated-Über allem'), { name: 'Über allem' })
    t.same((await alice.do('events.getOne', { id: event.id })).event, event)
    t.same((await alice.do('events.get', { limit: 1 })).events, [event])
  })

  t.test('use existing streams', async t => {
    const before = (await streams(alice)).size
    await alice.event({ tags: ['red'] })
    t.equal((await streams(alice)).size, before)
  })

  t.test('follow from its streams, however those were set', async t => {
    const event = await alice.event({ streamIds: ['tag-migrated-red', 'diary'] })
    t.same([event.tags, event.streamId], [['red'], 'tag-migrated-red'])
    t.same((await alice.event({ streamIds: ['diary', 'tag-migrated-red'], tags: ['red'] })).streamIds, [
      'diary',
      'tag-migrated-red'
    ])
    t.same((await alice.event()).tags, [])
  })

  t.test('choose another stream name if a sibling has it', async t => {
    await alice.do('streams.update', { id: 'tag-migrated-red', update: { name: 'blue' } })
    t.same((await alice.event({ tags: ['blue'] })).tags, ['blue'])
    t.match((await streams(alice)).get('tag-migrated-blue'), { name: 'tag-migrated-blue' })
    await alice.do('streams.update', { id: 'tag-migrated-red', update: { name: 'tag-migrated-green' } })
    await alice.do('streams.update', { id: 'tag-migrated-blue', update: { name: 'green' } })
    t.same((await alice.event({ tags: ['green'] })).tags, ['green'])
    t.match((await streams(alice)).get('tag-migrated-green')?.name, /^tag-migrated-green c/)
  })

  t.test('may have 500 characters, and names of prototype members', async t => {
    const tags = ['x'.repeat(500), '__proto__', 'constructor', "' OR 1; --", '"', '*']
    t.same((await alice.event({ tags })).tags, tags)
    for (const tag of tags) t.equal((await alice.do('events.get', { tags: [tag] })).events.length, 1)
  })

  const refused: [string, unknown][] = [
    ['longer than 500 characters', ['x'.repeat(501)]],
    ['no text', [1]],
    ['no list', { red: true }],
    ['too many', Array.from({ length: 1001 }, (_, number) => `tag ${number}`)]
  ]
  for (const [what, tags] of refused)
    t.test(`are refused if they are ${what}`, async t => {
      const before = (await streams(alice)).size
      const params = { streamIds: ['diary'], type: 'note/txt', content: '', tags }
      t.match(await alice.call('events.create', params), { error: { id: 'invalid-parameters-format' } })
      t.equal((await streams(alice)).size, before)
    })
})

t.test('tags of an update', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  await alice.stream('work')
  const { id } = await alice.event({ tags: ['a', 'b'] })
  const update = async (change: object): Promise<Answer> =>
    (await alice.do('events.update', { id, update: change })).event

  t.test('replace only the streams of tags', async t => {
    t.match(await update({ tags: ['b', 'c'] }), {
      tags: ['b', 'c'],
      streamIds: ['diary', 'tag-migrated-b', 'tag-migrated-c']
    })
    const event = await update({ streamIds: ['work', 'tag-migrated-b'], tags: ['c'] })
    t.same([event.tags, event.streamIds], [['c'], ['work', 'tag-migrated-c']])
  })

  t.test('are kept with the deprecated streamId, which excludes such streams', async t => {
    t.same((await update({ streamId: 'diary' })).streamIds, ['diary', 'tag-migrated-c'])
    t.same((await update({ content: 'other' })).tags, ['c'])
  })

  t.test('follow from streamIds, which list all streams', async t => {
    t.same((await update({ streamIds: ['diary', 'tag-migrated-a'] })).tags, ['a'])
    t.same((await update({ streamIds: ['diary'] })).tags, [])
  })

  t.test('are removed by null', async t => {
    await update({ tags: ['a'] })
    t.same((await update({ tags: null })).tags, [])
  })

  t.test('are refused if they leave the event in no stream', async t => {
    await update({ streamIds: ['tag-migrated-a'] })
    const answer = await alice.call('events.update', { id, update: { tags: [] } })
    t.match(answer, { error: { id: 'invalid-operation' } })
    t.same((await alice.do('events.getOne', { id })).event.tags, ['a'])
  })
})

t.test('tags and permissions', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const tagged = await alice.event({ tags: ['known'] })

  t.test('anyone who may write an event may tag it', async t => {
    const app = await alice.grant('contribute', 'diary')
    const event = await app.event({ tags: ['mine', 'known'] })
    t.same(event.tags, ['mine', 'known'])
    const changed = await app.do('events.update', { id: tagged.id, update: { tags: ['other'] } })
    t.same(changed.event.tags, ['other'])
    t.same(ids(await app.do('events.get', { tags: ['mine'] })), [event.id])
    const sensor = await alice.grant('create-only', 'diary')
    t.same((await sensor.event({ tags: ['by a sensor'] })).tags, ['by a sensor'])
  })

  t.test('streams of tags cannot be set directly', async t => {
    const app = await alice.grant('contribute', 'diary')
    const params = { streamIds: ['diary', 'tag-migrated-known'], type: 'note/txt', content: '' }
    t.match(await app.call('events.create', params), { error: { id: 'forbidden' } })
    const answer = await app.call('events.update', {
      id: tagged.id,
      update: { streamIds: params.streamIds }
    })
    t.match(answer, { error: { id: 'forbidden' } })
  })

  t.test('a tag without access is refused, and nothing is created', async t => {
    const app = await alice.grantAll([
      { streamId: 'diary', level: 'contribute' },
      { streamId: 'tag-migrated-secret', level: 'none' }
    ])
    const params = { streamIds: ['diary'], type: 'note/txt', content: '', tags: ['new', 'secret'] }
    t.match(await app.call('events.create', params), { error: { id: 'forbidden' } })
    const found = await streams(alice)
    t.notOk(found.has('tag-migrated-secret') || found.has('tag-migrated-new'))
  })

  t.test('an access to a tag can be granted, whatever its name', async t => {
    const { alice } = await coffer(t)
    await alice.stream('diary')
    const { id } = await alice.event({ tags: ['Über allem'] })
    await alice.event({ tags: ['red'] })
    const reader = await alice.grant('read', 'tag-migrated-Über allem')
    t.same(ids(await reader.do('events.get')), [id])
    t.same(ids(await reader.do('events.get', { streams: ['tag-migrated-Über allem'] })), [id])
    t.match(
      await alice.call('accesses.create', { name: 'x', permissions: [{ streamId: 'a b', level: 'read' }] }),
      {
        error: { id: 'invalid-request-structure' }
      }
    )
  })

  t.test('a filter returns only what may be read', async t => {
    await alice.stream('other')
    const hidden = await alice.event({ streamIds: ['other'], tags: ['both'] })
    const open = await alice.event({ tags: ['both'] })
    const app = await alice.grant('read', 'diary')
    t.same(ids(await app.do('events.get', { tags: ['both'] })), [open.id])
    t.same(ids(await alice.do('events.get', { tags: ['both'] })), [hidden.id, open.id].toSorted())
  })
})

t.test('the filter by tags', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  await alice.stream('work')
  const a = await alice.event({ tags: ['a'] })
  const b = await alice.event({ tags: ['b'], streamIds: ['work'] })
  const both = await alice.event({ tags: ['a', 'b'], streamIds: ['diary', 'work'] })
  const none = await alice.event()

  const cases: [object, Answer[]][] = [
    [{ tags: ['a'] }, [a, both]],
    [{ tags: ['a', 'b'] }, [a, b, both]],
    [{ tags: [' a '], streams: ['work'] }, [both]],
    [{ tags: ['b'], streams: [{ any: ['diary'], not: ['tag-migrated-a'] }] }, []],
    [{ tags: ['b', 'unknown'] }, [b, both]],
    [{ tags: ['unknown'] }, []],
    [{ tags: ['A'] }, []],
    [{ tags: [] }, [a, b, both, none]],
    [{ tags: [' '] }, [a, b, both, none]]
  ]
  for (const [params, expected] of cases)
    t.same(
      ids(await alice.do('events.get', params)),
      expected.map(({ id }) => id).toSorted(),
      JSON.stringify(params)
    )
  const overHttp = await alice.http('GET', '/events?tags=a&streams=diary')
  t.same(ids(overHttp.body), [a.id, both.id].toSorted())
  t.match(await alice.call('events.get', { tags: ['x'.repeat(501)] }), {
    error: { id: 'invalid-parameters-format' }
  })
})

t.test('streams of tags', async t => {
  const { alice } = await coffer(t)
  await alice.stream('diary')
  const event = await alice.event({ tags: ['a', 'b'] })
  const tags = async (): Promise<string[]> => (await alice.do('events.getOne', { id: event.id })).event.tags

  t.test('can be renamed and moved: tags remain', async t => {
    await alice.do('streams.update', { id: 'tag-migrated-a', update: { name: 'z', parentId: 'diary' } })
    t.same(await tags(), ['a', 'b'])
    t.same(ids(await alice.do('events.get', { tags: ['a'] })), [event.id])
  })

  t.test('in the trash accept no events, and keep the tags of those in them', async t => {
    await alice.do('streams.delete', { id: 'tag-migrated-b' })
    t.same(await tags(), ['a', 'b'])
    t.same(ids(await alice.do('events.get', { tags: ['b'] })), [event.id])
    const params = { streamIds: ['diary'], type: 'note/txt', content: '', tags: ['b'] }
    t.match(await alice.call('events.create', params), {
      error: { id: 'invalid-operation', data: { trashedReference: 'streamIds' } }
    })
    const changed = await alice.do('events.update', { id: event.id, update: { tags: ['b', 'c'] } })
    t.same(changed.event.tags, ['b', 'c'])
  })

  t.test('remove their tags when they are deleted', async t => {
    await alice.do('streams.delete', { id: 'tag-migrated-b', mergeEventsWithParent: false })
    t.same(await tags(), ['c'])
    t.same(ids(await alice.do('events.get', { tags: ['b'] })), [])
    await alice.do('streams.delete', { id: 'tag-migrated-c' })
    await alice.do('streams.delete', { id: 'tag-migrated-c', mergeEventsWithParent: true })
    const { streamIds } = (await alice.do('events.getOne', { id: event.id })).event
    t.same([await tags(), streamIds], [[], ['diary', 'tags-migrated']])
    t.same((await alice.event({ tags: ['b'] })).tags, ['b'])
  })
})

t.test('settings for tags', async t => {
  t.test('name the root and the prefix', async t => {
    const tags = { isActive: true, rootStreamId: 'labels', streamIdPrefix: 'label:' }
    const { alice } = await coffer(t, { backwardCompatibility: { tags } })
    await alice.stream('diary')
    const event = await alice.event({ tags: ['a'] })
    t.same([event.tags, event.streamIds], [['a'], ['diary', 'label:a']])
    t.match((await streams(alice)).get('label:a'), { parentId: 'labels', name: 'a' })
  })

  t.test('disable tags: none are returned, and none accepted', async t => {
    const tags = { isActive: false, rootStreamId: 'tags-migrated', streamIdPrefix: 'tag-migrated-' }
    const { alice } = await coffer(t, { backwardCompatibility: { tags } })
    await alice.stream('diary')
    await alice.stream('tag-migrated-a')
    t.notOk('tags' in (await alice.event({ streamIds: ['diary', 'tag-migrated-a'], tags: [] })))
    const refused = { error: { id: 'invalid-parameters-format' } }
    const params = { streamIds: ['diary'], type: 'note/txt', content: '', tags: ['a'] }
    t.match(await alice.call('events.create', params), refused)
    t.match(await alice.call('events.get', { tags: ['a'] }), refused)
  })
})

t.test('streams of tags belong to the service', async t => {
  const reserved = ['tags-migrated', 'tag-migrated-x', 'tag-migrated-new']

  t.test('other callers cannot create them, in any spelling of the id', async t => {
    const { alice } = await coffer(t)
    await alice.stream('diary')
    const app = await alice.grant('manage', '*', { type: 'app' })
    const ids = [...reserved, ' tag-migrated-x ', 'tág-migrated-x', 'tag migrated x', 'tags-migrated\u200b']
    for (const id of ids)
      for (const [client, parentId] of [
        [app, null],
        [app, 'diary'],
        [alice, 'diary'],
        // At its own place the owner may recreate it: see below.
        ...(id === 'tags-migrated' ? [] : [[alice, null] as const])
      ] as const)
        t.match(await client.call('streams.create', { id, name: id, parentId }), {
          status: 400,
          error: { id: 'invalid-item-id' }
        })
    t.ok((await alice.stream('tag-migrate')).id)
    t.ok((await alice.stream('Tag-migrated-x')).id, 'another id by its letter case')
  })

  t.test('the owner can recreate them, in their proper place', async t => {
    const { alice } = await coffer(t)
    const app = await alice.grant('manage', '*', { type: 'app' })
    const tags = [
      { id: 'tags-migrated', name: 'other', parentId: null, clientData: { a: 1 } },
      { id: 'tag-migrated-x', name: 'x', parentId: 'tags-migrated' }
    ]
    for (const tag of tags) {
      const { stream } = await alice.do('streams.create', tag)
      t.match(stream, { id: tag.id, parentId: tag.parentId, createdBy: 'system' })
      t.notOk(stream.clientData)
      t.match(await alice.call('streams.create', tag), { status: 409, error: { data: { id: tag.id } } })
    }
    const other = { id: 'tag-migrated-y', name: 'y', parentId: 'tags-migrated' }
    t.match(await app.call('streams.create', other), { status: 400 })
    t.same((await app.event({ streamIds: ['tag-migrated-x'] })).tags, ['x'])
  })

  t.test('apps can only use them for tags', async t => {
    const { alice } = await coffer(t)
    for (const id of ['diary', 'work']) await alice.stream(id)
    await alice.event({ tags: ['x', 'y'] })
    const before = await streams(alice)
    const all = { '*': 'manage', 'tags-migrated': 'manage', 'tag-migrated-x': 'manage' } as const
    const permissions = Object.entries(all).map(([streamId, level]) => ({ streamId, level }))
    const app = await alice.grantAll(permissions, { type: 'app' })
    for (const id of ['tags-migrated', 'tag-migrated-x'])
      for (const [method, params] of [
        ['streams.update', { update: { name: 'z' } }],
        ['streams.update', { update: { parentId: 'diary' } }],
        ['streams.update', { update: { parentId: null, trashed: true } }],
        ['streams.update', { update: { trashed: false } }],
        ['streams.update', { update: { clientData: { a: 1 } } }],
        ['streams.delete', {}],
        ['streams.delete', { mergeEventsWithParent: true }]
      ] as const)
        t.match(await app.call(method, { id, ...params }), { status: 403 }, `${method} of ${id}`)
    for (const client of [app, alice])
      for (const parentId of ['tags-migrated', 'tag-migrated-x']) {
        t.match(await client.call('streams.create', { name: 'z', parentId }), { status: 400 })
        t.match(await client.call('streams.update', { id: 'work', update: { parentId } }), { status: 400 })
      }
    t.same(await streams(alice), before)
    t.same((await app.event({ tags: ['x', 'new'] })).tags, ['x', 'new'])
    await alice.do('streams.update', { id: 'tag-migrated-y', update: { parentId: 'work' } })
    for (const [method, params] of [
      ['streams.delete', {}],
      ['streams.update', { update: { parentId: 'diary' } }]
    ] as const)
      t.match(await app.call(method, { id: 'work', ...params }), { status: 403 }, 'nor along with others')
    t.match(await alice.call('streams.update', { id: 'tags-migrated', update: { parentId: 'diary' } }), {
      status: 400
    })
  })

  t.test('permissions on other streams do not include them', async t => {
    const { alice } = await coffer(t)
    for (const id of ['diary', 'own']) await alice.stream(id)
    const tagged = await alice.event({ tags: ['x'], content: 'of the diary' })
    const app = await alice.grant('manage', 'own', { type: 'app' })
    const socket = await socketOf(t, app)
    const seen = async (): Promise<unknown[]> => [
      ids(await app.do('events.get', { fromTime: 0 })),
      ids(await app.do('events.get', { tags: ['x'] })),
      (await app.call('events.getOne', { id: tagged.id })).status,
      (await app.call('streams.get', { parentId: 'tag-migrated-x' })).status
    ]
    await alice.do('streams.update', { id: 'tag-migrated-x', update: { parentId: 'own' } })
    t.same(await seen(), [[], [], 403, 403])
    await socket.news()
    await alice.do('events.update', { id: tagged.id, update: { description: 'x' } })
    t.same(await socket.news(), [])
    const named = await alice.grant('read', 'tag-migrated-x')
    t.same(ids(await named.do('events.get')), [tagged.id])
    const all = await alice.grant('read', '*')
    t.same(ids(await all.do('events.get', { tags: ['x'] })), [tagged.id])
    const shut = await alice.grantAll([
      { streamId: '*', level: 'read' },
      { streamId: 'own', level: 'none' }
    ])
    t.same(ids(await shut.do('events.get')), [], 'but what shuts out does')
  })

  t.test('those created by a client earlier are not trusted', async t => {
    for (const root of [true, false])
      await t.test(root ? 'the root' : 'a tag', async t => {
        const { alice, app } = await captured(t, root)
        const own = ids(await app.do('events.get', { fromTime: 0 }))
        const event = await alice.event({ tags: ['x'] })
        t.same(event.tags, ['x'])
        t.same(ids(await app.do('events.get', { fromTime: 0 })), own)
        const found = await streams(alice)
        t.match(found.get('tags-migrated'), { parentId: null, trashed: undefined, modifiedBy: 'system' })
        t.match(found.get('tag-migrated-x'), { parentId: 'tags-migrated', trashed: undefined })
      })
  })

  t.test('a trashed root is restored when it is needed', async t => {
    const { alice } = await coffer(t)
    await alice.stream('diary')
    await alice.event({ tags: ['x'] })
    const app = await alice.grant('contribute', 'diary', { type: 'app' })
    await alice.do('streams.delete', { id: 'tags-migrated' })
    t.same((await app.event({ tags: ['x'] })).tags, ['x'])
    t.notOk((await streams(alice)).get('tags-migrated').trashed)
    await alice.do('streams.delete', { id: 'tags-migrated' })
    t.same((await app.event({ tags: ['y'] })).tags, ['y'])
    t.notOk((await streams(alice)).get('tags-migrated').trashed)
    for (const id of ['tags-migrated', 'tags-migrated'])
      await alice.do('streams.delete', { id, mergeEventsWithParent: false })
    t.same((await app.event({ tags: ['y'] })).tags, ['y'])
    await alice.stream('bin')
    await alice.do('streams.update', { id: 'tag-migrated-y', update: { parentId: 'bin' } })
    await alice.do('streams.delete', { id: 'bin' })
    t.same((await app.event({ tags: ['y'] })).tags, ['y'], 'a stream in the trash takes no tag with it')
    t.match((await streams(alice)).get('tag-migrated-y'), { parentId: 'tags-migrated' })
  })

  t.test('an access that names a missing one creates it', async t => {
    const { alice } = await coffer(t)
    const permissions = ['tags-migrated', 'tag-migrated-x'].map(streamId => ({ streamId, level: 'read' }))
    const asked = { requestingAppId: 'some-app', requestedPermissions: permissions }
    t.same((await alice.do('accesses.checkApp', asked)).checkedPermissions, permissions)
    await alice.do('accesses.create', { name: 'x', permissions })
    const found = await streams(alice)
    t.match(found.get('tags-migrated'), { parentId: null, createdBy: 'system' })
    t.match(found.get('tag-migrated-x'), { parentId: 'tags-migrated', createdBy: 'system', name: 'x' })
    t.match((await alice.do('accesses.checkApp', asked)).checkedPermissions, [
      { streamId: 'tags-migrated', name: 'tags-migrated' },
      { streamId: 'tag-migrated-x', name: 'x' }
    ])
    t.match(
      await alice.call('accesses.create', {
        name: 'y',
        permissions: [{ streamId: 'tag-migrated-', level: 'read' }]
      }),
      { status: 400, error: { id: 'invalid-item-id' } }
    )
    const shut = [{ streamId: 'tag-migrated-shut', level: 'none' }]
    await alice.do('accesses.create', { name: 'z', permissions: shut })
    t.notOk((await streams(alice)).has('tag-migrated-shut'), 'to shut one takes none')
  })

  t.test('an access request cannot choose another name for them', async t => {
    const service = await coffer(t, apps(app))
    const { alice } = service
    await alice.stream('diary')
    const sharer = await alice.grant('manage', '*', { type: 'app' })
    const ask = async (requestedPermissions: object[]): Promise<Answer[]> => {
      const asked = { requestingAppId: 'some-app', requestedPermissions }
      const create = { name: 'some-app', permissions: requestedPermissions }
      return [
        await service.call(undefined, 'authRequest.create', asked),
        await alice.call('accesses.checkApp', asked),
        await alice.call('accesses.create', { ...create, type: 'app' }),
        await sharer.call('accesses.create', create)
      ]
    }
    for (const isThere of [false, true]) {
      if (isThere) await alice.event({ tags: ['x'] })
      for (const streamId of ['tags-migrated', 'tag-migrated-x', 'tag-migrated-Weight']) {
        const named = { streamId, level: 'read', defaultName: 'Weight' }
        for (const answer of await ask([{ streamId: 'diary', level: 'read', defaultName: 'Diary' }, named]))
          t.match(
            answer,
            {
              status: 400,
              error: {
                id: 'invalid-parameters-format',
                message: /defaultName/,
                data: [{ path: /^#\/(?:requestedPermissions|permissions)\/1\/defaultName$/ }]
              }
            },
            streamId
          )
        const { location } = await begin(service, { scope: `${streamId}:read:Weight` })
        t.equal(location.searchParams.get('error'), 'invalid_scope', streamId)
        t.ok((await begin(service, { scope: `${streamId}:read` })).location.searchParams.get('key'))
      }
    }
    t.notOk([...(await streams(alice)).values()].some(({ name }) => name === 'Weight'))
  })
})

/** Returns an account in which an app has a stream of tags below its own stream, as earlier versions permitted. */
async function captured(t: Test, isRoot: boolean): Promise<{ alice: Client; app: Client }> {
  const service = await openCoffer(t)
  const { alice, server } = service
  const { accounts } = server.services
  for (const id of ['diary', 'own']) await alice.stream(id)
  const app = await alice.grant('manage', 'own', { type: 'app' })
  const store = accounts.openStore(accounts.find('alice')!)
  const by = `${app.access.id} with a caller id`
  const tracking = { created: 1, createdBy: by, modified: 1, modifiedBy: by }
  const id = isRoot ? 'tags-migrated' : 'tag-migrated-x'
  await store.write(() => {
    store.streams.insert({ id, name: id, parentId: 'own', trashed: true, ...tracking })
    if (isRoot)
      store.streams.insert({ id: 'tag-migrated-x', name: 'x', parentId: 'tags-migrated', ...tracking })
  })
  return { alice, app }
}
