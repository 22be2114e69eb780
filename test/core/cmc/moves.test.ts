/** Relationships of an account that moves to another server. (docs/spec/consent.md#moves) */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Services } from '../../../core/call/services.js'
import { ManualClock } from '../../../core/time.js'
import { startServer } from '../../../server/server.js'
import { Client, methodModules, Service, testSettings, type Answer } from '../../support/coffer.js'
import { command } from '../../support/command.js'
import { freePorts } from '../../support/free-ports.js'
import { until } from '../../support/socket.js'
import {
  listEvents,
  listPeers,
  offer,
  relate,
  scope,
  settled,
  startTwo,
  write,
  type TwoServers
} from '../../support/two-servers.js'

const overrides = { shutdownSeconds: 0.4, cmc: { allowInternalTargets: true } }

/** Restores Paul's account from an archive on another server, whose host is another. */
async function restoreElsewhere(t: Test, { accepterService, paul }: TwoServers): Promise<Client> {
  const folder = t.testdir({ other: {} })
  const file = join(folder, 'paul.zip')
  const exported = await command(['export', `--dataDir=${accepterService.directory}`, paul.username, file])
  t.equal(exported.code, 0, exported.errors)
  const directory = join(folder, 'other')
  const imported = await command(['import', file, `--dataDir=${directory}`])
  t.equal(imported.code, 0, imported.errors)
  const [port = 0] = await freePorts(1)
  const clock = new ManualClock()
  const settings = {
    ...testSettings(directory, { ...overrides, publicUrl: `http://localhost:${port}/` }),
    port
  }
  const server = await startServer(settings, { clock, methodModules })
  t.teardown(() => server.close())
  const service = new Service(server, clock, directory)
  const session = { username: paul.username, appId: 'coffer-test' }
  return new Client(service, paul.username, (await service.call(undefined, 'test.signIn', session)).access)
}

/** Starts the closed server of a service again. */
async function restart(t: Test, { clock, directory }: Service, port: number) {
  const server = await startServer({ ...testSettings(directory, overrides), port }, { clock, methodModules })
  t.teardown(() => server.close())
  return server
}

async function listChats(client: Client, slug: string): Promise<unknown[]> {
  const events = await listEvents(client, `${scope}:chats:${slug}`)
  return events.map((each: Answer) => each.content.content)
}

/** Sends a message. Returns the content of its event once that has ended. */
async function say(client: Client, slug: string, content: string): Promise<Answer> {
  const { event } = await write(client, 'message/chat-cmc', { content }, `${scope}:chats:${slug}`)
  return await settled(client, event.id)
}

async function findPeer(dora: Client): Promise<Answer> {
  return (await listPeers(dora))[0].clientData.cmc
}

t.test('an account that has moved', async t => {
  const two = await startTwo(t, overrides)
  const { accepterService, dora, doraSlug, paulSlug } = two
  await relate(two)
  const moved = await restoreElsewhere(t, two)
  const { accounts } = accepterService.server.dispatcher.services as unknown as Services
  const url = `${moved.service.server.url}/${moved.username}/`
  await accounts.relocate(accounts.find('paul-patient')!, url, () => {})

  await t.test('gets messages by way of its former server', async t => {
    t.match(await say(dora, paulSlug, 'one'), { status: 'completed' })
    t.same(await listChats(moved, doraSlug), ['one'])
  })

  await t.test('tells peers where it is, and both go on without the former server', async t => {
    t.equal((await moved.do('account.resumeDeliveries')).resumed, true)
    await until(async () => (await findPeer(dora)).counterparty.movedTo !== undefined, 'the new address')
    const { counterparty } = await findPeer(dora)
    t.match(counterparty, { username: 'paul-patient', host: '127.0.0.1', movedTo: { host: 'localhost' } })
    t.equal(new URL(counterparty.apiEndpoint).hostname, 'localhost')
    await accepterService.server.close()
    t.match(await say(dora, paulSlug, 'two'), { status: 'completed' })
    t.match(await say(moved, doraSlug, 'three'), { status: 'completed' })
    t.same(await listChats(moved, doraSlug), ['three', 'two', 'one'])
    t.same(await listChats(dora, paulSlug), ['three', 'two', 'one'])
  })

  await t.test('is not taken back by whoever holds its data at the former host', async t => {
    const [channel] = await listPeers(dora)
    const { apiEndpoint } = channel.clientData.cmc.counterparty
    const former = new Client(dora.service, dora.username, channel)
    const content = {
      from: { username: 'paul-patient', host: '127.0.0.1' },
      apiEndpoint: `http://${new URL(apiEndpoint).username}@127.0.0.1:9/paul-patient/`,
      remoteChatStreamId: `${scope}:chats:x`,
      remoteCollectorStreamId: `${scope}:collectors:x`
    }
    t.ok((await write(former, 'consent/back-channel-cmc', content, ':_cmc:inbox')).error)
    t.equal((await findPeer(dora)).counterparty.apiEndpoint, apiEndpoint)
  })

  await t.test('is revoked, as before', async t => {
    const [channel] = await listPeers(dora)
    await dora.do('accesses.delete', { id: channel.id })
    await until(async () => (await listPeers(moved)).length === 0, 'the revocation')
    t.same(await listPeers(dora), [])
  })
})

