/** Peers, strangers and apps that try for more than they were given. */
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import type { Services } from '../../../core/call/services.js'
import { Deliveries } from '../../../core/cmc/deliveries.js'
import { createId, createToken } from '../../../core/ids.js'
import { unzipped } from '../../support/archives.js'
import { Client, type Answer } from '../../support/coffer.js'
import {
  accept,
  arrived,
  listPeers,
  offer,
  relate,
  scope,
  settled,
  startTwo,
  write
} from '../../support/two-servers.js'

const asHolder = (owner: Client, url: string): Client =>
  new Client(owner.service, owner.username, { token: new URL(url).username } as Client['access'])

const asPeer = (owner: Client, access: Answer): Client => new Client(owner.service, owner.username, access)

/** Answers an offer as a client that is no server. */
async function answer(link: Client, offered: Answer, type: string, content: object, id?: string) {
  const streamIds = [`:_cmc:_internal:responses:${offered.content.capabilityId}`]
  return await link.call('events.create', { streamIds, type, content, ...(id !== undefined && { id }) })
}

t.test('strangers with a link', async t => {
  const two = await startTwo(t, {}, { isShared: true })
  const { dora, paul } = two
  const request = await offer(dora, { capability: { mode: 'open-link' } })
  const { capabilityAccessId, capabilityUrl } = request.content
  t.match(await accept(paul, capabilityUrl), { status: 'completed' })
  const link = asHolder(dora, capabilityUrl)
  const info = await link.do('getAccessInfo')
  t.match(info.clientData.cmc, { kind: 'capability', capability: { state: 'open', acceptedBy: [] } })
  t.notMatch(JSON.stringify(info), 'paul-patient', 'who else has accepted stays hidden')
  for (const [method, params] of [
    ['accesses.delete', { id: capabilityAccessId }],
    ['audit.getLogs', {}],
    ['webhooks.create', { url: 'https://example.com/' }],
    ['events.getOne', { id: request.id }],
    ['profile.getPublic', {}]
  ] as const)
    t.match(await link.call(method, params), { error: { id: 'forbidden' } }, method)
  const own = (await dora.do('accesses.getOne', { id: capabilityAccessId })).access
  t.equal(own.clientData.cmc.capability.acceptedBy.length, 1, 'the user sees it')

  const refused = { from: { username: 'eve', host: 'a.example' } }
  const long = { ...refused, reason: 'x'.repeat(70_000) }
  t.match(await answer(link, request, 'consent/refuse-cmc', long), {
    error: { data: { id: 'cmc-invalid-event-content' } }
  })
  const form = new FormData()
  const streamIds = [`:_cmc:_internal:responses:${request.content.capabilityId}`]
  form.append('event', JSON.stringify({ streamIds, type: 'consent/refuse-cmc', content: refused }))
  form.append('file', new Blob(['x']), 'x.txt')
  t.equal((await link.http('POST', '/events', form)).status, 400, 'answers have no files')

  const id = 'cabcdefghijklmnopqrstuvwx'
  t.match(await answer(link, request, 'consent/refuse-cmc', refused, id), { event: { id } })
  const other = await offer(dora)
  const otherLink = asHolder(dora, other.content.capabilityUrl)
  t.match(await answer(otherLink, other, 'consent/refuse-cmc', refused, id), {
    error: { id: 'item-already-exists' }
  })
})

t.test('a token of the same account, given for something else', async t => {
  const two = await startTwo(t, {}, { isShared: true })
  const { dora, paul } = two
  const mallory = await two.requesterService.user('mallory')
  const held = await offer(mallory)
  const granted = await accept(paul, held.content.capabilityUrl)
  const shared = await paul.grant('read', 'health')
  const from = { username: 'paul-patient', host: '127.0.0.1' }
  const ofPeer = granted.acceptedBy.apiEndpoint
  for (const apiEndpoint of [ofPeer, ofPeer.replace(/\/\/.*@/, `//${shared.token}@`)]) {
    const request = await offer(dora)
    const link = asHolder(dora, request.content.capabilityUrl)
    const content = { from, grantedAccess: { apiEndpoint } }
    t.match(await answer(link, request, 'consent/accept-cmc', content), {
      error: { data: { id: 'cmc-handler-counterparty-unknown' } }
    })
  }
  const [grant] = await listPeers(paul)
  const { apiEndpoint: _known, ...names } = grant.clientData.cmc.counterparty
  t.match(names, { username: 'mallory' })
  const channel = {
    from: { username: 'dora-doctor', host: '127.0.0.1' },
    apiEndpoint: ofPeer,
    remoteChatStreamId: `${scope}:chats:x`,
    remoteCollectorStreamId: `${scope}:collectors:x`
  }
  const peer = asPeer(paul, grant)
  t.match(await write(peer, 'consent/back-channel-cmc', channel, ':_cmc:inbox'), {
    error: { data: { id: 'cmc-handler-counterparty-unknown' } }
  })
})

