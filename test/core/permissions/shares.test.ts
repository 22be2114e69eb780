/** A share never permits more than the app that created it, at any moment and on any path. */
import t, { type Test } from 'tap'
import type { Access } from '../../../schemas/access.js'
import type { Level, Permission } from '../../../schemas/permission.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { removeExpired } from '../../../core/platform/retention.js'
import { Client, openCoffer, type Answer, type Service } from '../../support/coffer.js'
import { receiver } from '../../support/receiver.js'
import { socketOf } from '../../support/socket.js'

type Levels = Readonly<Record<string, Level>>

const everything = { fromTime: -1e300, toTime: 1e300, state: 'all', limit: 1000 }
const refused = { status: 401, error: { id: 'invalid-access-token' } }

function permissionsOf(levels: Levels): Permission[] {
  return Object.entries(levels).map(([streamId, level]) => ({ streamId, level }))
}

async function appOf(alice: Client, levels: Levels, fields: Record<string, unknown> = {}): Promise<Client> {
  return await alice.grantAll(permissionsOf(levels), { type: 'app', ...fields })
}

async function shareOf(app: Client, levels: Levels, fields: Record<string, unknown> = {}): Promise<Client> {
  return await app.grantAll(permissionsOf(levels), fields)
}

/** Creates streams from lines such as `a/b`: the parent and the child. */
async function grow(alice: Client, ...paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const [id, parentId = null] = path.split('/').toReversed()
    await alice.stream(id!, parentId)
  }
}

async function move(client: Client, id: string, parentId: string | null): Promise<Answer> {
  return await client.call('streams.update', { id, update: { parentId } })
}

/** Returns the contents of the events that a client can read. */
async function read(client: Client, query: object = {}): Promise<unknown[]> {
  const { events } = await client.do('events.get', { ...everything, ...query })
  return events.map(({ content }: Answer) => content).toSorted()
}

/** Returns the ids of the streams that a client can list. */
async function shown(client: Client): Promise<string[]> {
  const ids = (streams: Answer[]): string[] => streams.flatMap(({ id, children }) => [id, ...ids(children)])
  return ids((await client.do('streams.get', { state: 'all' })).streams).toSorted()
}

function storeOf({ server }: Service): UserStore {
  const { accounts } = server.services as unknown as {
    accounts: { find(name: string): never; openStore(account: never): UserStore }
  }
  return accounts.openStore(accounts.find('alice'))
}

/** Changes an access directly in the database, as only an import could. */
async function rewrite(service: Service, id: string, fields: Partial<Access>): Promise<void> {
  const store = storeOf(service)
  await store.write(() => void store.accesses.update({ ...store.accesses.findEver(id)!, ...fields }))
}

t.test('moving a stream', async t => {
  t.test('is refused if a substream has a narrower permission', async t => {
    const { alice } = await openCoffer(t)
    await grow(alice, 'a', 'a/mid', 'mid/secret', 'a/sub')
    const secret = await alice.event({ streamIds: ['secret'], content: 'secret' })
    const app = await appOf(alice, { a: 'manage', secret: 'none' })
    const share = await shareOf(app, { sub: 'read' })
    t.match(await move(app, 'mid', 'sub'), { status: 403, error: { id: 'forbidden' } })
    t.match(await app.call('streams.delete', { id: 'mid' }), { status: 403 })
    t.match(await app.call('streams.update', { id: 'mid', update: { trashed: true } }), { status: 403 })
    t.match(await app.call('streams.update', { id: 'mid', update: { name: 'Mid' } }), {
      stream: { name: 'Mid' }
    })
    await alice.do('streams.update', { id: 'mid', update: { trashed: true } })
    t.match(await app.call('streams.update', { id: 'mid', update: { trashed: false } }), { status: 403 })
    t.match(await app.call('streams.update', { id: 'mid', update: { trashed: true, name: 'M' } }), {
      stream: { trashed: true, name: 'M' }
    })
    await alice.do('streams.update', { id: 'mid', update: { trashed: false, parentId: 'sub' } })
    t.same(await read(share), [], 'whoever moves it')
    t.match(await share.call('events.getOne', { id: secret.id }), { status: 403 })
    t.same(await shown(share), ['mid', 'sub'])
  })

  t.test('requires the manage level on all substreams', async t => {
    for (const level of ['none', 'read', 'create-only', 'contribute', 'manage'] as const) {
      const { alice } = await openCoffer(t)
      await grow(alice, 'a', 'a/mid', 'mid/low', 'low/lowest', 'a/other')
      const app = await appOf(alice, { a: 'manage', lowest: level })
      const isAllowed = level === 'manage'
      for (const update of [{ parentId: 'other' }, { trashed: true }])
        t.equal(
          (await app.call('streams.update', { id: 'mid', update })).error?.id,
          isAllowed ? undefined : 'forbidden',
          `${level} ${JSON.stringify(update)}`
        )
    }
  })
})

