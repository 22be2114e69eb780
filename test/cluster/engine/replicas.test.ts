/** A replica that has lost records is detected, does not lead, and raises an alarm. */
import { readdirSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import type { Alarm } from '../../../cluster/alarm.js'
import { EngineUnavailable } from '../../../cluster/engine.js'
import { EngineMonitor } from '../../../cluster/nats/engine-monitor.js'
import { createAlarms, Replicas, createReport, type Replica } from '../../../cluster/nats/replicas.js'
import { EngineServers, until } from '../engine-servers.js'

t.setTimeout(900_000)

const stream = 'COFFER_WAL_00'
const log = 'coffer.wal.00.one'

/** Parses a replica from text: server, messages, first, last. */
function copy(text: string): Replica {
  const [server = '', messages, first, last] = text.split(' ')
  return { server, leader: 'a', messages: Number(messages), first: Number(first), last: Number(last) }
}

/** Comparisons of replicas: those that are complete, and those that are not. */
const cases: readonly [name: string, looks: readonly string[], complete: string, incomplete: string][] = [
  ['all agree', ['a 10 1 10, b 10 1 10, c 10 1 10'], 'a b c', ''],
  ['one is down, and the others agree', ['a 10 1 10, b 10 1 10'], 'a b', ''],
  ['one alone', ['a 10 1 10', 'a 10 1 10'], '', ''],
  ['one lags behind', ['a 10 1 10, b 10 1 10, c 8 1 8', 'a 12 1 12, b 12 1 12, c 10 1 10'], 'a b', ''],
  ['one has lost some', ['a 10 1 10, b 7 1 10, c 10 1 10', 'a 10 1 10, b 7 1 10, c 10 1 10'], 'a c', 'b'],
  [
    'one has lost the first',
    ['a 10 1 10, b 7 4 10, c 10 1 10', 'a 10 1 10, b 7 4 10, c 10 1 10'],
    'a c',
    'b'
  ],
  [
    'one is trimmed a moment earlier',
    ['a 10 1 10, b 7 4 10, c 10 1 10', 'a 7 4 10, b 7 4 10, c 7 4 10'],
    'a b c',
    ''
  ],
  ['two have lost some', ['a 10 1 10, b 7 1 10, c 7 1 10', 'a 10 1 10, b 7 1 10, c 7 1 10'], '', 'b c'],
  ['of two, one has lost some', ['a 10 1 10, b 7 1 10', 'a 10 1 10, b 7 1 10'], '', 'b'],
  ['all differ', ['a 10 1 10, b 9 1 10, c 8 1 10', 'a 10 1 10, b 9 1 10, c 8 1 10'], '', 'b c'],
  [
    'they can be compared later',
    ['a 10 1 10, b 9 1 9, c 8 1 8', 'a 12 1 12, b 12 1 12, c 11 1 12', 'a 14 1 14, b 14 1 14, c 13 1 14'],
    'a b',
    'c'
  ]
]

t.test('compares replicas', async t => {
  for (const [name, looks, complete, incomplete] of cases) {
    const report = createReport(
      stream,
      looks.map(look => look.split(', ').map(copy))
    )
    t.match(
      report,
      {
        leader: 'a',
        complete: complete.split(' ').filter(Boolean),
        incomplete: incomplete.split(' ').filter(Boolean)
      },
      name
    )
    t.equal(createAlarms([report]).length > 0, incomplete !== '', name)
  }
})

t.test('a damaged replica', async t => {
  const servers = await EngineServers.start(t)
  const engine = await servers.connect(t)
  await servers.makeStreams(engine)
  const replicas = new Replicas(engine, servers.monitors)

  let last = 0
  const write = async (count: number): Promise<void> => {
    for (let index = 0; index < count; index++)
      last = await engine.append(log, last, Buffer.alloc(200_000, index))
  }
  await write(200)
  await replicas.waitUntilComplete(stream, 20_000)
  t.same(await replicas.repairLeaders(), [], 'sound copies are no trouble')

  const damaged = (await servers.leaderOf(stream)) === 0 ? 1 : 0
  const name = `n${damaged + 1}`
  // Not killed, or it would recover the records by replay.
  await servers.stop(damaged)
  const folder = join(servers.streamFolder(damaged, stream), 'msgs')
  const block = join(
    folder,
    readdirSync(folder)
      .filter(file => file.endsWith('.blk'))
      .toSorted()[0]!
  )
  truncateSync(block, Math.floor(statSync(block).size / 2))
  await replicas.waitUntilComplete(stream, 20_000)
  await servers.restart(damaged)
  await until('the log is written again', async () => {
    try {
      last = (await engine.last(log))!.sequence
      await write(5)
      return true
    } catch {
      return false
    }
  })

  let alarms: Alarm[] = []
  await until('it is found', async () => (alarms = await replicas.repairLeaders()).length > 0)
  t.match(alarms, [
    { kind: 'replica', about: name, text: new RegExp(`^${name} lacks records of ${stream} that`) }
  ])

  await until('it leads', async () => {
    await servers.askToLead(damaged, stream, engine)
    return (await servers.leaderOf(stream)) === damaged
  })
  await replicas.waitUntilComplete(stream, 30_000)
  t.not(await servers.leaderOf(stream), damaged, 'a sound one leads now')
  const entries = await engine.read(log, 0, 10)
  t.ok(entries.length > 0)

  const sound = [0, 1, 2].find(index => index !== damaged)!
  await servers.kill(sound)
  await t.rejects(
    replicas.waitUntilComplete(stream, 2000),
    EngineUnavailable,
    'a sound one is not believed alone'
  )
  await servers.restart(sound)

  await servers.stop(damaged)
  rmSync(servers.streamFolder(damaged, stream), { recursive: true })
  await servers.restart(damaged)
  await until('what the alarm says has helped', async () => {
    const [report] = await replicas.compare([stream])
    return report?.complete.includes(name) === true
  })
  t.same(await replicas.repairLeaders(), [])

  // What is visible without asking each server.
  const care = new EngineMonitor(engine)
  const seen = async (): Promise<readonly Alarm[] | undefined> =>
    (await care.inspect().catch(() => undefined))?.alarms
  await until('all servers to have all', async () => (await seen())?.length === 0)
  await servers.kill(damaged)
  await until(
    'one to be missed',
    async () => (await seen())?.some(({ about, kind }) => kind === 'replica' && about === 'streams') === true
  )
  await servers.restart(damaged)
  await until('all servers to have all', async () => (await seen())?.length === 0)
  const { streams } = await care.inspect()
  t.match(
    streams.find(each => each.stream === stream),
    { current: 3, messages: Number, bytes: Number, limitBytes: 64 * 1024 * 1024 }
  )
})
