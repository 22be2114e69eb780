/** Former user names and aliases survive exports, imports, and the loss of the platform file. */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { rebuildPlatform } from '../../scripts/maintenance/rebuild-platform.js'
import { Layout } from '../../storage/files/layout.js'
import { startServer } from '../../server/server.js'
import { openCoffer, testSettings, type Service } from '../support/coffer.js'
import { command } from '../support/command.js'

t.test('names of an account', async t => {
  const service = await openCoffer(t)
  const { alice } = service
  await alice.stream('diary')
  const holders = [
    (await alice.grant('read', 'diary', { randomAlias: true })).access,
    (await alice.grant('read', 'diary', { type: 'app', randomAlias: true })).access
  ]
  await alice.do('account.changeUsername', { newUsername: 'alice-new' })
  const layout = new Layout(service.directory)
  const file = join(service.directory, 'alice.zip')
  const done = await command(['export', 'alice', file, '--dataDir', service.directory])
  t.equal(done.code, 0, done.errors)
  const expectNames = async (by: Pick<Service, 'call'>): Promise<void> => {
    for (const { alias, token } of holders)
      t.match(await by.call(alias, 'getAccessInfo', {}, token), { user: { username: alias } })
    for (const name of ['alice', 'alice-new'])
      t.match(await by.call(name, 'getAccessInfo', {}, holders[0]!.token), {
        error: { id: 'invalid-access-token' }
      })
  }
  await expectNames(service)

  await t.test('are imported with it', async t => {
    const other = await openCoffer(t)
    // The former name is taken here.
    const imported = await command(['import', file, '--dataDir', other.directory])
    t.equal(imported.code, 0, imported.errors)
    const { accounts, platform } = other.server.services
    t.equal(accounts.find('alice-new')?.username, 'alice-new')
    t.not(accounts.find('alice')?.id, accounts.find('alice-new')?.id, 'and stays with its account')
    for (const { alias, token } of holders)
      t.match(await other.call(alias, 'getAccessInfo', {}, token), { user: { username: alias } })
    t.same(platform.usernames.listFormer(accounts.find('alice-new')!.id), [])
    await other.server.close()
    t.same((await checkDirectory(new Layout(other.directory))).problems, [])
  })

  await t.test('are replaced in a copy on the same service', async t => {
    const copied = await command(['import', file, '--dataDir', service.directory, '--as', 'alice-copy'])
    t.equal(copied.code, 0, copied.errors)
    await expectNames(service)
    const { accounts } = service.server.services
    const copy = accounts.openStore(accounts.find('alice-copy')!)
    for (const access of copy.accesses.list().filter(({ type }) => type !== 'personal')) {
      t.match(access.alias, /^r-[a-z0-9]{8}$/)
      t.notOk(holders.some(({ alias }) => alias === access.alias))
      t.match(await service.call(access.alias, 'getAccessInfo', {}, access.token), {
        user: { username: access.alias }
      })
    }
  })

  await t.test('are known again when the platform file is rebuilt', async t => {
    await service.server.close()
    t.same((await checkDirectory(layout)).problems, [])
    for (const kind of ['', '-wal', '-shm']) rmSync(layout.platformFile + kind, { force: true })
    const report = await rebuildPlatform(layout)
    t.same(report.problems, [])
    const server = await startServer(testSettings(service.directory, { workers: 0 }))
    const { accounts, platform } = server.services
    t.equal(accounts.find('alice')?.username, 'alice-new')
    for (const { alias } of holders) t.equal(accounts.find(alias!)?.id, accounts.find('alice')!.id)
    t.same(platform.usernames.listFormer(accounts.find('alice')!.id), ['alice'])
    await server.close()
    t.same((await checkDirectory(layout)).problems, [])
  })
})
