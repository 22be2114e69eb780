/** An account that was restored from an archive sends nothing until its user says so. (docs/spec/consent.md#after-a-restore) */
import { join } from 'node:path'
import t from 'tap'
import { Client, coffer } from '../../support/coffer.js'
import { command } from '../../support/command.js'
import { until } from '../../support/socket.js'
import { addReminder, startWorld } from '../reminders/world.js'
import { addChannel } from '../channels/world.js'
import { listPeers, relate, scope, startTwo, write } from '../../support/two-servers.js'

t.test('a restored account', async t => {
  const two = await startTwo(t)
  const { accepterService, dora, doraSlug } = two
  const { accepted } = await relate(two)
  const file = join(t.testdir(), 'paul.zip')
  const exported = await command(['export', `--dataDir=${accepterService.directory}`, 'paul-patient', file])
  t.equal(exported.code, 0, exported.errors)
  const other = await coffer(t, { shutdownSeconds: 0.4, cmc: { allowInternalTargets: true } })
  const imported = await command(['import', file, `--dataDir=${other.directory}`])
  t.match([imported.code, imported.output], [0, 'account.resumeDeliveries'], imported.errors)
  const session = { username: 'paul-patient', appId: 'coffer-test' }
  const { access } = await other.call(undefined, 'test.signIn', session)
  const copy = new Client(other, 'paul-patient', access)
  const pausedSince = async (): Promise<unknown> => (await copy.do('account.get')).deliveriesPausedSince

  await t.test('says so, and sends neither messages nor revocations', async t => {
    t.type(await pausedSince(), 'number')
    const sent = await write(copy, 'message/chat-cmc', { content: 'Hello' }, `${scope}:chats:${doraSlug}`)
    t.equal(sent.event.content.status, 'pending')
    await copy.do('accesses.delete', { id: accepted.dataGrantAccessId })
    await other.server.services.tellPeersOfEnd!(other.server.services.accounts.find('paul-patient')!)
    const { content } = (await copy.do('events.getOne', { id: sent.event.id })).event
    t.match([content.status, content.delivery], ['pending', undefined])
    t.equal((await listPeers(dora)).length, 1)
    t.equal((await copy.do('account.resumeDeliveries')).resumed, true)
  })

  await t.test('sends what waits once its user has resumed it', async t => {
    t.equal(await pausedSince(), undefined)
    t.equal((await copy.do('account.resumeDeliveries')).resumed, false)
    await until(async () => (await listPeers(dora)).length === 0, 'the revocation')
  })
})

t.test('a restored account with channels sends no reminders', async t => {
  const { alice, directory } = await startWorld(t)
  const { id } = await addChannel(alice, 'webhook', { url: 'http://127.0.0.1:9' })
  await addReminder(alice, { channelIds: [id] })
  const folder = t.testdir({ other: {} })
  const file = join(folder, 'alice.zip')
  const exported = await command(['export', `--dataDir=${directory}`, alice.username, file])
  t.equal(exported.code, 0, exported.errors)
  const imported = await command(['import', file, `--dataDir=${join(folder, 'other')}`])
  t.match([imported.code, imported.output], [0, 'account.resumeDeliveries'], imported.errors)
})
