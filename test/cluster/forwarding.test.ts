/** Two nodes in one process, over an in-memory engine: the user's node handles each call, whichever receives it. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { test } from 'tap'
import { createFixedShards } from '../../core/call/shard.js'
import { createId } from '../../core/ids.js'
import { Layout } from '../../storage/files/layout.js'
import type { Answer, Client } from '../support/coffer.js'
import { connect, until } from '../support/socket.js'
import {
  connect as connectApp,
  events,
  look,
  points,
  send as sendData
} from '../transports/receive/connecting.js'
import {
  adminKey,
  begin,
  client,
  move,
  nameAt,
  objects,
  startNode,
  tokens,
  userAt,
  type Node
} from './anywhere/memory-nodes.js'
import { MemoryCluster } from './memory-engine.js'
import { register } from './registration.js'

const bytes = Buffer.alloc(200_000, 'coffer')

test('two nodes', async t => {
  const cluster = new MemoryCluster()
  await begin(t, cluster)
  const [n1, n2] = (await Promise.all(['n1', 'n2'].map(name => startNode(t, cluster, name)))) as [Node, Node]
  const shards = createFixedShards(64)
  const shared = (): boolean =>
    Array.from({ length: 400 }, (_, index) => `user-${index}`).every(
      name => [n1, n2].filter(node => node.owns(name)).length === 1
    )
  await until(shared, 'the shards to be shared')
  const alice = nameAt(n1, 0)
  await userAt([n1, n2], alice)
  const [here, there] = [client(n1, alice), client(n2, alice)]

  await t.test('return the same, whichever node is called', async t => {
    const event = await there.event({ content: 'written elsewhere' })
    t.match(await here.call('events.getOne', { id: event.id }), { event: { content: 'written elsewhere' } })
    t.match(await there.call('events.getOne', { id: event.id }), { event: { content: 'written elsewhere' } })
    t.match(await there.http('GET', `/events/${event.id}`), { status: 200 })
    t.match(await there.call('events.getOne', { id: 'cunknown' }), { error: { id: 'unknown-resource' } })
    t.match(await n2.service.call(alice, 'events.get', {}, 'wrong'), {
      error: { id: 'invalid-access-token' }
    })
    t.match(await n2.service.call('nobody-here', 'events.get', {}, 'wrong'), {
      error: { id: 'unknown-resource' }
    })
  })

  await t.test('find an access by its id, and what it has read, whichever node is called', async t => {
    const reader = await here.grantAll([{ streamId: 'diary', level: 'read' }])
    await reader.do('events.get', { streams: ['diary'] })
    const { id } = reader.access
    const headers = { authorization: adminKey }
    for (const { service } of [n1, n2]) {
      const found = await service.http('GET', `/system/accesses/${id}:2`, undefined, headers)
      t.match(found, { status: 200, body: { access: { id }, owner: { username: alice } } })
      const path = `/system/users/${alice}/accesses/${id}/breach-scope`
      const { body } = await service.http('GET', path, undefined, headers)
      t.match(body.breachScope, { calls: 1, streams: [{ id: 'diary' }] })
      const unknown = await service.http('GET', '/system/accesses/cunknown', undefined, headers)
      t.match(unknown, { status: 404, body: { error: { id: 'unknown-resource' } } })
    }
    const { body } = await n1.service.http('GET', '/system/deeds', undefined, headers)
    t.equal(body.deeds.filter(({ method }: Answer) => method === 'system.getBreachScope').length, 2)
  })

  await t.test('ignore malformed announcements of other software', async t => {
    for (const text of ['', 'no JSON', 'null', '7', '{"forget":7,"note":{}}'])
      n1.engine.announce('nodes', Buffer.from(text))
    t.notOk((await there.call('events.get', {})).error)
  })

  await t.test('receive data of apps, whichever node is called', async t => {
    const phone = await connectApp(there, 'owntracks')
    const picture = Buffer.from('ffd8ffe000104a46494600010101004800480000ffd9', 'hex')
    const message = { _type: 'location', lat: 46.5, lon: 6.6, tst: 1_795_694_400, tid: 'DA' }
    for (const user of [there, here, there]) {
      t.equal((await sendData(user, 'owntracks', phone, message)).status, 200)
      const image = { ...message, tst: 1_795_694_401, image: picture.toString('base64') }
      t.equal((await sendData(user, 'owntracks', phone, image)).status, 200)
      t.equal((await sendData(user, 'owntracks', { token: 'wrong' }, message)).status, 401)
      t.equal((await sendData(user, 'owntracks', phone, '{')).status, 400)
    }
    t.equal((await points(here)).length, 2)
    const pictures = (await events(there)).filter(({ type }) => type === 'picture/attached')
    t.match(pictures, [{ attachments: [{ size: picture.length }] }])
    t.equal(pictures.length, 1)
    t.equal((await look(there, phone)).received, 6)
  })

  await t.test('accept and return files, whichever node is called', async t => {
    const form = new FormData()
    form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content: 'with a file' }))
    form.append('file', new Blob([bytes]), 'some.bin')
    const headers = { authorization: there.token }
    const sent = await fetch(`${n2.service.server.url}/${alice}/events`, {
      method: 'POST',
      headers,
      body: form
    })
    t.equal(sent.status, 201)
    const { event } = (await sent.json()) as { event: { id: string; attachments: { id: string }[] } }
    const [attachment] = event.attachments
    for (const { service } of [n1, n2]) {
      const url = `${service.server.url}/${alice}/events/${event.id}/${attachment!.id}`
      const got = await fetch(url, { headers })
      t.equal(got.status, 200)
      t.ok(Buffer.from(await got.arrayBuffer()).equals(bytes))
    }
    t.same(await objects.list('lent/'), [], 'nothing stays lent')
  })

  await t.test('assign a name once to concurrent registrations at both nodes', async t => {
    for (const [index, owner] of [n1, n2].entries()) {
      const username = nameAt(owner, index + 20)
      const asked = [n1, n2, n1, n2].map(node => register(node.service.server.url, username))
      const answers = await Promise.all(asked)
      t.same(answers.map(({ status }) => status).toSorted(), [201, 409, 409, 409], username)
    }
  })

  await t.test('export an account, and delete its files after it is deleted', async t => {
    const username = nameAt(n1, 30)
    await userAt([n1, n2], username)
    const { token } = client(n2, username)
    const headers = { authorization: token }
    const copy = await fetch(`${n2.service.server.url}/${username}/account/export`, { headers })
    t.equal(copy.status, 200)
    t.equal(Buffer.from(await copy.arrayBuffer()).toString('latin1', 0, 2), 'PK')
    t.same(await objects.list('lent/'), [], 'nothing stays lent')
    const { accounts, platform } = n1.service.server.services
    const { id } = accounts.find(username)!
    const file = new Layout(n2.service.directory).userFile(id)
    // As if this node had served the account before.
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, 'of old')
    await accounts.remove(accounts.find(username)!)
    t.equal(platform.findById(id), undefined)
    await until(() => !existsSync(file), 'the file of the other node to go')
    t.match(await n2.service.call(username, 'events.get', {}, token), { error: { id: 'unknown-resource' } })
  })

  await t.test('remove unfinished claims of shards that they take over', async t => {
    const username = nameAt(n2, 40)
    const { platform } = n2.service.server.services
    const id = createId()
    await platform.change('claim', { id, username, created: 0, unique: {} })
    t.match(await register(n1.service.server.url, username), { status: 409 })
    await move(n2, n1, shards.indexOf(username))
    await until(() => !platform.findById(id), 'the claim to be given back')
    t.match(await register(n1.service.server.url, username), { status: 201 })
  })

  await t.test('forward long responses in chunks', async t => {
    const content = 'x'.repeat(100_000)
    for (let index = 0; index < 60; index++) await here.event({ content })
    const { body, status } = await there.http('GET', '/events?limit=100')
    t.equal(status, 200)
    t.ok(body.events.length >= 60)
    const batch = await there.http('POST', '', [{ method: 'events.get', params: { limit: 100 } }])
    t.equal(batch.body.results[0].events.length, body.events.length)
  })

  await t.test('forward long params, also of calls whose user is in the params', async t => {
    const clientData = { all: Array.from({ length: 20_000 }, (_, index) => [index, null, 'ω😀']) }
    const { id } = await there.event({ clientData })
    t.same((await here.do('events.getOne', { id })).event.clientData, clientData)
    const outcome = await n2.service.server.dispatcher.call({
      method: 'test.setPassword',
      params: { username: alice, password: 'a long password'.repeat(10_000) },
      credentials: { ip: '192.0.2.1', via: 'http' }
    })
    t.equal(outcome.ok, true)
  })

  await t.test('forward lists in ASCII', async t => {
    await here.event({ type: 'note/html', content: 'ω😀好' })
    const headers = { authorization: tokens.get(alice)!.token }
    const response = await fetch(`${n2.service.server.url}/${alice}/events?types=note/html`, { headers })
    const text = await response.text()
    t.match(text, /^[\x20-\x7e]*$/)
    t.match(JSON.parse(text), { events: [{ content: 'ω😀好' }] })
  })

  await t.test('notify sockets at the other node of changes and of a move', async t => {
    const socket = await connect(t, n2.service.server.url, alice, tokens.get(alice)!.token)
    await here.event()
    await until(() => socket.heard.includes('eventsChanged'), 'the change')
    await socket.call('subscribe', { key: 'diary', kind: 'events', query: { streams: ['diary'] } })
    t.match(await socket.call('getSubscriptions'), { scopes: { diary: {} } })
    await socket.call('unsubscribe', { all: true })
    await socket.news()
    await move(n1, n2, shards.indexOf(alice))
    await until(() => socket.heard.length >= 3, 'what may have been missed')
    t.same(await socket.news(), ['accessesChanged', 'eventsChanged', 'streamsChanged'])
    await here.event({ content: 'after the move' })
    await until(() => socket.heard.includes('eventsChanged'), 'the change after the move')
    t.ok(n2.owns(alice))
  })

  await t.test('subscribe to what is left of the scopes after a move', async t => {
    const socket = await connect(t, n1.service.server.url, alice, tokens.get(alice)!.token)
    await here.stream('passing')
    const scopes = {
      both: { query: { streams: ['diary', 'passing'], types: ['note/txt'] } },
      passing: { query: { streams: ['passing'] } }
    }
    t.match(await socket.call('subscribe', { scopes }), { ok: true, keys: ['both', 'passing'] })
    for (let count = 0; count < 2; count++) await here.do('streams.delete', { id: 'passing' })
    await socket.news()
    socket.payloads.length = 0
    const [from, to] = n1.owns(alice) ? [n1, n2] : [n2, n1]
    await move(from, to, shards.indexOf(alice))
    await until(() => socket.heard.length > 0, 'what may have been missed')
    await socket.news()
    t.same(socket.payloads.splice(0), [{ keys: ['both', 'passing'] }])
    await here.event({ type: 'mass/kg', content: 1 })
    await here.event({ type: 'note/txt', content: 'after the move' })
    await until(() => socket.heard.length > 0, 'the change after the move')
    t.same(socket.payloads, [{ keys: ['both'] }])
    t.same(Object.keys((await socket.call('getSubscriptions')).scopes), ['both'])
  })

  await t.test('hold calls while a shard moves, without errors', async t => {
    const errors: unknown[] = []
    const work = { isOver: false, written: 0 }
    const write = async (each: Client): Promise<void> => {
      while (!work.isOver) {
        const { error } = await each.call('events.create', {
          streamIds: ['diary'],
          type: 'note/txt',
          content: 'x'
        })
        if (error) errors.push(error)
        else work.written++
      }
    }
    const { events: before } = await here.do('events.get', { limit: 100_000 })
    const writing = [here, there, here, there].map(write)
    for (let times = 1; times <= 6; times++) {
      await move(n2.owns(alice) ? n2 : n1, n2.owns(alice) ? n1 : n2, shards.indexOf(alice))
      await until(() => work.written + errors.length >= 5 * times, 'some events')
    }
    work.isOver = true
    await Promise.all(writing)
    const { events } = await there.do('events.get', { limit: 100_000 })
    t.same(errors, [])
    t.equal(events.length, before.length + work.written)
  })

  await t.test('refuse requests that may have waited while they were frozen', async t => {
    const [owner, other] = n1.owns(alice) ? [n1, n2] : [n2, n1]
    const before = await client(owner, alice).do('events.get', { limit: 100_000 })
    /** Writes for a user whom the other node serves, and registers one. */
    const write = async (username: string): Promise<number[]> => {
      const note = { streamIds: ['diary'], type: 'note/txt', content: 'perhaps late' }
      const written = await client(other, alice).http('POST', '/events', note)
      const registered = await register(other.service.server.url, username)
      return [written.status, registered.status]
    }
    const isReady = async (): Promise<boolean> =>
      (await fetch(`${other.service.server.url}/readyz`)).status === 200
    const username = nameAt(owner, 50)
    // Its heartbeats stop, as while a process is frozen.
    other.engine.isCutOff = true
    await until(async () => !(await isReady()), 'the lease to lapse')
    other.engine.isCutOff = false
    t.same(await write(username), [503, 503])
    await until(isReady, 'the node to be ready again')
    t.same(await write(username), [201, 201])
    const { events } = await client(owner, alice).do('events.get', { limit: 100_000 })
    t.equal(events.length, before.events.length + 1)
  })

  await t.test('refuse all calls while the engine is unavailable, and recover afterwards', async t => {
    const owner = n1.owns(alice) ? n1 : n2
    const other = owner === n1 ? n2 : n1
    owner.engine.isCutOff = true
    await until(
      async () =>
        (await client(owner, alice).call('events.get', { limit: 1 })).error?.id === 'api-unavailable',
      'reads to end'
    )
    t.match(await client(owner, alice).http('GET', '/events'), {
      status: 503,
      headers: { get: Function },
      body: { error: { id: 'api-unavailable' } }
    })
    const ready = await fetch(`${owner.service.server.url}/readyz`)
    t.equal(ready.status, 503)
    await until(() => other.owns(alice), 'the other node to take over')
    owner.engine.isCutOff = false
    await until(shared, 'the shards to be shared')
    for (const each of [here, there])
      await until(async () => !(await each.call('events.get', { limit: 1 })).error, 'reads')
  })
})
