/** Interrupted imports: they resume, and no record is missing or imported twice. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t, { type Test } from 'tap'
import type { Services } from '../../../core/call/services.js'
import { createId, createToken } from '../../../core/ids.js'
import { packageDirectory } from '../../../core/version.js'
import { startServer } from '../../../server/server.js'
import { Client, coffer, methodModules, Service, testSettings, type Answer } from '../../support/coffer.js'
import { command } from '../../support/command.js'
import { broughtIn, rested, sent, takenOut, total, written } from '../../support/importing.js'
import { assertTakesLessThan } from '../../support/probe.js'
import { Random } from '../../support/random.js'
import { inRotation } from '../../support/rotation.js'

const seed = Number(process.env['COFFER_TEST_SEED'] ?? Date.now() % 1e6)
t.setTimeout(process.env['COFFER_TEST_LONG'] ? 1_200_000 : 240_000)
t.comment(`COFFER_TEST_SEED=${seed}`)
const random = new Random(seed)

const isLong = process.env['COFFER_TEST_LONG'] === '1'
const [events, points] = isLong ? [1500, 30_000] : [500, 6000]
/** A quota that the events exceed, in bytes. */
const quota = isLong ? 400_000 : 120_000

/** Returns weights far apart and heart rates close together. */
function table(): string {
  const lines = ['time,weight (kg),heart rate']
  for (let at = 0; at < events; at++) lines.push(`${1e9 + at * 100_000},${70 + (at % 100) / 10},`)
  for (let at = 0; at < points; at++) lines.push(`${1.7e9 + at},,${60 + (at % 40)}`)
  return `${lines.join('\n')}\n`
}
const whole = { broughtIn: { 'mass/kg': events, 'frequency/bpm': points }, known: {}, leftOut: {} }

/** Starts a service on the directory of a stopped one. */
async function restarted(
  t: Test,
  { clock, directory }: Service,
  { access, username }: Client
): Promise<Client> {
  const server = await startServer(testSettings(directory), { clock, methodModules })
  t.teardown(async () => await server.close())
  return new Client(new Service(server, clock, directory), username, access)
}

async function assertHoldsAll(t: Test, client: Client): Promise<void> {
  const range = { fromTime: 0, toTime: 4e9, limit: 100_000 }
  const weights = await client.do('events.get', { types: ['mass/kg'], ...range })
  t.equal(weights.events.length, events)
  const { events: holders } = await client.do('events.get', { types: ['series:frequency/bpm'], ...range })
  t.equal(holders.length, 1)
  const { points: found } = await client.do('hfs.get', { id: holders[0].id, toDeltaTime: 4e9 })
  t.equal(found.length, points)
}

const endTest = inRotation(t, 2)

endTest('an import resumes after a restart of the service', async t => {
  const service = await coffer(t, { workers: 0 })
  const { id } = await sent(service.alice, 'a.csv', table())
  await service.alice.do('imports.run', { id })
  const some = random.below(events)
  for (;;) {
    const { events: found } = await service.alice.do('events.get', {
      types: ['mass/kg'],
      skip: some,
      limit: 1,
      fromTime: 0,
      toTime: 4e9
    })
    if (found.length > 0) break
    await new Promise(setImmediate)
  }
  await service.server.close()
  const client = await restarted(t, service, service.alice)
  const found = await rested(client, id)
  t.equal(found.state, 'written', found.message)
  t.same(found.tally, whole)
  await assertHoldsAll(t, client)
  await takenOut(client, id)
  const left = await client.do('events.get', { fromTime: 0, toTime: 4e9 })
  t.same(left.events, [])
})

/** Number of commands that are killed, each at another time. */
const kills = process.env['COFFER_TEST_LONG'] ? 20 : 1
for (let kill = 1; kill <= kills; kill++)
  endTest(`the service completes the import of a killed command exactly once (${kill})`, killed)

async function killed(t: Test): Promise<void> {
  const service = await coffer(t, { workers: 0 })
  await service.server.close()
  const folder = t.testdir()
  const file = join(folder, 'data.csv')
  writeFileSync(file, table())
  const cli = join(packageDirectory, 'dist', 'scripts', 'coffer.cjs')
  const child = spawn(
    process.execPath,
    [cli, 'import-data', 'alice', file, `--dataDir=${service.directory}`],
    { stdio: 'ignore' }
  )
  const ended = once(child, 'exit')
  const log = (): number => {
    const [shard] = readdirSync(join(service.directory, 'users'))
    const [account] = readdirSync(join(service.directory, 'users', shard!))
    return (
      statSync(join(service.directory, 'users', shard!, account!, 'user.sqlite-wal'), {
        throwIfNoEntry: false
      })?.size ?? 0
    )
  }
  const size = 100_000 + random.below(isLong ? 1_500_000 : 300_000)
  while (child.exitCode === null && log() < size) await new Promise(resolve => setTimeout(resolve, 1))
  child.kill('SIGKILL')
  await ended
  const client = await restarted(t, service, service.alice)
  const { imports } = await client.do('imports.get')
  t.equal(imports.length, 1)
  const found = await rested(client, imports[0].id)
  t.equal(found.state, 'written', found.message)
  t.same(found.tally, whole)
  await assertHoldsAll(t, client)
}