t.test('a share', async t => {
  t.test('has the intersection of both permissions, stream by stream', async t => {
    const levels = ['none', 'read', 'create-only', 'contribute', 'manage'] as const
    const ranks: Record<string, number> = { none: 0, read: 1, contribute: 3, manage: 4 }
    /** The rule, case by case. */
    const expected = (c: Level | undefined, s: Level | undefined): Level | undefined => {
      if (c === 'none' || c === 'create-only') return 'none'
      if (s === undefined) return undefined
      if (c === undefined) return s === 'none' ? 'none' : undefined
      if (s === 'create-only') return c === 'read' ? 'none' : 'create-only'
      return ranks[s]! < ranks[c]! ? s : c
    }
    const does: [string, string, (client: Client, id: string) => Promise<Answer>][] = [
      ['list', 'read create-only contribute manage', (c, id) => c.call('streams.get', { parentId: id })],
      ['read', 'read contribute manage', (c, id) => c.call('events.get', { streams: [id] })],
      [
        'create',
        'create-only contribute manage',
        (c, id) => c.call('events.create', { streamIds: [id], type: 'note/txt', content: 'new' })
      ],
      ['manage', 'manage', (c, id) => c.call('streams.update', { id, update: { name: id } })]
    ]
    const service = await openCoffer(t)
    const { alice } = service
    await grow(alice, 'wide', 'x', 'island')
    await alice.event({ streamIds: ['wide', 'x'], content: 'both' })
    for (const held of [...levels, undefined])
      for (const given of [...levels, undefined]) {
        // Written directly, since granting would refuse some of these: this tests evaluation only.
        const app = await appOf(alice, { wide: 'manage', ...(held && { x: held }) })
        const share = await shareOf(app, { wide: 'read' })
        const permissions = permissionsOf({ wide: 'read', ...(given && { x: given }) })
        await rewrite(service, share.access.id, { permissions })
        const level = expected(held, given)
        const what = `${held} of the app, ${given} of the share`
        for (const [action, allowed, run] of does)
          t.equal(
            (await run(share, 'x')).error?.id,
            level !== undefined && allowed.split(' ').includes(level) ? undefined : 'forbidden',
            `${what}: ${action}`
          )
        const isClosed = level === 'none' || level === 'create-only'
        t.equal((await read(share)).includes('both'), !isClosed, `${what}: what is in both`)
      }
  })

  t.test('remains closed where the app is excluded, before or after sharing', async t => {
    const service = await openCoffer(t)
    const { alice } = service
    await grow(alice, 'a', 'a/sub', 'a/later', 'secret')
    await alice.event({ streamIds: ['a', 'secret'], content: 'in both' })
    await alice.event({ streamIds: ['a'], content: 'open' })
    const app = await appOf(alice, { a: 'manage', secret: 'none', hidden: 'none' })
    const share = await shareOf(app, { a: 'read' })
    t.same(await read(app), ['open'])
    t.same(await read(share), ['open'], 'an event in both, though the share leaves the closed one out')
    await grow(alice, 'a/hidden')
    await alice.event({ streamIds: ['hidden'], content: 'made after the share' })
    t.same(await read(share), ['open'])
    t.notOk((await shown(share)).includes('hidden'))
    t.match(await share.call('streams.get', { parentId: 'hidden' }), { status: 403 })
    t.match(await share.call('events.get', { streams: ['hidden'] }), { status: 403 })
    const sub = await shareOf(app, { sub: 'contribute' })
    await alice.event({ streamIds: ['sub'], content: 'below' })
    t.same(await read(sub), ['below'])
    await move(alice, 'sub', null)
    t.same(await read(sub), [], 'what the owner takes out of the app')
    t.same(await shown(sub), [])
    t.match(await sub.call('events.create', { streamIds: ['sub'], type: 'note/txt', content: 'x' }), {
      status: 403
    })
    await move(alice, 'sub', 'a')
    t.same(await read(sub), ['below'], 'and what comes back')
  })

  t.test('finds open streams below closed ones', async t => {
    const { alice } = await openCoffer(t)
    await grow(alice, 'a')
    const app = await appOf(alice, { a: 'manage', shut: 'none', open: 'read' })
    const share = await shareOf(app, { a: 'contribute' })
    await grow(alice, 'a/shut', 'shut/open', 'open/lower')
    await alice.event({ streamIds: ['lower'], content: 'low' })
    t.same(await shown(share), ['a', 'lower', 'open'])
    const { streams } = await share.do('streams.get')
    t.match(streams, [
      { id: 'a', children: [] },
      { id: 'open', parentId: null, children: [{ id: 'lower' }] }
    ])
    t.same(await read(share), ['low'])
    t.match(await share.call('events.create', { streamIds: ['lower'], type: 'note/txt', content: '' }), {
      status: 403
    })
  })

  t.test('ends with the app, however that ends', async t => {
    const service = await openCoffer(t)
    const { alice, clock } = service
    await grow(alice, 'a')
    await alice.event({ streamIds: ['a'] })
    const ways: Record<string, (app: Client, share: Client) => Promise<void>> = {
      'that is deleted': async app => void (await alice.do('accesses.delete', { id: app.access.id })),
      'that is deleted, the share being left': async (app, share) => {
        await alice.do('accesses.delete', { id: app.access.id })
        const { deleted: _, ...access } = storeOf(service).accesses.findEver(share.access.id)!
        const store = storeOf(service)
        await store.write(() => void store.accesses.update(access))
      },
      'that expires': async app => {
        await rewrite(service, app.access.id, { expires: clock.now() + 5 })
        clock.advance(6)
      },
      'that is not known': async (_app, share) =>
        await rewrite(service, share.access.id, { createdBy: 'nobody' }),
      'that is none but a share': async (app, share) => {
        const other = await shareOf(app, { a: 'read' })
        await rewrite(service, share.access.id, { createdBy: `${other.access.id} with a caller id` })
      }
    }
    for (const [way, end] of Object.entries(ways)) {
      const app = await appOf(alice, { a: 'manage' })
      const share = await shareOf(app, { a: 'read' })
      t.equal((await read(share)).length, 1, way)
      await end(app, share)
      t.match(await share.call('events.get'), refused, way)
      t.match(await share.call('getAccessInfo'), refused, way)
      t.match((await share.http('GET', '/streams')).status, 401, way)
      t.match(await share.call('callBatch', [{ method: 'events.get', params: {} }]), refused, way)
      await t.rejects(socketOf(t, share), way)
    }
  })

  t.test('ends for its sockets and webhooks as well', async t => {
    const service = await openCoffer(t, { webhooks: { allowInternalTargets: true } })
    const { alice, clock } = service
    await grow(alice, 'a', 'b')
    const app = await appOf(alice, { a: 'manage', b: 'read' })
    const share = await shareOf(app, { a: 'read', b: 'read' })
    const alone = await alice.grantAll(permissionsOf({ a: 'read' }))
    const target = await receiver(t)
    for (const client of [share, alone])
      await client.do('webhooks.create', { url: `${target.url}/${client === share ? 'share' : 'alone'}` })
    await rewrite(service, app.access.id, { expires: clock.now() + 100 })
    const socket = await socketOf(t, share)
    await socket.call('subscribe', { key: 'x', kind: 'events', query: { streams: ['a'] } })
    await alice.event({ streamIds: ['a'] })
    t.same(await socket.news(), ['notificationsChanged'])
    t.equal((await target.received(2)).length, 2)
    await rewrite(service, app.access.id, { permissions: permissionsOf({ b: 'read' }) })
    clock.advance(50)
    await alice.event({ streamIds: ['a'] })
    t.same(await socket.news(), [], 'what the app has lost')
    await target.received(3)
    clock.advance(50)
    await socket.closed()
    clock.advance(50)
    await alice.event({ streamIds: ['a'] })
    await target.received(4)
    t.same(
      target.deliveries.slice(2).map(({ path }) => path),
      ['POST /alone', 'POST /alone']
    )
  })

  t.test("is disconnected when the app's access is revoked", async t => {
    const { alice } = await openCoffer(t)
    await grow(alice, 'a')
    const app = await appOf(alice, { a: 'manage' })
    const socket = await socketOf(t, await shareOf(app, { a: 'read' }))
    await alice.do('accesses.delete', { id: app.access.id })
    await socket.closed()
  })

  t.test('can read files, previews and points only as long as the app can', async t => {
    const service = await openCoffer(t)
    const { alice } = service
    await grow(alice, 'a', 'a/sub')
    const app = await appOf(alice, { a: 'manage' })
    const share = await shareOf(app, { sub: 'contribute' })
    const form = new FormData()
    form.append('file', new Blob(['bytes'], { type: 'text/plain' }), 'x.txt')
    const { id } = await alice.event({ streamIds: ['sub'] })
    await alice.http('POST', `/events/${id}`, form)
    const [file] = (await share.do('events.getOne', { id })).event.attachments
    const path = `/alice/events/${id}/${file.id}?readToken=${file.readToken}`
    const holder = (
      await alice.event({ streamIds: ['sub'], type: 'series:mass/kg', content: null, time: 1_600_000_000 })
    ).id
    const points = { format: 'flatJSON', fields: ['deltaTime', 'value'], points: [[0, 1]] }
    const asked = async (): Promise<number[]> => [
      (await service.http('GET', path)).status,
      (await share.http('GET', `/events/${id}.jpg`)).status,
      (await share.http('GET', `/events/${holder}/series`)).status,
      (await share.http('POST', `/events/${holder}/series`, points)).status,
      (await share.http('PUT', `/events/${id}`, { description: 'x' })).status
    ]
    t.same(await asked(), [200, 204, 200, 200, 200])
    await move(alice, 'sub', null)
    t.same(await asked(), [403, 403, 403, 403, 403])
    await move(alice, 'sub', 'a')
    await rewrite(service, app.access.id, { deleted: 1 })
    t.same(await asked(), [401, 401, 401, 401, 401])
  })

  t.test('sees the same history and audit records as the app', async t => {
    const service = await openCoffer(t)
    const { alice } = service
    await grow(alice, 'a', 'a/sub', 'sub/low')
    const other = await alice.grantAll(permissionsOf({ a: 'read' }))
    const audit = `:_audit:access-${other.access.id}`
    const app = await appOf(alice, { a: 'manage', [audit]: 'read' })
    const own = `:_audit:access-${app.access.id}`
    const share = await shareOf(app, { a: 'read', [audit]: 'read', [own]: 'read' })
    const { id } = await alice.event({ streamIds: ['sub'] })
    for (let n = 0; n < 2; n++) await alice.do('events.delete', { id })
    for (let n = 0; n < 2; n++) await alice.do('streams.delete', { id: 'low' })
    await other.do('events.get')
    const query = { ...everything, modifiedSince: 0, includeDeletions: true }
    const past = async (): Promise<unknown[]> => [
      (await share.do('events.get', query)).eventDeletions.length,
      (await share.do('streams.get', { includeDeletionsSince: 0 })).streamDeletions.length,
      (await share.call('events.getOne', { id })).status ?? 200,
      (await share.call('events.get', { streams: [audit] })).status ?? 200,
      (await share.call('events.get', { streams: [own] })).status ?? 200,
      (await share.call('events.get', { streams: [`:_audit:access-${share.access.id}`] })).status ?? 200
    ]
    t.same(await past(), [1, 1, 200, 200, 200, 200])
    await rewrite(service, app.access.id, {
      permissions: [
        ...permissionsOf({ a: 'manage', sub: 'none' }),
        { feature: 'selfAudit', setting: 'forbidden' }
      ]
    })
    t.same(await past(), [0, 0, 404, 403, 403, 403])
  })

  t.test('gets a 304 only while what it may read is unchanged', async t => {
    const service = await openCoffer(t)
    const { alice } = service
    await grow(alice, 'a', 'b', 'a/sub', 'sub/low')
    await alice.event({ streamIds: ['low'], content: 'low' })
    const app = await appOf(alice, { a: 'manage', b: 'read' })
    const share = await shareOf(app, { low: 'read', b: 'read' })
    let known = (await share.http('GET', '/events')).headers.get('etag')!
    const again = async (): Promise<number> => {
      const { headers, status } = await share.http('GET', '/events', undefined, { 'if-none-match': known })
      known = headers.get('etag') ?? known
      return status
    }
    t.equal(await again(), 304)
    await move(alice, 'sub', null)
    t.equal(await again(), 200, 'when a stream above goes out of the app')
    await alice.event({ streamIds: ['low'] })
    t.equal(await again(), 304, 'nor of what it does not see')
    await move(alice, 'sub', 'a')
    t.equal(await again(), 200)
    t.equal(await again(), 304)
    await rewrite(service, app.access.id, { permissions: permissionsOf({ b: 'read' }), modified: 1e10 })
    t.equal(await again(), 200, 'when the app loses what it had')
    await alice.event({ streamIds: ['low'] })
    t.equal(await again(), 304)
  })

  t.test('returns its effective permissions', async t => {
    const service = await openCoffer(t)
    const { alice } = service
    await grow(alice, 'a', 'a/sub', 'b', 'c')
    const levels = { a: 'manage', b: 'contribute', c: 'contribute' } as const
    const app = await appOf(alice, levels)
    const feature = { feature: 'selfRevoke', setting: 'forbidden' } as const
    const share = await app.grantAll([...permissionsOf({ ...levels, sub: 'none' }), feature])
    const told = async (client: Client): Promise<unknown> => {
      const { integrity, permissions } = await client.do('getAccessInfo')
      t.equal(integrity, undefined)
      return permissions.slice(0, -1)
    }
    t.same(await told(share), [...permissionsOf({ ...levels, sub: 'none' }), feature])
    await rewrite(service, app.access.id, {
      permissions: permissionsOf({ a: 'read', b: 'none', '*': 'manage' })
    })
    t.same(await told(share), [
      ...permissionsOf({ a: 'read', b: 'none', c: 'contribute', sub: 'none' }),
      feature
    ])
    await rewrite(service, app.access.id, { permissions: permissionsOf({ a: 'create-only' }) })
    t.same(await told(share), [...permissionsOf({ a: 'none', sub: 'none' }), feature])
    const { accesses } = await app.do('accesses.get')
    t.same(accesses, [], 'and its app lists what it could share')
  })

  t.test('created by the owner is independent of sessions', async t => {
    const service = await openCoffer(t, { auth: { sessionMaxAge: 1e9 } })
    const { alice, clock } = service
    await grow(alice, 'a')
    await alice.event({ streamIds: ['a'], content: 'open' })
    const { access } = await service.call(undefined, 'test.signIn', { username: 'alice', appId: 'second' })
    const second = new Client(service, 'alice', access)
    const share = await second.grantAll(permissionsOf({ a: 'read' }))
    await second.do('auth.logout')
    t.same(await read(share), ['open'])
    await alice.do('accesses.delete', { id: access.id })
    t.same(await read(share), ['open'])
    clock.advance(2 * 31_536_000)
    const { services } = service.server
    await removeExpired(services, services.accounts.find('alice')!, { kind: 'deletions' })
    t.same(await read(share), ['open'], 'when nothing else tells of who made it')
    const { accessDeletions } = await alice.do('accesses.get', { includeDeletions: true })
    t.match(accessDeletions, [{ id: access.id }], 'its record stays as long as what it made')
    await alice.do('accesses.delete', { id: share.access.id })
    await removeExpired(services, services.accounts.find('alice')!, { kind: 'deletions' })
    t.match(await alice.do('accesses.get', { includeDeletions: true }), {
      accessDeletions: [{ id: share.access.id }]
    })
  })

  t.test('cannot be returned to a polling app', t => polled(t))
})

