import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import type { Services } from '../../../core/call/services.js'
import { Deliveries } from '../../../core/cmc/deliveries.js'
import { removeAccount } from '../../../core/platform/remove-account.js'
import { startServer, type Server } from '../../../server/server.js'
import { coffer, methodModules, testSettings, type Answer } from '../../support/coffer.js'
import { freePorts } from '../../support/free-ports.js'
import { until } from '../../support/socket.js'
import {
  accept,
  arrived,
  listEvents,
  listPeers,
  offer,
  relate,
  requestContent,
  scope,
  settled,
  startTwo,
  write
} from '../../support/two-servers.js'

/** A port that answers every request alike, and counts them. */
async function answering(t: Test, status: number, headers: Record<string, string> = {}) {
  const server = createServer((_request, response) => {
    counter.count++
    response.writeHead(status, headers).end('{}')
  })
  const counter = { count: 0, port: 0 }
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => server.close())
  counter.port = (server.address() as AddressInfo).port
  return counter
}

t.test('internal addresses get no calls, and redirects are not followed', async t => {
  const service = await coffer(t)
  const paul = await service.user('paul-patient')
  const target = await answering(t, 200)
  for (const url of [
    `http://abc@127.0.0.1:${target.port}/dora/`,
    `https://abc@127.0.0.1:${target.port}/dora/`
  ]) {
    const failed = await accept(paul, url)
    t.match(failed, { status: 'failed', failure: { reason: 'cmc-handler-offer-read-failed' } })
  }
  t.equal(target.count, 0)
  const open = await coffer(t, { cmc: { allowInternalTargets: true } })
  const peter = await open.user('peter-patient')
  const redirecting = await answering(t, 302, { location: `http://127.0.0.1:${target.port}/` })
  const failed = await accept(peter, `http://abc@127.0.0.1:${redirecting.port}/dora/`)
  t.match(failed, { status: 'failed', failure: { reason: 'cmc-handler-offer-read-failed' } })
  t.equal(redirecting.count, 1)
  t.equal(target.count, 0)
})

t.test('answers that are nested too deeply', async t => {
  const service = await coffer(t, { cmc: { allowInternalTargets: true } })
  const paul = await service.user('paul-patient')
  const deep = '['.repeat(20_000) + ']'.repeat(20_000)
  const offer = `{"id":"c1","type":"consent/request-cmc","content":{"capabilityId":"abcdefgh","request":${deep}}}`
  for (const [status, text] of [
    [200, `{"events":[${offer}]}`],
    [400, `{"error":{"id":"invalid-operation","message":"no","data":${deep}}}`]
  ] as const) {
    const server = createServer((_request, response) => response.writeHead(status).end(text))
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    t.teardown(() => server.close())
    const failed = await accept(paul, `http://abc@127.0.0.1:${(server.address() as AddressInfo).port}/dora/`)
    t.match(failed, { status: 'failed', failure: { reason: 'cmc-handler-offer-read-failed' } })
  }
})

t.test('a peer that was down gets each message once, in order', async t => {
  const two = await startTwo(t)
  const { dora, doraSlug, paul, paulSlug, accepterService, requesterService } = two
  await relate(two)
  const stream = `${scope}:chats:${paulSlug}`
  // The same port is needed again.
  const { server, directory, clock } = accepterService
  const port = Number(new URL(server.url).port)
  await server.close()
  const sent: Answer[] = []
  for (const text of ['first', 'second'])
    sent.push((await write(dora, 'message/chat-cmc', { content: text }, stream)).event)
  await until(async () => {
    const { content } = (await dora.do('events.getOne', { id: sent[0].id })).event
    return content.delivery?.attempts === 1
  }, 'the first attempt')
  const waiting = (await dora.do('events.getOne', { id: sent[0].id })).event.content
  t.match(waiting, {
    status: 'delivered',
    delivery: { attempts: 1, nextTry: Number, lastError: 'unreachable' }
  })
  const settings = { ...testSettings(directory, { cmc: { allowInternalTargets: true } }), port }
  const again = await startServer(settings, { clock, methodModules })
  t.teardown(() => again.close())
  requesterService.clock.advance(2)
  for (const { id } of sent) t.match(await settled(dora, id), { status: 'completed' })
  const answer = await again.dispatcher.call({
    user: 'paul-patient',
    method: 'events.get',
    params: { streams: [`${scope}:chats:${doraSlug}`], sortAscending: true, limit: 10 },
    credentials: { ip: '127.0.0.1', via: 'http', authorization: paul.token },
    isWhole: true
  })
  const { events } = JSON.parse(`{${answer.ok ? answer.members : ''}}`)
  t.same(
    events.map((each: Answer) => each.content.content),
    ['first', 'second']
  )
})

