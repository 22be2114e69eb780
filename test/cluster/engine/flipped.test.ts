/** Flipped bits in a log's last record on its leader's disk: another server leads, and an alarm is raised. */
import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import t from 'tap'
import type { Alarm } from '../../../cluster/alarm.js'
import { appendUntilConfirmed } from '../../../cluster/append-until-confirmed.js'
import { EngineUnavailable } from '../../../cluster/engine.js'
import { EngineMonitor } from '../../../cluster/nats/engine-monitor.js'
import type { NatsEngine } from '../../../cluster/nats-engine.js'
import { EngineServers, until } from '../engine-servers.js'
import { damages } from '../machines/damage.js'

t.setTimeout(600_000)

const stream = 'COFFER_WAL_00'
const [subject, other] = ['coffer.wal.00.one', 'coffer.wal.00.other']
const flipped = damages.find(({ what }) => what === "bits in the account's last record")!

t.test('a leader hands over a log whose last record it cannot read', async t => {
  const servers = await EngineServers.start(t)
  const engine = await servers.connect(t)
  await servers.makeStreams(engine)
  const care = new EngineMonitor(engine, servers.monitors)
  const append = async (to: string, expected: number, fill: number): Promise<number> =>
    await engine.append(to, expected, Buffer.alloc(5000, fill))
  let sequence = 0
  for (let fill = 1; fill <= 10; fill++) sequence = await append(subject, sequence, fill)
  await append(other, 0, 1)
  const damaged = ((await servers.leaderOf(stream)) + 1) % servers.count
  const name = `n${damaged + 1}`
  await servers.stop(damaged)
  flipped.make({ folder: servers.streamFolder(damaged, stream), subject })
  await servers.restart(damaged)
  await lead(servers, engine, damaged)

  // As the node that serves the account does, and as a node that takes it over.
  const bytes = Buffer.alloc(5000, 11)
  const appended = appendUntilConfirmed({
    log: engine,
    subject,
    expected: sequence,
    bytes,
    isCancelled: () => false
  })
  const last = async (): Promise<number | undefined> => {
    try {
      return (await engine.last(subject))?.sequence ?? 0
    } catch (error) {
      if (!(error instanceof EngineUnavailable)) throw error
      return undefined
    }
  }
  const ends = new Set<number>()
  await until('another server to lead', async () => {
    const end = await last()
    if (end !== undefined) ends.add(end)
    return (await servers.leaderOf(stream)) !== damaged && end !== undefined
  })
  t.notOk(ends.has(0), 'nobody is told that there is no log')
  t.ok((await appended) > sequence, 'the log goes on')
  t.equal(await engine.last('coffer.wal.00.nobody'), undefined)
  t.match(await engine.last(other), { subject: other })

  const alarms = async (): Promise<readonly Alarm[]> =>
    (await care.inspect()).alarms.filter(({ about }) => about === name)
  t.match(await alarms(), [{ kind: 'replica', text: new RegExp(`${name} lacks records of ${stream}`) }])
  t.equal((await alarms()).length, 1, 'for as long as nothing is done')
  // What the documentation advises the operator to do.
  await servers.stop(damaged)
  rmSync(servers.streamFolder(damaged, stream), { recursive: true })
  await servers.restart(damaged)
  await until('the alarm to end', async () => (await alarms()).length === 0)
  await lead(servers, engine, damaged)
  await until('it to know what comes last', async () => (await last()) === (await appended))
  t.same(await alarms(), [])
})

/** Makes a server lead the stream. */
async function lead(servers: EngineServers, engine: NatsEngine, index: number): Promise<void> {
  await until('it to have all', async () => {
    const answer = await fetch(`${servers.monitors[index]!}/healthz`).catch(() => undefined)
    return answer?.ok === true
  })
  await until('it to lead', async () => {
    const leader = await servers.leaderOf(stream)
    if (leader === index) return true
    await servers.askToLead(index, stream, engine)
    // Handing over takes time, and may fail.
    for (let left = 40; left > 0 && (await servers.leaderOf(stream)) === leader; left--) await wait(50)
    return false
  })
}
