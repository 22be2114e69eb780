/**
 * A process that damages copies of a data directory randomly, and runs each command that reads such files. Arguments:
 * the directory, a folder for copies, the seed, and the numbers of the first copy and of the one after the last. It
 * prints a line per copy, first with the damage, then with the result of each command.
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { checkDirectory } from '../../../scripts/maintenance/check.js'
import { rebuildPlatform } from '../../../scripts/maintenance/rebuild-platform.js'
import { exportAccount } from '../../../scripts/transfer/export-account.js'
import { withExport } from '../../../scripts/transfer/export-events.js'
import { Layout } from '../../../storage/files/layout.js'
import type { Account } from '../../../storage/platform/account.js'
import { testSettings } from '../../support/coffer.js'
import { Random } from '../../support/random.js'

const pageSize = 4096

/** Damages a file as disks, crashes and people do. Returns what was done. */
function damage(random: Random, file: string): string {
  const bytes = readFileSync(file)
  const pages = Math.floor(bytes.length / pageSize)
  // The first page is often spared: without it, nothing is read at all.
  const page = (): number =>
    Math.min(pages - 1, random.below(pages) + (random.chance(0.8) ? 1 : 0)) * pageSize
  const what = random.pick(['cut', 'cut 1000', 'flip', 'flip in heads', 'zero', 'copy', 'swap', 'garble'])
  if (what === 'cut' || what === 'cut 1000') {
    writeFileSync(file, bytes.subarray(0, what === 'cut' ? random.below(bytes.length) : bytes.length - 1000))
    return what
  }
  for (let n = 1 + random.below(what.startsWith('flip') ? 20 : 4); n > 0; n--) {
    const [at, other] = [page(), page()]
    if (what === 'flip') bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
    // Page headers: counts, and pointers to cells and other pages.
    if (what === 'flip in heads') bytes[at + random.below(40)]! ^= 1 << random.below(8)
    if (what === 'zero') bytes.fill(0, at, at + pageSize)
    if (what === 'copy') bytes.copy(bytes, at, other, other + pageSize)
    if (what === 'garble') for (let n = 0; n < pageSize; n++) bytes[at + n] = random.below(256)
    if (what === 'swap') {
      const kept = Buffer.from(bytes.subarray(at, at + pageSize))
      bytes.copy(bytes, at, other, other + pageSize)
      kept.copy(bytes, other)
    }
  }
  writeFileSync(file, bytes)
  return what
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Runs a command. Returns its name and result. */
async function end(name: string, work: () => Promise<unknown>): Promise<string> {
  try {
    await work()
    return `${name}: done`
  } catch (error) {
    return `${name}: ${(error as Error).name}`
  }
}

/** Damages a copy of a directory, and prints how each command on it ends. */
async function run(source: string, target: string, seed: number): Promise<void> {
  const random = new Random(seed)
  cpSync(source, target, { recursive: true })
  const layout = new Layout(target)
  const [shard = ''] = readdirSync(layout.usersDirectory)
  const [id = ''] = readdirSync(join(layout.usersDirectory, shard))
  const isPlatform = random.chance(0.2)
  const what = damage(random, isPlatform ? layout.platformFile : layout.userFile(id))
  say(`${isPlatform ? 'platform' : 'account'} ${what}`)
  const account = { id, username: 'alice', created: 0, state: 'active' } as Account
  const ends = [
    await end('check', () => checkDirectory(layout)),
    await end('export', () =>
      exportAccount(layout, account, join(target, 'export.zip'), { includesSecrets: true })
    ),
    await end('export-data', () =>
      withExport(testSettings(target), layout, account, { format: 'ndjson' }, async pieces => {
        await pipeline(pieces, new Writable({ write: (_chunk, _encoding, done) => done() }))
      })
    ),
    await end('rebuild-index', () => rebuildPlatform(layout)),
    await end('check', () => checkDirectory(layout))
  ]
  say(ends.join(', '))
  rmSync(target, { recursive: true, force: true })
}

const [source = '', folder = '', seed, from, to] = process.argv.slice(2)
for (let number = Number(from); number < Number(to); number++)
  await run(source, join(folder, String(number)), Number(seed) + number * 7919)