t.test('a cancelled import can be run again or undone', async t => {
  const { alice } = await coffer(t)
  const { id } = await sent(alice, 'a.csv', table())
  await alice.do('imports.run', { id })
  const cancelled = await alice.call('imports.cancel', { id })
  if (!cancelled.error) t.equal(cancelled.import.state, 'cancelled')
  const going = (await alice.do('imports.getOne', { id })).import
  const found = going.state === 'cancelled' ? await written(alice, id) : going
  t.equal(found.state, 'written', found.message)
  t.same(found.tally, whole)
  await assertHoldsAll(t, alice)
  const again = await sent(alice, 'b.csv', table())
  await alice.do('imports.run', { id: again.id })
  await takenOut(alice, again.id)
  await assertHoldsAll(t, alice)
})

/** Numbers of writes that an interruption waits for: the import begins meanwhile, or has begun. */
const delays = isLong ? Array.from({ length: 40 }, (_, at) => at) : [0, 1, 3, 5, 8]

/** Starts imports, and interrupts each by calls whose writes wait for others of their access, as on a very busy machine. */
async function interrupt(t: Test, calls: (alice: Client, id: string) => Promise<void>): Promise<void> {
  const { alice, server } = await coffer(t, { workers: 0 })
  const { accounts } = (server as unknown as { services: Services }).services
  const store = accounts.openStore(accounts.find('alice')!)
  for (const delay of delays) {
    const lines = ['time,weight (kg),steps', `${1e9 + delay * 100_000},70,12`]
    const { id } = await sent(alice, 'a.csv', lines.join('\n'))
    await alice.do('imports.run', { id })
    for (let write = 0; write < delay; write++)
      void store.commit(() => {
        // So long that the commit ends with it.
        for (const end = performance.now() + 16; performance.now() < end;);
      }, alice.access.id)
    await calls(alice, id)
  }
}

const test = inRotation(t, 3)

test('an import that was cancelled while it began stays so until it is run again', async t => {
  await interrupt(t, async (alice, id) => {
    const { error } = await alice.call('imports.cancel', { id })
    t.equal((await rested(alice, id)).state, error ? 'written' : 'cancelled')
    if (error) return
    const { message, state } = await written(alice, id)
    t.equal(state, 'written', message)
  })
})

test('an import that was cancelled and run again while it began is written', async t => {
  await interrupt(t, async (alice, id) => {
    const methods = ['imports.cancel', 'imports.run']
    await alice.call(
      'callBatch',
      methods.map(method => ({ method, params: { id } }))
    )
    const { message, state } = await rested(alice, id)
    t.equal(state, 'written', message)
  })
})

test('an import that was deleted while it began is undone', async t => {
  await interrupt(t, async (alice, id) => {
    await alice.do('imports.delete', { id })
    t.equal(await rested(alice, id), undefined)
    t.same((await alice.do('events.get', { fromTime: 0, toTime: 4e9 })).events, [])
  })
})

for (const method of ['imports.cancel', 'imports.delete'])
  test(`an import goes on if the access that interrupts it ends meanwhile: ${method}`, async t => {
    const { alice, server } = await coffer(t, { workers: 0 })
    const { services } = server as unknown as { services: Services }
    const { id } = await sent(alice, 'a.csv', table())
    await alice.do('imports.run', { id })
    const store = services.accounts.openStore(services.accounts.find('alice')!)
    const session = { ...alice.access, id: createId(), token: createToken(), name: 'other' }
    await store.write(() => {
      store.accesses.insert(session)
      store.sessions.open(session.id, alice.service.clock.now())
    })
    // The session ends once the work has been stopped.
    const { imports } = services
    const stop = imports.stop.bind(imports)
    imports.stop = async (...work) => {
      imports.stop = stop
      await stop(...work)
      await alice.do('accesses.delete', { id: session.id })
    }
    const { error } = await new Client(alice.service, 'alice', session).call(method, { id })
    t.equal(error?.id, 'invalid-access-token')
    const isActive = services.imports.isActive(id)
    const { state } = (await alice.do('imports.getOne', { id })).import
    t.ok(isActive || state === 'written', state)
    t.equal((await rested(alice, id)).state, 'written')
    await assertHoldsAll(t, alice)
  })

