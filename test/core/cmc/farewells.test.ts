/** What peers learn of the removal of an account. (docs/spec/consent.md#ends) */
import t from 'tap'
import type { Services } from '../../../core/call/services.js'
import { removeAccount } from '../../../core/platform/remove-account.js'
import { startServer } from '../../../server/server.js'
import { Client, methodModules, Service, testSettings } from '../../support/coffer.js'
import { until } from '../../support/socket.js'
import { arrived, listPeers, relate, startTwo } from '../../support/two-servers.js'

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