t.test('another account with the same slug', async t => {
  const two = await startTwo(t, { workers: 0 }, { isShared: true })
  const services = two.requesterService.server.services as unknown as { config: object }
  const { config } = services
  services.config = { ...config, domain: 'a.b-c.example' }
  await relate(two)
  services.config = { ...config, domain: 'a-b.c.example' }
  const { content } = await offer(two.dora)
  t.match(await accept(two.paul, content.capabilityUrl), {
    status: 'failed',
    failure: { reason: 'cmc-handler-counterparty-unknown' }
  })
})

t.test('streams that another server names are as those that clients create', async t => {
  const two = await startTwo(t, { limits: { streamDepth: 10 }, workers: 0 }, { isShared: true })
  const { dora, paul } = two
  const { accounts } = two.requesterService.server.services
  const store = accounts.openStore(accounts.find('dora-doctor')!)
  const before = (await paul.do('streams.get')).streams
  for (const originStreamId of [`${scope}${':x'.repeat(8)}`, `${scope}:${'x'.repeat(1000)}`]) {
    const { content } = await offer(dora)
    const { offer: text, ...kept } = store.cmc.findCapability(content.capabilityId)!
    const forged = JSON.parse(text)
    Object.assign(forged.content, { originStreamId })
    await store.write(() => {
      store.cmc.removeCapability(kept.id)
      store.cmc.addCapability({ ...kept, offer: JSON.stringify(forged) })
    })
    t.match(await accept(paul, content.capabilityUrl), {
      status: 'failed',
      failure: { reason: 'cmc-handler-offer-read-failed' }
    })
  }
  const create = async (levels: number): Promise<Answer> => {
    const permissions = [{ streamId: `${scope}${':x'.repeat(levels)}`, level: 'read' }]
    return await paul.call('accesses.create', { name: 'deep', permissions })
  }
  t.match(await create(8), {
    error: { id: 'invalid-operation', message: /nested deeper than 10 levels/ }
  })
  t.same(
    (await paul.do('streams.get')).streams.filter(({ id }: Answer) => id !== ':_cmc:'),
    before
  )
  t.notOk((await create(7)).error)
})

t.test('an app that only reads creates no streams by sharing them', async t => {
  const { dora } = await startTwo(t, {}, { isShared: true })
  await offer(dora)
  const permissions = [{ streamId: `${scope}:more`, level: 'read' }]
  const share = async (level: 'read' | 'contribute'): Promise<Answer> => {
    const app = await dora.grant(level, scope, { type: 'app' })
    return await app.call('accesses.create', { name: 'share', permissions })
  }
  t.match(await share('read'), { error: { id: 'forbidden' } })
  t.match(await share('contribute'), { access: { permissions } })
})