t.test('a peer that takes texts by language only gets requests, and is told of the end', async t => {
  const two = await startTwo(t)
  const { accepterService, dora, paulSlug } = two
  await relate(two)
  const port = Number(new URL(accepterService.server.url).port)
  await accepterService.server.close()
  const received: Answer[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { message, reason } = ((await json(request)) as Answer).content
    received.push(message ?? reason)
    const isRefused = typeof (message ?? reason) === 'string'
    const error = { id: 'invalid-operation', data: { id: 'cmc-invalid-event-content' } }
    response.writeHead(isRefused ? 400 : 201).end(JSON.stringify(isRefused ? { error } : { event: {} }))
  }
  const peer = createServer((request, response) => void answer(request, response))
  await new Promise<void>(resolve => peer.listen(port, '127.0.0.1', resolve))
  t.teardown(() => peer.close())
  const asked = { newPermissions: [{ streamId: 'health', level: 'read' }], message: 'Please' }
  const { event } = await write(dora, 'consent/scope-request-cmc', asked, `${scope}:collectors:${paulSlug}`)
  t.match(await settled(dora, event.id), { status: 'completed', message: 'Please' })
  const [channel] = await listPeers(dora)
  const end = await write(dora, 'consent/revoke-cmc', { accessId: channel.id, reason: 'enough' })
  t.match(await settled(dora, end.event.id), { status: 'completed', peerNotified: true, reason: 'enough' })
  t.same(received, ['Please', { en: 'Please' }, 'enough', { en: 'enough' }])
})

