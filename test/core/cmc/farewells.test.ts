/** What peers learn of the removal of an account. (docs/spec/consent.md#ends) */
import SQLite from 'better-sqlite3'
import t from 'tap'
import type { Services } from '../../../core/call/services.js'
import { writeAsService } from '../../../core/cmc/service-calls.js'
import { silentLog, type Log } from '../../../core/log.js'
import { removeAccount } from '../../../core/platform/remove-account.js'
import { startServer } from '../../../server/server.js'
import type { Farewell } from '../../../storage/platform/farewells.js'
import { Layout } from '../../../storage/files/layout.js'
import { Client, coffer, methodModules, Service, testSettings } from '../../support/coffer.js'
import { until } from '../../support/socket.js'
import { arrived, listPeers, relate, startTwo } from '../../support/two-servers.js'

const id = (digit: number): string => `c${String(digit).repeat(24)}`
const build = (username: string, count: number): Farewell[] =>
  Array.from({ length: count }, (_, index) => {
    const id = `${username} ${index}`
    return {
      id,
      username,
      endpoint: 'http://t@127.0.0.1/',
      event: '{}',
      created: 0,
      attempts: 0,
      next: 1e12
    }
  })

t.test('a peer that is down when an account is removed learns of it later', async t => {
  const overrides = { cmc: { allowInternalTargets: true }, userAccount: { deletionGraceDays: 0 } }
  const two = await startTwo(t, overrides)
  const { accepterService, dora, paul, requesterService } = two
  await relate(two)
  const restart = async ({ clock, directory, server }: Service, port = 0): Promise<Service> => {
    await server.close()
    const settings = { ...testSettings(directory, overrides), port }
    const again = await startServer(settings, { clock, methodModules })
    t.teardown(() => again.close())
    return new Service(again, clock, directory)
  }
  const { port } = new URL(requesterService.server.url)
  await requesterService.server.close()
  const services = accepterService.server.dispatcher.services as unknown as Services
  const started = performance.now()
  await removeAccount(services, services.accounts.find(paul.username)!)
  t.ok(performance.now() - started < 5000, 'the removal does not wait for peers that are down')
  t.equal(services.accounts.find(paul.username), undefined)
  const [kept, ...others] = services.platform.farewells.listAfter('', 10)
  t.match([kept?.username, others.length], [paul.username, 0])
  const { server } = await restart(accepterService)
  const { platform } = server.dispatcher.services as unknown as Services
  const again = await restart(requesterService, Number(port))
  accepterService.clock.advance(60)
  await until(() => platform.farewells.listAfter('', 10).length === 0, 'the delivery')
  const back = new Client(again, dora.username, dora.access)
  t.match(await arrived(back, ':_cmc:inbox', 'consent/revoke-cmc'), {
    content: { reason: 'account-deleted', from: { username: paul.username } }
  })
  t.same(await listPeers(back), [])
})

t.test('revocations of an archive that someone has made up do not fill the platform file', async t => {
  const overrides = { cmc: { allowInternalTargets: true }, userAccount: { deletionGraceDays: 0 } }
  const two = await startTwo(t, overrides)
  const { accepterService, paul, requesterService } = two
  await relate(two)
  await requesterService.server.close()
  const services = accepterService.server.dispatcher.services as unknown as Services
  const account = services.accounts.find(paul.username)!
  const to = { endpoint: 'http://token@127.0.0.1:9/eve/' }
  const revocation = { streamIds: [':_cmc:inbox'], type: 'consent/revoke-cmc', content: { accessId: 'x' } }
  const queued = [
    { kind: 'event', to, id: id(1), event: { ...revocation, content: { other: 'x'.repeat(100_000) } } },
    { kind: 'event', to, id: { of: 2 }, event: revocation },
    {
      kind: 'event',
      to: { endpoint: `http://t@127.0.0.1:9/${'x'.repeat(5000)}` },
      id: id(3),
      event: revocation
    },
    { kind: 'event', to: { endpoint: 4 }, id: id(4), event: revocation },
    { kind: 'event', to, id: id(5), event: { type: 'consent/revoke-cmc' } },
    { kind: 'event', to, id: id(6), event: revocation },
    { kind: 'event' },
    {}
  ]
  await writeAsService(services, account, ({ store }) => {
    for (const [index, content] of queued.entries()) {
      const body = JSON.stringify(content)
      const number = store.cmc.addDelivery(`made up ${index}`, body, 1e300)
      store.cmc.updateDelivery({ number, relationship: '', created: 1e300, attempts: 1, next: 1e300, body })
    }
  })
  await removeAccount(services, account)
  const kept = services.platform.farewells.listAfter('', 10)
  const now = services.clock.now()
  t.equal(kept.length, 2, 'those of a form that the service itself makes')
  t.ok(kept.every(({ created, next }) => created <= now && next <= now + 86_400))
})

t.test('peers are told after the platform file could not be written', async t => {
  const overrides = { cmc: { allowInternalTargets: true }, userAccount: { deletionGraceDays: 0 } }
  const two = await startTwo(t, overrides)
  const { accepterService, paul, requesterService } = two
  await relate(two)
  await requesterService.server.close()
  const first = accepterService.server.dispatcher.services as unknown as Services
  await removeAccount(first, first.accounts.find(paul.username)!)
  const { clock, directory, server } = accepterService
  await server.close()
  const db = new SQLite(new Layout(directory).platformFile)
  t.teardown(() => db.close())
  db.exec(`CREATE TRIGGER stop BEFORE UPDATE ON farewell BEGIN SELECT raise(ABORT, 'full'); END`)
  clock.advance(100)
  const errors: string[] = []
  const log: Log = { ...silentLog, error: message => errors.push(message) }
  const again = await startServer(testSettings(directory, overrides), { clock, log, methodModules })
  t.teardown(() => again.close())
  await until(() => errors.length > 0, 'the failure')
  t.same(errors, ['peers of removed accounts could not be told'])
  db.exec('DROP TRIGGER stop')
  const { platform } = again.dispatcher.services as unknown as Services
  const getAttempts = (): number => platform.farewells.listAfter('', 10)[0]!.attempts
  const before = getAttempts()
  await until(() => {
    clock.advance(70)
    return getAttempts() > before
  }, 'the next attempt')
})

t.test('the revocations of one account leave room for those of others', async t => {
  const { server } = await coffer(t)
  const { platform } = server.dispatcher.services as unknown as Services
  t.equal(platform.changeNow('addFarewells', build('eve', 40_000)), 15_000)
  t.equal(platform.changeNow('addFarewells', build('eve', 40_000)), 40_000)
  t.equal(platform.changeNow('addFarewells', build('paul', 1000)), 0)
})
