/** Accesses that an app has shared, each with thousands of permissions, do not block other calls, however they end. */
import { createHash } from 'node:crypto'
import t, { type Test } from 'tap'
import { createId, createToken } from '../../../core/ids.js'
import type { Access } from '../../../schemas/access.js'
import type { Permission } from '../../../schemas/permission.js'
import { openCoffer, type Answer, type Client, type Service } from '../../support/coffer.js'
import { app, apps, clientId, obtain, post, redirectUri } from '../../support/oauth.js'
import { assertTakesLessThan, longestTurn } from '../../support/probe.js'
import { inRotation } from '../../support/rotation.js'

/** Fewer accesses than are worked on in one piece, but 13 MB. */
const count = 60
const permissions: Permission[] = Array.from({ length: 6000 }, () => ({ streamId: 'diary', level: 'read' }))
/** Maximum time in milliseconds for which other calls may be blocked. */
const limitMs = 100

const longId = (n: number): string => String(n).padStart(1000, 'x')
const list = (from: number, number: number): Permission[] =>
  Array.from({ length: number }, (_, n) => ({ streamId: longId(from + n), level: 'read' }))

const secret = 'a client secret that nobody guesses'
/** A client that gets sessions of its own in the account. */
const worker = {
  id: 'worker-client',
  oauth: {
    redirectURIs: [redirectUri],
    secretHash: createHash('sha256').update(secret).digest('hex'),
    account: 'alice'
  }
}

const service = await openCoffer(t, { ...apps(app, worker), accesses: { updates: true } })
const { alice } = service
await alice.stream('diary')

/** Stores accesses as if an access had shared them. */
async function plant(by: string): Promise<void> {
  const { accounts } = service.server.services
  const store = accounts.openStore(accounts.find('alice')!)
  const fields = {
    type: 'shared' as const,
    created: 1,
    createdBy: by,
    modified: 1,
    modifiedBy: by,
    permissions
  }
  await store.write(() => {
    for (let n = 0; n < count; n++)
      store.accesses.insert({ ...fields, id: createId(), token: createToken(), name: createId() })
  })
}

/** Requires that what an access has shared ends with it, in short pieces. `end` returns the answer of a call that ends it. */
async function assertEndsInPieces(t: Test, access: string, end: () => Promise<Answer>): Promise<void> {
  await plant(access)
  let answer: Answer
  await assertTakesLessThan(t, limitMs, async () => await longestTurn(async () => (answer = await end())), 1)
  t.notOk(answer.error, JSON.stringify(answer.error))
  const { accesses } = await alice.do('accesses.get', { includeExpired: true })
  t.same(
    accesses.filter((each: Answer) => [access, each.id].includes(each.createdBy) || each.id === access),
    []
  )
}

/** Creates an app's access that can share its stream. */
async function grantApp(fields: object = {}): Promise<Client> {
  return await alice.grant('manage', 'diary', { type: 'app', ...fields })
}

/** Has the client get a token of its own. Returns it. */
async function openWorkerSession(t: Test, service: Service): Promise<string> {
  const factor = { method: 'totp', content: { secret: 'A'.repeat(32) }, recoveryCodes: [] }
  await service.call(undefined, 'test.enrol', { username: 'alice', factor })
  const form = {
    grant_type: 'client_credentials',
    scope: 'diary:read',
    client_id: worker.id,
    client_secret: secret
  }
  const { body } = await post(service, '/oauth/token', form)
  t.match(body, { token_type: 'Bearer' })
  return body.access_token
}

const test = inRotation(t, 3)
test('a stream whose id was used before is created and deleted', async t => {
  const holder = await grantApp()
  await plant(holder.access.id)
  const params = { id: 'again', name: 'again', parentId: 'diary' }
  const change = async (): Promise<void> => {
    for (const method of ['streams.create', 'streams.delete', 'streams.delete'])
      await holder.do(method, method === 'streams.create' ? params : { id: 'again' })
  }
  await change()
  await assertTakesLessThan(t, limitMs, async () => await longestTurn(change))
  const update = { permissions: [{ streamId: 'diary', level: 'read' }] }
  await assertTakesLessThan(
    t,
    limitMs,
    async () =>
      await longestTurn(async () => {
        const { access } = await alice.do('accesses.update', { id: holder.access.id, update })
        await alice.do('accesses.delete', { id: access.id })
      }),
    1
  )
})