t.test('peers that hang do not delay the others', async t => {
  const { dora, paul } = await startTwo(t, { cmc: { timeoutMs: 60_000 } })
  const server = createServer(() => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  for (let index = 0; index < 10; index++)
    await write(paul, 'consent/accept-cmc', { capabilityUrl: `http://abc@localhost:${port}/dora/` })
  const { content } = await offer(dora)
  t.match(await accept(paul, content.capabilityUrl), { status: 'completed' })
})

t.test('an acceptance goes on after a restart', async t => {
  const [port = 0] = await freePorts(1)
  const directory = mkdtempSync(join(tmpdir(), 'coffer-test-'))
  const settings = { ...testSettings(directory, { cmc: { allowInternalTargets: true } }), port }
  const { dora } = await startTwo(t, {}, { isShared: true })
  let server: Server | undefined = await startServer(settings, { methodModules })
  t.teardown(async () => {
    await server?.close()
    rmSync(directory, { recursive: true, force: true })
  })
  const call = async (method: string, params: object, authorization?: string): Promise<Answer> => {
    const credentials = { ip: '127.0.0.1', via: 'http', ...(authorization && { authorization }) } as const
    const user = authorization === undefined ? {} : { user: 'paul-patient' }
    const outcome = await server!.dispatcher.call({ ...user, method, params, credentials, isWhole: true })
    if (!outcome.ok) throw outcome.error
    return JSON.parse(`{${outcome.members}}`)
  }
  const { token } = (await call('test.createUser', { username: 'paul-patient' })).access
  const url = new URL((await offer(dora)).content.capabilityUrl)
  const { event } = await call(
    'events.create',
    { streamIds: [scope], type: 'consent/accept-cmc', content: { capabilityUrl: url.href } },
    token
  )
  await server.close()
  server = await startServer(settings, { methodModules })
  let content: Answer
  await until(async () => {
    content = (await call('events.getOne', { id: event.id }, token)).event.content
    return content.status === 'completed'
  }, 'the end of the acceptance')
  t.equal((await listPeers(dora)).length, 1)
  t.equal((await listEvents(dora, ':_cmc:inbox')).length, 1)
})

t.test('the peer is told of the end of an access', async t => {
  const two = await startTwo(t, { accesses: { updates: true } }, { isShared: true })
  const { dora, paul, requesterService } = two
  const { accepted } = await relate(two)
  await paul.do('accesses.update', { id: accepted.dataGrantAccessId, update: { expireAfter: 600 } })
  requesterService.clock.advance(630)
  t.match(await arrived(dora, ':_cmc:inbox', 'consent/revoke-cmc'), { content: { reason: 'expired' } })
  t.same(await listPeers(dora), [])
})

t.test('a full account learns of a revocation, and gets no messages', async t => {
  const two = await startTwo(t, { workers: 0 }, { isShared: true })
  const { dora, paul, doraSlug, requesterService } = two
  const { accepted } = await relate(two)
  const { accounts, platform } = requesterService.server.dispatcher.services as unknown as Services
  await platform.change('limit', accounts.find('dora-doctor')!.id, 1)
  const chat = await write(paul, 'message/chat-cmc', { content: 'x' }, `${scope}:chats:${doraSlug}`)
  await until(async () => {
    const { content } = (await paul.do('events.getOne', { id: chat.event.id })).event
    return content.delivery?.lastError === 'status 402'
  }, 'the refusal')
  await paul.do('accesses.delete', { id: accepted.dataGrantAccessId })
  // The message is before it in the queue.
  await platform.change('limit', accounts.find('dora-doctor')!.id, null)
  requesterService.clock.advance(120)
  await arrived(dora, ':_cmc:inbox', 'consent/revoke-cmc')
})

t.test('switched off, nothing of it works', async t => {
  const service = await coffer(t, { cmc: { enabled: false } })
  const { alice } = service
  t.match(await write(alice, 'consent/request-cmc', requestContent()), {
    error: { id: 'unavailable-method' }
  })
  const stream = await alice.http('POST', '/streams', { id: scope, name: 'x', parentId: ':_cmc:apps' })
  t.equal(stream.status, 451)
  const batch = await alice.http('POST', '/', [
    { method: 'streams.create', params: { id: scope, name: 'x', parentId: ':_cmc:apps' } }
  ])
  t.match(batch.body.results[0], { error: { id: 'unavailable-method' } })
  const { body } = await service.http('GET', '/service/info')
  t.equal(body.features.cmc, false)
})

t.test('peers learn of the removal of an account', async t => {
  const two = await startTwo(t, { userAccount: { deletionGraceDays: 0 } })
  const { accepterService, dora, paul } = two
  await relate(two)
  const services = accepterService.server.dispatcher.services as unknown as Services
  await removeAccount(services, services.accounts.find(paul.username)!)
  t.match(await arrived(dora, ':_cmc:inbox', 'consent/revoke-cmc'), {
    content: { reason: 'account-deleted' }
  })
  t.same(await listPeers(dora), [])
})

t.test('the daily check', async t => {
  const two = await startTwo(t)
  const { accepterService, dora, paul, requesterService } = two
  const { accepted } = await relate(two)
  const services = requesterService.server.dispatcher.services as unknown as Services
  const remote = accepterService.server.dispatcher.services as unknown as Services
  const dorasAccount = services.accounts.find(dora.username)!
  const paulsAccount = remote.accounts.find(paul.username)!
  const pauls = remote.accounts.openStore(paulsAccount)
  // As if the requester's side had never arrived.
  await pauls.write(() => {
    const access = pauls.accesses.find(accepted.dataGrantAccessId)!
    const mark = access.clientData!['cmc'] as Answer
    const { host, username } = mark.counterparty
    const cmc = { ...mark, backChannelApiEndpoint: null, counterparty: { host, username } }
    pauls.accesses.update({ ...access, clientData: { cmc } })
  })
  const deliveries = new Deliveries(services)
  deliveries.open(requesterService.server.dispatcher)
  t.teardown(() => deliveries.close())
  await deliveries.heal(dorasAccount)
  await until(async () => {
    const [grant] = await listPeers(paul)
    return typeof grant.clientData.cmc.counterparty.apiEndpoint === 'string'
  }, 'the back channel')
  const doras = services.accounts.openStore(dorasAccount)
  await until(() => !doras.cmc.hasDeliveries, 'the end of the delivery')
  // As if the access had gone without a word.
  await pauls.write(() => {
    const access = pauls.accesses.find(accepted.dataGrantAccessId)!
    pauls.accesses.update({ ...access, deleted: remote.clock.now() })
  })
  for (const isGone of [undefined, true]) {
    requesterService.clock.advance(86_400)
    await deliveries.heal(dorasAccount)
    t.equal((await listPeers(dora))[0].clientData.cmc.peerGone, isGone)
  }
  await offer(dora)
  for (let day = 0; day < 38; day++) {
    requesterService.clock.advance(86_400)
    await dora.do('getAccessInfo')
  }
  await deliveries.heal(dorasAccount)
  const { accesses } = await dora.do('accesses.get', { includeExpired: true })
  t.same(
    accesses.filter((each: Answer) => each.clientData?.cmc?.kind === 'capability'),
    []
  )
})