t.test('a restored archive does not take the place of an account that is still served', async t => {
  const two = await startTwo(t, overrides)
  const { accepterService, dora, requesterService } = two
  await relate(two)
  const copy = await restoreElsewhere(t, two)
  const { accounts } = copy.service.server.dispatcher.services as unknown as Services
  const countAttempts = (): number => {
    const [delivery] = accounts.openStore(accounts.find(copy.username)!).cmc.listFirstDeliveries(1)
    return delivery?.attempts ?? 0
  }
  await copy.do('account.resumeDeliveries')
  await until(() => countAttempts() === 1, 'the first attempt')
  t.equal((await findPeer(dora)).counterparty.movedTo, undefined)

  await t.test('until its server has been silent for a day', async t => {
    await accepterService.server.close()
    copy.service.clock.advance(3700)
    await until(() => countAttempts() === 2, 'the second attempt')
    const { counterparty, silent } = await findPeer(dora)
    t.match([counterparty.movedTo, silent], [undefined, { host: 'localhost' }])
    const again = await restart(t, accepterService, Number(new URL(accepterService.server.url).port))
    const advance = async (seconds: number): Promise<void> => {
      const before = countAttempts()
      requesterService.clock.advance(seconds)
      copy.service.clock.advance(seconds)
      await until(() => countAttempts() !== before, 'the next attempt')
    }
    await advance(90_000)
    t.equal(
      (await findPeer(dora)).silent,
      undefined,
      'a server that answers again was silent for a while only'
    )
    await again.close()
    await advance(90_000)
    t.equal((await findPeer(dora)).counterparty.movedTo, undefined, 'another silence begins anew')
    await advance(90_000)
    await until(async () => (await findPeer(dora)).counterparty.movedTo !== undefined, 'the new address')
    t.equal((await findPeer(dora)).silent, undefined)
  })
})

t.test('a restored archive does not take the place of an account that has moved elsewhere', async t => {
  const two = await startTwo(t, overrides)
  const { accepterService, dora } = two
  await relate(two)
  const copy = await restoreElsewhere(t, two)
  const former = accepterService.server.dispatcher.services as unknown as Services
  await former.accounts.relocate(former.accounts.find('paul-patient')!, 'http://localhost:9/paul/', () => {})
  const { accounts } = copy.service.server.dispatcher.services as unknown as Services
  const { cmc } = accounts.openStore(accounts.find(copy.username)!)
  await copy.do('account.resumeDeliveries')
  await until(() => cmc.listFirstDeliveries(1)[0]?.attempts !== 0, 'the first attempt')
  t.equal((await findPeer(dora)).counterparty.movedTo, undefined)
})

t.test('whoever moves to a server of their own does not become another user of the former one', async t => {
  const two = await startTwo(t, overrides)
  const { accepterService, dora } = two
  const own = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({ user: { username: 'paul-patient' }, api: `${accepterService.server.url}/{username}/` })
    )
  }).listen(0)
  t.teardown(() => own.close())
  const mallory = await accepterService.user('mallory')
  const { accounts } = accepterService.server.dispatcher.services as unknown as Services
  const { port } = own.address() as AddressInfo
  await accounts.relocate(accounts.find('mallory')!, `http://localhost:${port}/x/`, () => {})
  const { capabilityId, capabilityUrl } = (await offer(dora)).content
  const { username: token } = new URL(capabilityUrl)
  const link = new Client(dora.service, dora.username, { token } as Client['access'])
  const endpoint = new URL(`${accepterService.server.url}/${mallory.username}/`)
  endpoint.username = 'anything'
  const content = {
    from: { username: 'paul-patient', host: '127.0.0.1' },
    grantedAccess: { apiEndpoint: endpoint.href }
  }
  const place = `:_cmc:_internal:responses:${capabilityId}`
  t.match(await write(link, 'consent/accept-cmc', content, place), {
    error: { data: { id: 'cmc-handler-counterparty-unknown' } }
  })
  t.same(await listPeers(dora), [])
})