test('a tag whose stream was deleted is used again', async t => {
  const tagged = { streamIds: ['diary'], type: 'note/txt', content: 'x', tags: ['again'] }
  const { event } = await alice.do('events.create', tagged)
  const id = event.streamIds.find((each: string) => each !== 'diary')
  await alice.do('events.delete', { id: event.id })
  await alice.do('events.delete', { id: event.id })
  for (let n = 0; n < 2; n++) await alice.do('streams.delete', { id })
  await plant((await grantApp()).access.id)
  await assertTakesLessThan(
    t,
    limitMs,
    async () => await longestTurn(async () => await alice.do('events.create', tagged)),
    1
  )
})

test('a stream that the service provides returns', async t => {
  // Reading all of them in one piece takes longer than the limit.
  const holder = await grantApp()
  for (let n = 0; n < 6; n++) await plant(holder.access.id)
  const { connection } = await alice.do('connections.create', { dialect: 'owntracks', name: createId() })
  const id = ':_cmc:apps:again'
  const named = [{ streamId: id, level: 'read' }]
  const params = { streamIds: [id], type: 'note/txt', content: 'x' }
  const calls: [string, string, () => object][] = [
    [id, 'streams.create', () => ({ id, name: 'again', parentId: ':_cmc:apps' })],
    [id, 'events.create', () => params],
    [id, 'accesses.create', () => ({ name: createId(), permissions: named })],
    [connection.streamId, 'connections.create', () => ({ dialect: 'owntracks', name: createId() })]
  ]
  await alice.do('streams.create', calls[0]![2]())
  for (const [streamId, method, given] of calls) {
    for (let n = 0; n < 2; n++)
      await alice.do('streams.delete', { id: streamId, mergeEventsWithParent: false })
    await assertTakesLessThan(
      t,
      limitMs,
      async () => await longestTurn(async () => await alice.do(method, given())),
      1
    )
  }
})

test('hundreds of streams return with the access that names them', async t => {
  const ids = Array.from({ length: 500 }, () => createId())
  const deleting = ids.map(id => ({ method: 'streams.delete', params: { id } }))
  const creating = ids.map(id => ({ method: 'streams.create', params: { id, name: id } }))
  for (const calls of [creating, deleting, deleting]) await alice.do('callBatch', calls)
  const { accounts } = service.server.services
  const store = accounts.openStore(accounts.find('alice')!)
  const by = { created: 1, createdBy: 'system', modified: 1, modifiedBy: 'system' }
  await store.write(() => {
    for (let n = 0; n < 420; n++)
      store.accesses.insert({ ...by, id: createId(), token: createToken(), type: 'shared', name: createId() })
  })
  const named = ids.map(id => ({ streamId: id, level: 'read', defaultName: id }))
  await assertTakesLessThan(
    t,
    limitMs,
    async () =>
      await longestTurn(
        async () => await alice.do('accesses.create', { name: createId(), permissions: named })
      ),
    1
  )
})

/** Permissions on thousands of streams of apps that do not exist yet. */
function nameStreamsOfApps(level: string): object[] {
  const app = createId().toLowerCase()
  return Array.from({ length: 5000 }, (_, n) => ({ streamId: `:_cmc:apps:${app}-${n}`, level }))
}

test('an access names thousands of streams of apps', async t => {
  const app = await grantApp()
  const own = { streamId: 'diary', level: 'read' }
  const create = async (client: Client, permissions: object[]): Promise<Answer> => {
    let answer: Answer
    await assertTakesLessThan(
      t,
      limitMs,
      async () =>
        await longestTurn(
          async () => (answer = await client.call('accesses.create', { name: createId(), permissions }))
        ),
      1
    )
    return answer
  }
  t.match(await create(app, [own, ...nameStreamsOfApps('read')]), { error: { id: 'forbidden' } })
  const { streams: before } = await alice.do('streams.get')
  t.match(await create(alice, [own, ...nameStreamsOfApps('none')]), { access: { type: 'shared' } })
  t.same((await alice.do('streams.get')).streams, before, 'without streams for the level none')
  t.match(await create(alice, nameStreamsOfApps('read')), { access: { type: 'shared' } })
})

test('an app deletes itself', async t => {
  const holder = await grantApp()
  await assertEndsInPieces(t, holder.access.id, async () =>
    holder.call('accesses.delete', { id: holder.access.id })
  )
})

test('an expired access is replaced', async t => {
  const name = 'expiring-app'
  const { access } = await grantApp({ name, expireAfter: 0 })
  const params = { name, type: 'app', permissions: [{ streamId: 'diary', level: 'read' }] }
  await assertEndsInPieces(t, access.id, async () => alice.call('accesses.create', params))
})