t.test('a peer', async t => {
  const two = await startTwo(t, { accesses: { updates: true } }, { isShared: true })
  const { dora, doraSlug, paul, paulSlug } = two
  const mallory = await two.requesterService.user('mallory')
  await accept(paul, (await offer(mallory)).content.capabilityUrl)
  const { accepted, request } = await relate(two, { request: { accessType: 'app' } })
  const grant = (await paul.do('accesses.getOne', { id: accepted.dataGrantAccessId })).access
  const peer = asPeer(paul, grant)
  const chats = `${scope}:chats:${doraSlug}`

  t.test('cannot share the streams of the relationship', async t => {
    const permissions = [
      { streamId: 'health', level: 'read' },
      { streamId: chats, level: 'contribute' }
    ]
    const params = { name: 'child', type: 'shared', permissions }
    t.match(await peer.call('accesses.create', params), { error: { id: 'forbidden' } })
    const { access } = await peer.do('accesses.create', { ...params, permissions: permissions.slice(0, 1) })
    t.match(await peer.call('accesses.update', { id: access.id, update: { permissions } }), {
      error: { id: 'forbidden' }
    })
  })

  t.test('cannot change files of messages of the user', async t => {
    const mine = await write(paul, 'message/chat-cmc', { content: 'Hi' }, chats)
    const form = new FormData()
    form.append('file', new Blob(['x']), 'x.txt')
    const path = `/events/${mine.event.id}`
    t.equal((await peer.http('POST', path, form)).status, 403)
    const { body, status } = await paul.http('POST', path, form)
    t.equal(status, 200)
    t.equal((await peer.http('DELETE', `${path}/${body.event.attachments[0].id}`)).status, 403)
  })

  t.test('cannot forge an acceptance of another offer', async t => {
    const [channel] = await listPeers(dora)
    const content = { inviteEventId: request.id, backChannelAccessId: 'other', features: {} }
    const forged = await write(asPeer(dora, channel), 'consent/accept-cmc', content, ':_cmc:inbox')
    t.equal(forged.event.content.inviteEventId, undefined)
    t.equal(forged.event.content.backChannelAccessId, undefined)
    const granted = { grantedAccess: { apiEndpoint: 'https://token@elsewhere.example/' } }
    t.match(await write(asPeer(dora, channel), 'consent/accept-cmc', granted, ':_cmc:inbox'), {
      error: { data: { id: 'cmc-handler-counterparty-unknown' } }
    })
  })

  t.test('does not read the messages of others when its permissions grow to everything', async t => {
    const newPermissions = [{ streamId: '*', level: 'read' }]
    const theirs = `${scope}:collectors:${doraSlug}`
    await write(dora, 'consent/scope-request-cmc', { newPermissions }, `${scope}:collectors:${paulSlug}`)
    const asked = await arrived(paul, theirs, 'consent/scope-request-cmc')
    const consent = { scopeRequestEventId: asked.id, accept: true }
    const { event } = await write(paul, 'consent/scope-update-cmc', consent, theirs)
    await settled(paul, event.id)
    const ofOthers = { streams: [`${scope}:chats:mallory--127-0-0-1`] }
    t.match(await peer.call('events.get', ofOthers), { error: { id: 'forbidden' } })
    const update = { permissions: newPermissions }
    await paul.do('accesses.update', { id: event.content.newAccessId, update })
    t.match(await peer.call('events.get', ofOthers), { error: { id: 'forbidden' } })
    t.ok((await peer.do('events.get', { streams: ['health'] })).events, 'but all the rest')
  })

  t.test('is not given away by an export', async t => {
    const headers = { authorization: paul.token }
    const response = await fetch(`${paul.service.server.url}/paul-patient/account/export`, { headers })
    const file = join(t.testdir(), 'paul.zip')
    writeFileSync(file, Buffer.from(await response.arrayBuffer()))
    const files = await unzipped(file)
    t.match(files.get('tables/access.jsonl')!.toString(), 'counterparty')
    t.match(files.get('tables/access_version.jsonl')!.toString(), 'counterparty')
    for (const [name, bytes] of files) t.notMatch(bytes.toString(), /\/\/\w+@127/, name)
  })

  t.test('is not shown to assistants by earlier versions of its access', async t => {
    const params = { id: accepted.dataGrantAccessId, includeHistory: true }
    const whole = await paul.do('accesses.getOne', params)
    t.match(JSON.stringify(whole.history), /"apiEndpoint"/)
    const assistant = { isAssistant: true } as unknown as Record<string, string>
    const seen = await paul.service.call(paul.username, 'accesses.getOne', params, paul.token, assistant)
    t.equal(seen.history.length, 2)
    t.notMatch(JSON.stringify(seen.history), /"apiEndpoint"/)
  })
})

t.test('what the user has chosen stays, whatever becomes of the event', async t => {
  const two = await startTwo(t)
  const { dora, paul } = two
  const { capabilityUrl } = (await offer(dora, { request: { allowUserChoice: true } })).content
  const id = 'cabcdefghijklmnopqrstuvwx'
  const content = { capabilityUrl, grantedPermissions: [{ streamId: 'health', level: 'read' }] }
  const type = 'consent/accept-cmc'
  // In a batch, the event changes before the offer has been read.
  const { results } = await paul.do('callBatch', [
    { method: 'events.create', params: { id, streamIds: [scope], type, content } },
    { method: 'events.update', params: { id, update: { content: {} } } }
  ])
  t.same(
    results.map((each: Answer) => each.event.content.status),
    ['pending', 'pending']
  )
  t.match(await settled(paul, id), { status: 'completed' })
  const [grant] = await listPeers(paul)
  t.notMatch(JSON.stringify(grant.permissions), '"diary"')
})

