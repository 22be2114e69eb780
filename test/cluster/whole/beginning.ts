/** Creating a cluster from a folder while the command is killed: the next run resumes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Test } from 'tap'
import { logSubject, shardCount } from '../../../cluster/nodes/shard-placement.js'
import { platformSubject } from '../../../cluster/platform/record.js'
import { decode } from '../../../cluster/records.js'
import { createFixedShards } from '../../../core/call/shard.js'
import { packageDirectory } from '../../../core/version.js'
import { Layout } from '../../../storage/files/layout.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import { command } from '../../support/command.js'
import type { Random } from '../../support/random.js'
import { until, type EngineServers } from '../engine-servers.js'
import { initArguments } from './people.js'

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const coffer = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')

/** Tests it with a folder of accounts, of which one has a file that is longer than a record. */
export async function resumesAfterKills(
  t: Test,
  servers: EngineServers,
  folder: string,
  random: Random
): Promise<void> {
  const engine = await servers.connect(t)
  const subjects = subjectsIn(folder)
  const count = subjects.length
  const begun = async (): Promise<number> => {
    const lasts = await Promise.all(subjects.map(subject => engine.last(subject).catch(() => undefined)))
    return lasts.filter(last => last !== undefined).length
  }
  const kills = isLong ? Array.from({ length: count }, (_, at) => at) : [random.below(count)]
  for (const at of kills) {
    const init = spawn(process.execPath, [coffer, ...initArguments(servers, folder)], { stdio: 'ignore' })
    const ended = once(init, 'exit') as Promise<[code: number | null]>
    await until('it to have come some way', async () => (await begun()) > at || init.exitCode !== null)
    await wait(random.below(30))
    init.kill('SIGKILL')
    await ended
    t.comment(`killed at ${await begun()} of ${count}`)
    if (await engine.last(platformSubject)) break
  }
  const { code, errors, output } = await command(initArguments(servers, folder))
  t.equal(code, 0, errors)
  t.match(output, /The engine has/)
  t.equal(await begun(), count)
  const kinds = await Promise.all(
    subjects.map(async subject => decode((await engine.last(subject))!.bytes).base.lsn > 0)
  )
  t.equal(kinds.filter(isSnapshot => isSnapshot).length, 1, 'a long file is stored as a snapshot')
}

/** Returns the subjects of all account logs in a folder. */
function subjectsIn(folder: string): string[] {
  const platform = new PlatformStore(new Layout(folder))
  const shards = createFixedShards(shardCount)
  const accounts = platform.listKnown('', 1000)
  platform.close()
  return accounts.map(({ id, username }) => logSubject(shards.indexOf(username), id))
}