test('permissions, with those that have ended, have a limited length', async t => {
  const { access } = await grantApp({ name: createId() })
  const update = async (permissions: Permission[]): Promise<Answer> => {
    const { accesses } = await alice.do('accesses.get')
    const { id } = accesses.find(({ token }: Answer) => token === access.token)
    return await alice.call('accesses.update', { id, update: { permissions } })
  }
  const tooLong = { error: { id: 'invalid-operation' } }
  t.match(await alice.call('accesses.create', { name: createId(), permissions: list(0, 2000) }), tooLong)
  for (let n = 0; n < 5; n++)
    await alice.do('streams.create', { id: longId(n), name: longId(n), parentId: 'diary' })
  t.match(await update([...list(0, 5), ...list(10, 1880)]), { error: undefined })
  for (let n = 0; n < 5; n++)
    for (const _ of ['trash', 'delete']) await alice.do('streams.delete', { id: longId(n) })
  t.match(await update(list(10, 1937)), tooLong)
  t.match(await update(list(10, 1870)), { error: undefined })
})

test('a client revokes its token, or replays one', async t => {
  const scope = 'diary:manage offline_access'
  const findId = async (): Promise<string> => {
    const { accesses } = await alice.do('accesses.get')
    return accesses.find(({ name }: Answer) => name === clientId).id
  }
  const replay = { grant_type: 'refresh_token', client_id: clientId }
  const revoked = await obtain(service, alice, { scope })
  await assertEndsInPieces(t, await findId(), async () => {
    const { status } = await post(service, '/oauth/revoke', {
      client_id: clientId,
      token: revoked.access_token
    })
    return t.equal(status, 200)
  })
  const { refresh_token } = await obtain(service, alice, { scope })
  await post(service, '/oauth/token', { ...replay, refresh_token })
  service.clock.advance(11)
  await assertEndsInPieces(t, await findId(), async () => {
    const { body } = await post(service, '/oauth/token', { ...replay, refresh_token })
    return t.match(body, { error: 'invalid_grant' })
  })
})

test('a client with large sessions opens another', async t => {
  const { accounts } = service.server.services
  const store = accounts.openStore(accounts.find('alice')!)
  await store.write(() => {
    for (let n = 0; n < count; n++)
      store.accesses.insert({
        id: createId(),
        token: createToken(),
        type: 'app',
        name: `oauth:${worker.id}`,
        deviceName: createId(),
        permissions,
        ...(n === 0 && { expires: 1 }),
        created: 1,
        createdBy: 'system',
        modified: 1,
        modifiedBy: 'system'
      })
  })
  const tokens: string[] = []
  const open = async (): Promise<void> => void tokens.push(await openWorkerSession(t, service))
  await assertTakesLessThan(t, limitMs, async () => await longestTurn(open), 1)
  await open()
  t.equal(new Set(tokens).size, 1, 'the session is found again')
  const names = store.accesses.list().filter(({ name }) => name === `oauth:${worker.id}`)
  t.equal(names.length, count, 'the expired session has ended')
})

test('sessions that have each shared a little end in steps', async t => {
  const service = await openCoffer(t, apps(worker))
  const { alice } = service
  await alice.stream('diary')
  const { accounts } = service.server.services
  const store = accounts.openStore(accounts.find('alice')!)
  const insert = (fields: Pick<Access, 'type' | 'name'> & Partial<Access>, createdBy = 'system'): string => {
    const tracking = { created: 1, createdBy, modified: 1, modifiedBy: createdBy }
    return store.accesses.insert({ ...tracking, id: createId(), token: createToken(), ...fields }).id
  }
  const plantSessions = async (client: string, fields: Partial<Access>): Promise<void> =>
    await store.write(() => {
      for (let n = 0; n < 20; n++) {
        const id = insert({ type: 'app', name: `oauth:${client}`, deviceName: createId(), ...fields })
        for (let each = 0; each < 10; each++) insert({ type: 'shared', name: createId() }, id)
      }
    })
  const takeSteps = t.capture(store, 'writeInSteps', store.writeInSteps.bind(store))
  const assertAllEnded = (): void => {
    t.equal(takeSteps().length, 1)
    t.same(
      store.accesses.list().filter(({ created }) => created === 1),
      []
    )
  }

  const cmc = { role: 'counterparty', appCode: 'x', scopeStreamId: '', features: {}, counterparty: {} }
  const held = await store.write(() => insert({ type: 'shared', name: 'peer', clientData: { cmc } }))
  await plantSessions('other-client', { clientData: { 'coffer:offer': { accessId: held, name: 'study' } } })
  await alice.do('accesses.delete', { id: held })
  assertAllEnded()

  await plantSessions(worker.id, { expires: 2 })
  await openWorkerSession(t, service)
  assertAllEnded()
})
