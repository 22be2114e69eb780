/**
 * A single service becomes a cluster, although the command for that is killed, is backed up as a whole during writes, and is restored from that: as a service
 * on one machine, and as another cluster.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import { command } from '../../support/command.js'
import { start as startAlone } from '../../support/process.js'
import { packageDirectory } from '../../../core/version.js'
import { Random } from '../../support/random.js'
import { rotate } from '../../support/rotation.js'
import { EngineServers, until } from '../engine-servers.js'
import { Load, type Person } from '../load.js'
import { NatsEngine } from '../../../cluster/nats-engine.js'
import { NodeProcess } from '../node-processes.js'
import { register } from '../registration.js'
import { fileOf, upload } from '../people.js'
import { resumesAfterKills } from './beginning.js'
import { filesOf, initArguments, makeLongPeople, nodeFlags } from './people.js'

t.setTimeout(900_000)

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
const trusted = ['--auth.trustedApps=*@https://app.example']
const coffer = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')

/** Runs a command that must succeed. Returns its JSON output. */
async function run<T>(...args: string[]): Promise<T> {
  const { code, errors, output } = await command([...args, '--json'])
  if (code !== 0) throw new Error(`${args.join(' ')}: ${errors} ${output}`)
  return JSON.parse(output) as T
}

interface Report {
  readonly accounts: number
  readonly copied: number
  readonly attachments: number
  readonly problems: readonly unknown[]
}