t.test('peers that hang are checked together, and hold up nothing else', async t => {
  const timeoutMs = 500
  const two = await startTwo(t, { cmc: { timeoutMs }, workers: 0 })
  await relate(two)
  const deaf = createServer(() => {})
  await new Promise<void>(resolve => deaf.listen(0, '127.0.0.1', resolve))
  t.teardown(() => void deaf.close())
  const { clock, server } = two.requesterService
  const services = server.dispatcher.services as unknown as Services
  const account = services.accounts.find(two.dora.username)!
  const store = services.accounts.openStore(account)
  const [channel] = await listPeers(two.dora)
  const count = 16
  const apiEndpoint = `http://token@127.0.0.1:${(deaf.address() as AddressInfo).port}/x/`
  await store.write(() => {
    const { cmc } = channel.clientData
    const clientData = { cmc: { ...cmc, counterparty: { ...cmc.counterparty, apiEndpoint } } }
    const held = store.accesses.find(channel.id)!
    for (let n = 0; n < count; n++) {
      const access = { ...held, id: createId(), token: createToken(), name: `peer ${n}`, clientData }
      store.accesses.insert(access)
      store.cmc.putRelationship({ access: access.id, scope, slug: `peer-${n}` })
    }
  })
  const deliveries = new Deliveries(services)
  deliveries.open(server.dispatcher)
  const begun = performance.now()
  deliveries.startHealing(account)
  await deliveries.heal(account)
  t.ok(performance.now() - begun < (count * timeoutMs) / 2)
  t.same(store.cmc.listUnchecked(clock.now(), 1), [], 'all have been checked')
  await deliveries.close()
})

t.test('changes of messages count like messages', async t => {
  const two = await startTwo(t, { cmc: { maxPerPeerPerMinute: 4 } }, { isShared: true })
  const { doraSlug, paul } = two
  await relate(two)
  const peer = asPeer(paul, (await listPeers(paul))[0])
  const chat = await write(peer, 'message/chat-cmc', { content: 'Hi' }, `${scope}:chats:${doraSlug}`)
  const params = { id: chat.event.id, update: { content: { content: 'Hello' } } }
  for (let n = 0; n < 2; n++) await peer.do('events.update', params)
  t.match(await peer.call('events.update', params), { error: { id: 'too-many-requests' } })
})

t.test('a link outlives a change of the username', async t => {
  const two = await startTwo(t, {}, { isShared: true })
  const { content } = await offer(two.dora)
  await two.dora.do('account.changeUsername', { newUsername: 'dora-dentist' })
  t.match(await accept(two.paul, content.capabilityUrl), {
    status: 'completed',
    from: { username: 'dora-dentist' }
  })
})

t.test('a peer cannot make this service call others without a limit', async t => {
  const two = await startTwo(t, { cmc: { maxPerPeerPerMinute: 3 } })
  const { dora } = two
  await relate(two)
  const [channel] = await listPeers(dora)
  let calls = 0
  const server = createServer((request, response) => {
    calls++
    request.resume()
    response.writeHead(503).end()
  })
  await new Promise<void>(resolve => server.listen(0, 'localhost', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as AddressInfo
  const { username } = new URL(channel.clientData.cmc.counterparty.apiEndpoint)
  const content = {
    from: { username: 'paul-patient', host: 'localhost' },
    apiEndpoint: `http://${username}@localhost:${port}/paul-patient/`,
    remoteChatStreamId: `${scope}:chats:x`,
    remoteCollectorStreamId: `${scope}:collectors:x`
  }
  const ids: string[] = []
  for (let n = 0; n < 8; n++) {
    const { error } = await write(asPeer(dora, channel), 'consent/back-channel-cmc', content, ':_cmc:inbox')
    ids.push(error?.id)
  }
  t.same(ids.slice(0, 3), ['api-unavailable', 'api-unavailable', 'api-unavailable'])
  t.same(new Set(ids.slice(3)), new Set(['too-many-requests']))
  t.equal(calls, 3)
})
