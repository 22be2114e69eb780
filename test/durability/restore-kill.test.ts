/** A crash or an error while one account is restored leaves the existing account complete. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { ManualClock } from '../../core/time.js'
import { startServer, type Server } from '../../server/server.js'
import { Layout } from '../../storage/files/layout.js'
import { PlatformStore } from '../../storage/platform/platform-store.js'
import { coffer, testSettings, type Answer } from '../support/coffer.js'
import { command } from '../support/command.js'
import { rotate } from '../support/rotation.js'

t.setTimeout(900_000)

/** Runs a command that is killed, or fails, when it moves something for the nth time. */
const script = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const [how, last, ...args] = process.argv.slice(1)
  const { renameSync } = fs
  let count = 0
  fs.renameSync = (from, to) => {
    if (++count === Number(last)) {
      if (how === 'kill') process.kill(process.pid, 'SIGKILL')
      throw Object.assign(new Error('EIO: no more'), { code: 'EIO' })
    }
    renameSync(from, to)
  }
  syncBuiltinESMExports()
  const { main } = await import(${JSON.stringify(new URL('../../scripts/cli.js', import.meta.url).href)})
  await main([process.execPath, 'coffer', ...args])
`

t.test('restoring one account', async t => {
  const service = await coffer(t)
  const { directory } = service
  const daisy = await service.user('daisy', { email: 'daisy@example.com' })
  await daisy.stream('diary')
  await daisy.event({ content: 'in the backup' })
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
  form.append('file', new Blob(['bytes']), 'a.txt')
  t.equal((await daisy.http('POST', '/events', form)).status, 201)
  const folder = join(t.testdir(), 'backup')
  t.match(await command(['backup', folder, '--dataDir', directory]), { code: 0 })
  await daisy.event({ content: 'since then' })
  await service.server.close()

  const points = ['fail', 'kill'].flatMap(how => [1, 2, 3, 4].map(last => ({ how, last })))
  for (const { how, last } of rotate(t, points, 4))
    t.test(`${how} at move ${last} leaves everything or nothing`, async t => {
      const args = ['restore', folder, '--user=daisy', '--dataDir', directory]
      const { signal, status } = spawnSync(
        process.execPath,
        ['--input-type=module', '-e', script, how, String(last), ...args],
        { encoding: 'utf8' }
      )
      const isDone = signal === null && status === 0
      // The backup removes what others have left behind.
      if (how === 'kill') await command(['backup', join(t.testdir(), 'another'), '--dataDir', directory])
      const server = await startServer(testSettings(directory), { clock: new ManualClock() })
      const response = await fetch(`${server.url}/daisy/events?limit=50&streams=diary`, {
        headers: { authorization: daisy.token }
      })
      const { events = [] } = (await response.json()) as Answer
      await server.close()
      t.equal(events.length, isDone ? 2 : 3, `ended by ${signal ?? status}`)
      t.match(await command(['check', '--dataDir', directory]), { code: 0 })
      t.notOk(
        readdirSync(join(directory)).some(name => name.startsWith('copies')),
        'nothing is left'
      )
      if (!isDone) return
      const again = await startServer(testSettings(directory), { clock: new ManualClock() })
      const body = JSON.stringify({ streamIds: ['diary'], type: 'note/txt', content: 'since then' })
      const headers = { authorization: daisy.token, 'content-type': 'application/json' }
      await fetch(`${again.url}/daisy/events`, { method: 'POST', headers, body })
      await again.close()
    })
})

t.test('restoring an account whose deletion was interrupted is refused until that is completed', async t => {
  const service = await coffer(t)
  const { directory } = service
  const daisy = await service.user('daisy')
  await daisy.stream('diary')
  await daisy.event()
  const folder = join(t.testdir(), 'backup')
  t.match(await command(['backup', folder, '--dataDir', directory]), { code: 0 })
  await service.server.close()
  const platform = new PlatformStore(new Layout(directory))
  platform.changeNow('leave', platform.find('daisy')!.id)
  platform.close()
  const restore = ['restore', folder, '--user=daisy', '--dataDir', directory]
  // A restored account would be deleted with the old one at the next start.
  t.match(await command(restore), { code: 1, errors: /removed.*restart the service/ })
  const start = async (): Promise<Server> =>
    await startServer(testSettings(directory), { clock: new ManualClock() })
  await (await start()).close()
  t.match(await command(restore), { code: 0, output: /daisy: added/ })
  const server = await start()
  const headers = { authorization: daisy.token }
  t.equal((await fetch(`${server.url}/daisy/events?streams=diary`, { headers })).status, 200)
  await server.close()
})
