/**
 * A crash while one or all accounts are added to a data directory: each account is complete or absent, and can be added
 * again.
 */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { checkDirectory } from '../../scripts/maintenance/check.js'
import { PlatformInspection } from '../../storage/inspection/platform-inspection.js'
import { isAccountId, Layout } from '../../storage/files/layout.js'
import { startServer } from '../../server/server.js'
import { ManualClock } from '../../core/time.js'
import { coffer, testSettings, type Client } from '../support/coffer.js'
import { command } from '../support/command.js'
import { inRotation } from '../support/rotation.js'

t.setTimeout(900_000)

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
/** Maximum number of points at which a command is killed; the short form uses every twentieth, different ones each time. */
const most = 60
const [first, step] = isLong ? [1, 1] : [1 + (seed % 20), 20]
t.comment(`COFFER_TEST_SEED=${seed}`)

/** Runs a command that is killed before the nth time that it moves, creates or removes something, or syncs a folder. */
const script = `
  import fs from 'node:fs'
  import { syncBuiltinESMExports } from 'node:module'
  const [last, ...args] = process.argv.slice(1)
  let count = 0
  for (const name of ['renameSync', 'fsyncSync', 'rmSync', 'mkdirSync']) {
    const real = fs[name]
    fs[name] = (...given) => {
      if (++count === Number(last)) process.kill(process.pid, 'SIGKILL')
      return real(...given)
    }
  }
  syncBuiltinESMExports()
  const { main } = await import(${JSON.stringify(new URL('../../scripts/cli.js', import.meta.url).href)})
  await main([process.execPath, 'coffer', ...args])
`

/** Returns whether it was killed. Fails if it ended with an error. */
function killedAt(t: Test, last: number, args: readonly string[]): boolean {
  const words = ['--input-type=module', '-e', script, String(last), ...args]
  const { signal, status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
  if (signal === null && status !== 0) t.fail(stderr)
  return signal === 'SIGKILL'
}

/** Returns the accounts that have a folder. */
function foldersIn({ usersDirectory }: Layout): string[] {
  return existsSync(usersDirectory)
    ? readdirSync(usersDirectory, { recursive: true, encoding: 'utf8' }).flatMap(path => {
        const name = path.split('/')[1] ?? ''
        return path.split('/').length === 2 && isAccountId(name) ? [name] : []
      })
    : []
}

function namesIn(layout: Layout): Map<string, string> {
  const inspection = new PlatformInspection(layout)
  try {
    return new Map([...inspection.accounts()].map(({ id, username }) => [username, id]))
  } finally {
    inspection.close()
  }
}

/** Starts the service, so that it cleans up, and returns the number of the account's events. */
async function askedAfterwards({ token, username }: Client, dataDir: string): Promise<number> {
  const server = await startServer(testSettings(dataDir), { clock: new ManualClock() })
  try {
    const headers = { authorization: token }
    return (await fetch(`${server.url}/${username}/events?streams=diary`, { headers })).status
  } finally {
    await server.close()
  }
}

async function withDaisy(t: Test): Promise<{ directory: string; daisy: Client }> {
  const service = await coffer(t)
  const daisy = await service.user('daisy', { email: 'daisy@example.com' })
  await daisy.stream('diary')
  const form = new FormData()
  form.append('event', JSON.stringify({ streamIds: ['diary'], type: 'file/attached' }))
  form.append('file', new Blob(['bytes']), 'a.txt')
  t.equal((await daisy.http('POST', '/events', form)).status, 201)
  const reader = await daisy.grant('read', 'diary')
  await service.server.close()
  return { directory: service.directory, daisy: reader }
}

/** Kills a command at every point until it completes: each time the account is complete or absent. */
async function killedEverywhere(t: Test, daisy: Client, args: readonly string[]): Promise<void> {
  const { directory, server } = await coffer(t)
  await server.close()
  const places = join(t.testdirName, 'data')
  let last = first
  for (let wasKilled = true; wasKilled && last < most; last += step) {
    const dataDir = join(places, String(last))
    cpSync(directory, dataDir, { recursive: true })
    const layout = new Layout(dataDir)
    wasKilled = killedAt(t, last, [...args, '--dataDir', dataDir])
    const status = await askedAfterwards(daisy, dataDir)
    const names = namesIn(layout)
    t.same(foldersIn(layout).toSorted(), [...names.values()].toSorted(), `each has its folder, ${last}`)
    t.equal(status, names.has('daisy') ? 200 : 404)
    t.same((await checkDirectory(layout)).problems, [])
    const left = readdirSync(dataDir).filter(name => name.startsWith('copies'))
    t.same(left, [], 'nothing is left aside')
    if (!wasKilled) t.ok(names.has('daisy'))
  }
  t.ok(last > 5, `${last} points`)
}

const oneOf = inRotation(t, 3)
void oneOf('an import that is killed', async t => {
  const { daisy, directory } = await withDaisy(t)
  const file = join(t.testdir(), 'daisy.zip')
  t.match(await command(['export', 'daisy', file, '--dataDir', directory]), { code: 0 })
  await killedEverywhere(t, daisy, ['import', file])
})

void oneOf('restoring one account, killed at any point', async t => {
  const { daisy, directory } = await withDaisy(t)
  const folder = join(t.testdir(), 'backup')
  t.match(await command(['backup', folder, '--dataDir', directory]), { code: 0 })
  await killedEverywhere(t, daisy, ['restore', folder, '--user=daisy'])
})

void oneOf('restoring all accounts, killed at any point', async t => {
  const { daisy, directory } = await withDaisy(t)
  const folder = join(t.testdir(), 'backup')
  t.match(await command(['backup', folder, '--dataDir', directory]), { code: 0 })
  const dataDir = join(t.testdirName, 'data')
  const layout = new Layout(dataDir)
  let isWhole = false
  for (let last = first; !isWhole && last < most; last += step) {
    const wasKilled = killedAt(t, last, ['restore', folder, '--dataDir', dataDir])
    isWhole = existsSync(layout.platformFile)
    if (!wasKilled) t.ok(isWhole)
    if (!isWhole) rmSync(dataDir, { recursive: true, force: true })
  }
  t.equal(await askedAfterwards(daisy, dataDir), 200)
  t.same((await checkDirectory(layout)).problems, [])
  t.same(foldersIn(layout).toSorted(), [...namesIn(layout).values()].toSorted())
})
