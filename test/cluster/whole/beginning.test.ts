/** Creating a cluster from a folder while the command is repeatedly killed: the next run resumes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import { logSubject, shardCount } from '../../../cluster/nodes/shard-placement.js'
import { platformSubject } from '../../../cluster/platform/record.js'
import { decode } from '../../../cluster/records.js'
import { createFixedShards } from '../../../core/call/shard.js'
import { packageDirectory } from '../../../core/version.js'
import { Layout } from '../../../storage/files/layout.js'
import { PlatformStore } from '../../../storage/platform/platform-store.js'
import { command } from '../../support/command.js'
import { Random } from '../../support/random.js'
import { EngineServers, until } from '../engine-servers.js'
import { Load } from '../load.js'
import { NodeProcess } from '../node-processes.js'
import { fileOf } from '../people.js'
import { filesOf, initArguments, makeLongPeople } from './people.js'

t.setTimeout(900_000)

const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
const coffer = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')
/** Number of users in the folder, and of long events of the first one, whose file is longer than a record. */
const [count, longEvents] = [12, 60]

t.test('creating a cluster', async t => {
  const root = mkdtempSync(join(tmpdir(), 'coffer-beginning-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  t.comment(`COFFER_TEST_SEED=${seed}`)
  const random = new Random(seed)
  const servers = await EngineServers.start(t)
  const engine = await servers.connect(t)
  const folder = join(root, 'n1')
  const people = await makeLongPeople(folder, count, longEvents)
  const subjects = subjectsIn(folder)
  const begun = async (): Promise<number> => {
    const lasts = await Promise.all(subjects.map(subject => engine.last(subject).catch(() => undefined)))
    return lasts.filter(last => last !== undefined).length
  }

  await t.test('resumes after it was killed at any time', async t => {
    for (let at = 0; at < count; at += 5) {
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
  })

  await t.test('stores a long file as a snapshot, not as records', async t => {
    const kinds = await Promise.all(
      subjects.map(async subject => decode((await engine.last(subject))!.bytes).base.lsn > 0)
    )
    t.equal(kinds.filter(isSnapshot => isSnapshot).length, 1)
  })

  await t.test('makes everything available on a new node', async t => {
    rmSync(folder, { recursive: true })
    const node = new NodeProcess(t, {
      name: 'n2',
      directory: join(root, 'n2'),
      engine: servers.urls.join(',')
    })
    await node.start()
    const load = new Load(people, () => [node.url], random, { patienceMs: 60_000 })
    const beganMs = performance.now()
    load.start()
    t.teardown(() => load.end())
    const names = people.map(({ username }) => username)
    await until('all users to be served', () => load.writtenSince(names) > beganMs)
    await load.stop()
    t.same(load.faults, [])
    t.same([...load.odd], [])
    for (const person of people) t.same(await filesOf(node.url, person), [fileOf(person)])
  })
})

/** Returns the subjects of all account logs in a folder. */
function subjectsIn(folder: string): string[] {
  const platform = new PlatformStore(new Layout(folder))
  const shards = createFixedShards(shardCount)
  const accounts = platform.listKnown('', 1000)
  platform.close()
  return accounts.map(({ id, username }) => logSubject(shards.indexOf(username), id))
}