/** Signs in with a password. Returns the status. */
async function signIn(url: string, username: string): Promise<number> {
  const response = await fetch(`${url}/${username}/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'https://app.example' },
    body: JSON.stringify({ username, password: 'a long password for tests', appId: 'test-app' })
  })
  await response.arrayBuffer()
  return response.status
}

/** Asserts that all users exist with everything that a load knows of, and with their files. */
async function look(t: Test, load: Load, url: string, people: readonly Person[]): Promise<void> {
  await load.stop()
  t.same(load.faults, [])
  t.same([...load.odd], [])
  const [first, ...others] = people as [Person, ...Person[]]
  t.same(await filesOf(url, first), ['added at a node', fileOf(first)])
  for (const person of others) t.same(await filesOf(url, person), [fileOf(person)])
  t.equal(await signIn(url, 'newcomer'), 200)
}

t.test('a cluster', async t => {
  const root = mkdtempSync(join(tmpdir(), 'coffer-whole-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  t.comment(`COFFER_TEST_SEED=${seed}`)
  const at = (name: string): string => join(root, name)
  const servers = await EngineServers.start(t)
  // The first file is longer than a record of the engine.
  const people = await makeLongPeople(at('n1'), 4, 45)
  const random = new Random(seed)
  await t.test('is created, although the command is killed', async t => {
    await resumesAfterKills(t, servers, at('n1'), random)
  })
  const engine = servers.urls.join(',')
  const node = (name: string, directory = at(name)): NodeProcess =>
    new NodeProcess(t, { name, directory, engine, flags: [...trusted, `--backup.to=${at('own')}`] })
  const [n1, n2] = [node('n1'), node('n2')]
  await Promise.all([n1.start(), n2.start()])
  let urls = [n1.url, n2.url]
  const load = new Load(people, () => urls, random, { patienceMs: 60_000 })
  const backup = async (): Promise<Report> =>
    await run<Report>('backup', at('backup'), '--plain', ...nodeFlags(servers, 'n1', at('n1')))

  await t.test('is backed up during writes', async t => {
    const beganMs = performance.now()
    load.start()
    t.teardown(() => load.end())
    const names = people.map(({ username }) => username)
    await until('all users to be served', () => load.writtenSince(names) > beganMs)
    await upload(n2.url, people[0]!, 'added at a node')
    const report = await backup()
    t.match(report, { accounts: 4, copied: 4, attachments: 5, problems: [] })
    const sinceMs = performance.now()
    await until('more to be written', () => load.writtenSince(names) > sinceMs)
    await load.stop()
    t.same(load.faults, [])
    const verified = await run<Report>('restore', at('backup'), '--verify', `--dataDir=${at('none')}`)
    t.match(verified, { accounts: 4, problems: [] })
  })

  await t.test('is backed up incrementally', async t => {
    t.equal((await register(n1.url, 'newcomer')).status, 201)
    const report = await backup()
    t.match(report, { accounts: 5, attachments: 0, problems: [] })
    await until('nothing to have changed', async () => (await backup()).copied === 0)
  })

  await t.test('makes automatic backups, by one of its nodes', async t => {
    const logging = (text: string): NodeProcess[] => [n1, n2].filter(({ log }) => log.includes(text))
    const isOver = (): boolean => [...logging('a backup was made'), ...logging('a backup failed')].length > 0
    await until('it to be done', isOver, 180_000)
    t.notMatch(n1.log + n2.log, /a backup failed.*/)
    t.equal(logging('a backup was made').length, 1)
    const verified = await run<Report>('restore', at('own'), '--verify', `--dataDir=${at('none')}`)
    // The new user may have registered before or after it.
    t.match(verified, { accounts: Number, problems: [] })
    t.ok([4, 5].includes(verified.accounts), `${verified.accounts} accounts`)
  })

  // It takes up to a minute, in which everything runs.
  const missed = { skip: !isLong && 'only in the long form' }
  await t.test('makes up for a missed backup, by the node whose turn it is', missed, async t => {
    const [maker, other] = n1.log.includes('a backup was made') ? [n1, n2] : [n2, n1]
    const move = await command(['cluster', 'move', '0', other.name, ...nodeFlags(servers, 'n1', at('n1'))])
    t.equal(move.code, 0, move.errors)
    const watching = await NatsEngine.connect({ servers: servers.urls })
    t.teardown(() => watching.close())
    const { register } = watching
    const last = (await register.get('backup'))!
    const { finished } = JSON.parse(Buffer.from(last.bytes).toString()) as { finished: number }
    const earlier = Buffer.from(JSON.stringify({ finished: finished - 2 * 24 * 3600 }))
    await register.cas('backup', last.revision, earlier)
    await until('it to be made', () => other.log.includes('a backup was made'), 180_000)
    t.equal(maker.log.split('a backup was made').length, 2, 'and the former one made no other')
  })

  await t.test('restores one account while its nodes run', async t => {
    const [, person, other] = people as [Person, Person, Person]
    for (const each of [person, other]) await upload(n1.url, each, 'added since')
    // The folder of a running node.
    const flags = nodeFlags(servers, 'n2', at('n2'))
    const restored = await run<object>('restore', at('backup'), `--user=${person.username}`, ...flags)
    t.match(restored, { user: person.username, done: 'replaced' })
    for (const { url } of [n1, n2]) {
      t.same(await filesOf(url, person), [fileOf(person)])
      t.same(await filesOf(url, other), ['added since', fileOf(other)])
    }
    await upload(n2.url, person, 'added behind it')
    t.same(await filesOf(n1.url, person), ['added behind it', fileOf(person)].toSorted())
    const unknown = await command(['restore', at('backup'), '--user=nobody', ...flags])
    t.equal(unknown.code, 1)
    t.match(unknown.errors, /The backup contains no account nobody/)
  })

  await t.test('is not backed up without its engine', async t => {
    await Promise.all([n1.kill(), n2.kill()])
    for (const index of [0, 1, 2]) await servers.kill(index)
    const refused = await command(['backup', at('backup'), '--plain', ...nodeFlags(servers, 'n1', at('n1'))])
    t.equal(refused.code, 1)
    t.match(refused.errors, /^None of the servers in cluster\.engine \(127\..*\) is reachable: /m)
  })

  const isAlone = async (t: Test): Promise<void> => {
    const alone = at('alone')
    await run('restore', at('backup'), `--dataDir=${alone}`)
    const { code, output } = await command(['check', `--dataDir=${alone}`])
    t.equal(code, 0, output)
    const flags = [...trusted, '--log.format=json']
    const running = await startAlone(t, alone, process.execPath, [coffer, 'serve', ...flags])
    urls = [running.url]
    await look(t, load, running.url, people)
    await running.stop('SIGTERM')
  }
  const isCluster = async (t: Test): Promise<void> => {
    for (const index of [0, 1, 2]) servers.wipe(index)
    await Promise.all([0, 1, 2].map(index => servers.restart(index)))
    await run('restore', at('backup'), `--dataDir=${at('n3')}`)
    await until('the engine to be there', async () => {
      const { code } = await command(initArguments(servers, at('n3')))
      return code === 0
    })
    const [n3, n4] = [node('n3'), node('n4')]
    await Promise.all([n3.start(), n4.start()])
    for (const { url } of [n3, n4]) {
      urls = [url]
      await until('all to be served', async () => (await signIn(url, 'newcomer')) === 200)
      await look(t, load, url, people)
    }
  }
  for (const [where, restores] of rotate(t, [
    ['on one machine', isAlone],
    ['as another cluster', isCluster]
  ] as const))
    await t.test(`is restored from the backup ${where}`, restores)
})
