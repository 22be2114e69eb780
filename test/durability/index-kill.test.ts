/**
 * Kills the server between writing the platform's index of unique values and the account's file, at each point where
 * they differ: at the next start the file prevails.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { aliasField } from '../../schemas/access.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import { Layout } from '../../storage/files/layout.js'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { startServer, type Server } from '../../server/server.js'
import { testSettings, type Answer } from '../support/coffer.js'
import { inRotation } from '../support/rotation.js'

/** When the process dies, and who owns the addresses afterwards. */
const places = [
  { when: 'reserved', email: 'first@example.com' },
  { when: 'committed', email: 'second@example.com' },
  { when: 'settled', email: 'second@example.com' }
] as const

t.setTimeout(900_000)

const oneOf = inRotation(t, 3)

for (const { email, when } of places)
  void oneOf(`a server that is killed when a value is ${when}`, async t => {
    const dataDir = mkdtempSync(join(tmpdir(), 'coffer-index-'))
    t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
    const child = fork(join(import.meta.dirname, 'index-killed.js'), [dataDir, when])
    const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
    t.equal(signal, 'SIGKILL')

    const server = await startServer(testSettings(dataDir, { workers: 0 }))
    const { accounts, platform } = server.services
    const addresses = ['first@example.com', 'second@example.com']
    const held = addresses.filter(address => platform.findByUnique('email', address))
    t.same(held, [email], 'one address is taken')
    t.equal(accounts.openStore(accounts.find('robert')!).account.field('email'), email)
    const register = async (username: string, address: string): Promise<Answer> => {
      const body = { appId: 'test-app', username, password: 'a long secret', email: address }
      const headers = { 'content-type': 'application/json' }
      const sent = { method: 'POST', headers, body: JSON.stringify(body) }
      return await (await fetch(`${server.url}/users`, sent)).json()
    }
    t.match(await register('second-user', email), { error: { id: 'item-already-exists', data: { email } } })
    t.match(
      await register(
        'third-user',
        addresses.find(address => address !== email)!
      ),
      { username: 'third-user' }
    )
    await server.close()
    t.same((await checkDirectory(new Layout(dataDir))).problems, [])
  })

for (const when of ['reserved', 'committed'])
  void oneOf(`a server that is killed when a user name is ${when}`, async t => {
    const { dataDir, server } = await killAndRestart(t, when, 'username')
    const { accounts, platform } = server.services
    const [current, former] = when === 'reserved' ? ['robert'] : ['rosalind', 'robert']
    t.equal(accounts.find('robert')?.username, current, 'has one name')
    t.equal(accounts.find('rosalind')?.username, former && current)
    t.same(platform.usernames.listFormer(accounts.find('robert')!.id), former === undefined ? [] : [former])
    t.equal(platform.usernames.getChanges(accounts.find('robert')!.id).used, former === undefined ? 0 : 1)
    await server.close()
    t.same((await checkDirectory(new Layout(dataDir))).problems, [])
  })

for (const when of ['reserved', 'committed', 'settled'])
  void oneOf(`a server that is killed when an alias is ${when}`, async t => {
    const { dataDir, server } = await killAndRestart(t, when, 'alias')
    const { accounts, platform } = server.services
    const account = accounts.find('robert')!
    const store = accounts.openStore(account)
    const aliases = store.accesses.list().flatMap(({ alias }) => alias ?? [])
    t.equal(aliases.length, when === 'reserved' ? 0 : 1)
    const inspection = new PlatformInspection(new Layout(dataDir))
    const held = inspection.uniqueValues(account.id).filter(({ field }) => field === aliasField)
    inspection.close()
    t.same(
      held.map(({ key }) => key),
      aliases,
      'the platform file has the aliases of the account'
    )
    for (const alias of aliases) t.equal(platform.usernames.findByAlias(alias)?.id, account.id)
    await server.close()
    t.same((await checkDirectory(new Layout(dataDir))).problems, [])
  })

async function killAndRestart(
  t: Test,
  when: string,
  what: string
): Promise<{ dataDir: string; server: Server }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'coffer-index-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  const child = fork(join(import.meta.dirname, 'index-killed.js'), [dataDir, when, what])
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null]
  t.equal(signal, 'SIGKILL')
  return { dataDir, server: await startServer(testSettings(dataDir, { workers: 0 })) }
}