test('other calls are handled during an import', async t => {
  const service = await coffer(t, { workers: 0 })
  const bob = await service.user('bob')
  const { id } = await sent(service.alice, 'a.csv', table())
  await service.alice.do('imports.run', { id })
  const times: number[] = []
  for (let isOver = false; !isOver;) {
    const begun = process.cpuUsage()
    await bob.do('events.get', {})
    const { system, user } = process.cpuUsage(begun)
    times.push((system + user) / 1000)
    await new Promise(setImmediate)
    isOver = (await service.alice.do('imports.getOne', { id })).import.state === 'written'
  }
  times.sort((a, b) => a - b)
  // Nine of ten; CPU time, including the reading thread: a machine under load is slow for other reasons.
  await assertTakesLessThan(t, 50, () => times[Math.floor(times.length * 0.9)]!, 1)
})

t.test('a full quota ends the import with a message', async t => {
  const { alice } = await coffer(t, { quota: { bytes: quota } })
  const found = await broughtIn(alice, 'a.csv', table().slice(0, 60_000))
  t.equal(found.state, 'failed')
  t.match(found.message, `storage limit of ${quota} bytes`)
  const { events: some } = await alice.do('events.get', {
    types: ['mass/kg'],
    limit: 10_000,
    fromTime: 0,
    toTime: 4e9
  })
  t.ok(some.length > 0 && some.length < events)
  await takenOut(alice, found.id)
  t.same((await alice.do('events.get', { types: ['mass/kg'], fromTime: 0, toTime: 4e9 })).events, [])
})

/** Returns the words of a command that imports a file. */
function createCommand({ directory }: Service, user: string, file: string, ...more: string[]): string[] {
  return ['import-data', user, file, '--json', `--dataDir=${directory}`, ...more]
}

/** Stores the table as a file. */
function createFile(t: Test): string {
  const file = join(t.testdir(), 'data.csv')
  writeFileSync(file, table())
  return file
}

const commandTest = inRotation(t, 2)
commandTest('coffer import-data, through a running service', async t => {
  const service = await coffer(t, { workers: 0 })
  const { alice } = service
  const file = createFile(t)
  const words = createCommand(service, 'alice', file)
  const looked = await command([...words, '--look'])
  t.equal(looked.code, 0, looked.errors)
  t.match(JSON.parse(looked.output), whole)
  t.same((await alice.do('imports.get')).imports, [], 'a review through the service leaves nothing')
  const running = await command(words)
  t.equal(running.code, 0, running.errors)
  t.match(JSON.parse(running.output), whole)
  await assertHoldsAll(t, alice)
  const known = await command(words)
  t.match(JSON.parse(known.output), { broughtIn: {}, known: whole.broughtIn })
  t.match(await command(createCommand(service, 'nobody', file)), { code: 1, errors: 'Unknown user "nobody"' })
})

commandTest('coffer import-data', async t => {
  const service = await coffer(t, { workers: 0 })
  const file = createFile(t)
  await service.server.close()
  const words = createCommand(service, 'alice', file)
  const run = async (...more: string[]): Promise<Answer> => {
    const { code, errors, output } = await command([...words, ...more])
    t.equal(code, 0, errors)
    return JSON.parse(output)
  }
  const told = {
    format: 'csv',
    records: { row: events + points },
    from: 1e9,
    to: 1.7e9 + points - 1,
    seconds: Number
  }
  t.match(await run('--look'), { ...told, ...whole })
  t.match(await run(), { ...told, ...whole })
  const again = await run()
  t.match(again, { ...told, broughtIn: {}, known: whole.broughtIn })
  t.equal(total(again.broughtIn), 0)
  t.same(Object.keys(again), ['format', 'records', 'broughtIn', 'known', 'leftOut', 'from', 'to', 'seconds'])
  writeFileSync(file, '<html>')
  t.match(await command(words), { code: 1, errors: /web page/ })
  const client = await restarted(t, service, service.alice)
  await assertHoldsAll(t, client)
  t.equal(
    (await client.do('imports.get')).imports.filter(({ state }: Answer) => state === 'written').length,
    2
  )
})

t.test('files that are never imported expire', async t => {
  const service = await coffer(t, { workers: 0 })
  const { clock } = service
  // Its access lasts longer than a session.
  const app = await service.alice.grantAll([{ streamId: '*', level: 'manage' }], { type: 'app' })
  const old = await sent(app, 'a.csv', 'time,weight (kg)\n2024-01-01,70\n2024-01-02,70\n')
  clock.advance(20 * 86_400)
  const young = await sent(app, 'b.csv', 'time,weight (kg)\n2024-01-01,71\n2024-01-02,70\n')
  clock.advance(11 * 86_400)
  await service.server.close()
  const client = await restarted(t, service, app)
  let found = await rested(client, old.id)
  for (const until = Date.now() + 20_000; found.state !== 'failed' && Date.now() < until;) {
    await new Promise(setImmediate)
    found = await rested(client, old.id)
  }
  t.match(found, { state: 'failed', message: /30 days/ })
  t.match(await client.call('imports.run', { id: old.id }), { error: { id: 'invalid-operation' } })
  t.equal((await written(client, young.id)).state, 'written')
})
