/** Killed backups: each state that was kept can be restored, and the next run continues. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import t from 'tap'
import { packageDirectory } from '../../core/version.js'
import { openPlace } from '../../scripts/backup/open-place.js'
import { listStates } from '../../scripts/backup/manifest.js'
import { verifyBackup } from '../../scripts/backup/restore-backup.js'
import { Vault } from '../../scripts/backup/vault.js'
import { readSecret } from '../../scripts/terminal/passphrase.js'
import { createVettingOptions } from '../../scripts/vetting/examiner.js'
import { bucket } from '../support/bucket.js'
import { coffer, testSettings } from '../support/coffer.js'
import { commandProcess } from '../support/command.js'
import { Random } from '../support/random.js'
import { until } from '../support/socket.js'
import { rotate } from '../support/rotation.js'

t.setTimeout(900_000)

const rounds = process.env['COFFER_TEST_LONG'] === '1' ? 20 : 1
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.comment(`COFFER_TEST_SEED=${seed}`)
const random = new Random(seed)
const cli = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')
const [yes, no] = [() => true, () => false]
const none = { endpoint: '', region: '', accessKey: '', secretKey: '' }

for (const kind of rotate(t, ['a folder', 'a bucket']))
  t.test(`in ${kind}`, async t => {
    const service = await coffer(t)
    const { directory } = service
    const folder = t.testdir()
    const people = [
      service.alice,
      ...(await Promise.all(['bob', 'carol', 'dave'].map(name => service.user(name))))
    ]
    for (const person of people) await person.stream('diary')
    const place =
      kind === 'a bucket' ? await bucket(t) : { to: join(folder, 'safe'), settings: none, flags: [] }
    const args = [
      'backup',
      '--json',
      `--dataDir=${directory}`,
      `--backup.to=${place.to}`,
      '--backup.verify=false'
    ]
    const change = async (round: string): Promise<void> => {
      for (const person of people) {
        await person.event({ content: round })
        const form = new FormData()
        form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
        form.append('file', new Blob([round.repeat(50_000)]), 'a.txt')
        await person.http('POST', '/events', form)
      }
      await service.server.settle()
    }
    await change('begin')
    const fromMs = performance.now()
    t.match(await commandProcess([...args, ...place.flags]), { code: 0 })
    const wholeMs = performance.now() - fromMs

    let killed = 0
    for (let round = 1; round <= rounds; round++) {
      await change(`round ${round}`)
      const child = spawn(process.execPath, [cli, ...args, ...place.flags], { stdio: 'ignore' })
      const ended = once(child, 'exit')
      const timer = setTimeout(() => child.kill('SIGKILL'), wholeMs * (0.4 + 0.6 * random.next()))
      const [code] = (await ended) as [number | null]
      clearTimeout(timer)
      if (code === null) killed++
      // A server may still be writing the last object, and not list it yet.
      const isThere = (): Promise<boolean> => openPlace(place.to, place.settings, false).then(yes, no)
      await until(isThere, 'the place')
      const opened = await openPlace(place.to, place.settings, false)
      // The lock of a killed run in a bucket is valid for an hour.
      if (kind === 'a bucket') await opened.remove('backup.lock')
      const vault = await Vault.open(opened, readSecret({}))
      const vetting = createVettingOptions(testSettings(directory))
      for (const at of await listStates(vault))
        t.match(await verifyBackup(vault, { at, vetting }), { accounts: 4, problems: [] }, `round ${round}`)
      await vault.close()
    }
    t.comment(`${killed} of ${rounds} were killed`)
    const last = await commandProcess([...args, ...place.flags])
    t.match(JSON.parse(last.output), { accounts: 4, problems: [] })
    const target = join(folder, 'data')
    const back = ['restore', `--dataDir=${target}`, `--backup.to=${place.to}`, ...place.flags]
    t.match(await commandProcess(back), { code: 0 })
    t.match(await commandProcess(['check', `--dataDir=${target}`]), { code: 0 })
  })
