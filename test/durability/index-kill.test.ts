/**
 * Kills the server between writing the platform's index of unique values and the account's file, at each point where
 * they differ: at the next start the file prevails.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { Layout } from '../../storage/files/layout.js'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { startServer } from '../../server/server.js'
import { testSettings, type Answer } from '../support/coffer.js'

/** When the process dies, and who owns the addresses afterwards. */
const places = [
  { when: 'reserved', email: 'first@example.com' },
  { when: 'committed', email: 'second@example.com' },
  { when: 'settled', email: 'second@example.com' }
] as const

t.setTimeout(900_000)

for (const { email, when } of places)
  t.test(`a server that is killed when a value is ${when}`, async t => {
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
    t.equal(accounts.store(accounts.find('robert')!).account.field('email'), email)
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