/** An app must receive its own access; a share would end with another app. */
async function polled(t: Test): Promise<void> {
  const service = await openCoffer(t)
  const { alice, server } = service
  await grow(alice, 'a')
  const share = await shareOf(await appOf(alice, { a: 'manage' }), { a: 'read' })
  const request = { requestingAppId: 'some-app', requestedPermissions: [], returnURL: false }
  const { body } = await service.http('POST', '/reg/access/', request)
  const poll = body.poll.slice(server.url.length)
  const accept = { status: 'ACCEPTED', username: 'alice', token: share.token }
  t.equal((await service.http('POST', poll, accept)).status, 403)
  t.match((await service.http('GET', poll)).body, { status: 'NEED_SIGNIN' })
}

function off(feature: 'selfAudit' | 'selfRevoke'): Permission {
  return { feature, setting: 'forbidden' }
}

t.test('a share has the restricted features of its app', async t => {
  const { alice } = await openCoffer(t)
  await grow(alice, 'a')
  for (const features of [
    [],
    [off('selfAudit')],
    [off('selfRevoke')],
    [off('selfRevoke'), off('selfAudit')]
  ]) {
    const has = (feature: string): boolean =>
      features.some(each => 'feature' in each && each.feature === feature)
    const app = await alice.grantAll([{ streamId: 'a', level: 'read' }, ...features], { type: 'app' })
    for (const given of [[], features]) {
      const share = await app.grantAll([{ streamId: 'a', level: 'read' }, ...given])
      const { id } = share.access
      const streams = [`:_audit:access-${id}`]
      const isBlind = has('selfAudit')
      for (const [method, params] of [
        ['events.get', { streams }],
        ['audit.get', {}]
      ] as const)
        t.match(await share.call(method, params), isBlind ? { status: 403 } : { error: undefined }, method)
      const { integrity, permissions } = await share.do('getAccessInfo')
      const named = permissions.flatMap((each: Answer) => each.feature ?? [])
      t.same(named.toSorted(), features.map(each => ('feature' in each ? each.feature : '')).toSorted())
      t.equal(
        permissions.some(({ streamId }: Answer) => streamId === streams[0]),
        !isBlind
      )
      if (given.length < features.length) t.equal(integrity, undefined, 'it is told of as what it is worth')
      const deletion = await share.call('accesses.delete', { id })
      t.match(deletion, has('selfRevoke') ? { status: 403 } : { accessDeletion: { id } })
      if (has('selfRevoke')) t.match(await app.call('accesses.delete', { id }), { accessDeletion: { id } })
    }
  }
})
