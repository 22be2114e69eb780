/** 100,000 rules of 20,000 accounts: a start, what they cost with each write, and how long an alert takes. */
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import SQLite from 'better-sqlite3'
import { createState } from '../../../core/rules/episodes.js'
import { createId } from '../../../core/ids.js'
import type { Rule } from '../../../schemas/rule.js'
import { Layout } from '../../../storage/files/layout.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import type { Bench } from '../bench.js'
import { send } from '../load/client.js'
import type { Subject } from '../load/meter.js'
import { ServiceProcess } from '../load/service-process.js'
import { getCpuUs, getResidentMb, percentile } from '../load/statistics.js'
import type { RequestSpec } from '../load/request-spec.js'
import { createEventParams } from '../seed/sample.js'
import {
  addAccountCopies,
  createEvent,
  insertStream,
  rootStream,
  seedTime,
  withSeeder,
  type SeededUser
} from '../seed/seeder.js'
import { createLine, type Line } from '../table.js'

const accounts = 20_000
/** Accounts that are written, and whose alerts are timed: few enough that their files stay open. */
const used = 30
const alerts = 200
const connections = 4
/** Seconds until the files that the first start has opened have been closed, checkpointed, and noted as unchanged. */
const restS = 270
/** Maximum share of a write that rules on other measures may cost, microseconds of one on the measure, and seconds until an alert. */
const limits = { share: 1.05, extraUs: 30, alertS: 1 }
/** Measures that are not written: four rules of each account. */
const others = ['weight', 'heart-rate', 'body-temperature', 'height'] as const
const kinds = ['without', 'other', 'own'] as const
type Kind = (typeof kinds)[number]
type Users = Record<Kind, SeededUser[]>

/** Measures three starts, then writes and alerts. */
export async function measureManyRules(bench: Bench): Promise<Line[]> {
  const { directory, options } = bench
  const dataDir = `${directory}/many-rules`
  const count = options.quick ? accounts / 10 : accounts
  const users = await createUsers(dataDir, count)

  const lines: Line[] = []
  // The first start opens all accounts: none has been seen at rest.
  for (const name of ['first start', 'start after a stop', 'start after a crash']) {
    const service = await ServiceProcess.start(dataDir, options.nodeOptions)
    const { pid, startSeconds } = service
    while (!(await isIdle(pid)));
    lines.push(
      createLine(`${name}: first response, ms`, startSeconds * 1000),
      createLine(`${name}: CPU until idle, ms`, getCpuUs(pid) / 1000),
      createLine(`${name}: memory, MB`, getResidentMb(pid))
    )
    if (name === 'first start') {
      await wait(restS * 1000)
      await service.stop()
    } else if (name === 'start after a stop') process.kill(pid, 'SIGKILL')
    else {
      lines.push(
        ...(await measureWrites(bench, service, users)),
        ...(await timeAlerts(bench, service, users))
      )
      await service.stop()
    }
  }
  return lines
}

/** Creates accounts as copies of one of each kind. All have rules, except those of the kind `without`. */
async function createUsers(dataDir: string, count: number): Promise<Users> {
  const counts = { without: used, other: used, own: count }
  const users: Partial<Users> = {}
  const first = await withSeeder(dataDir, async seeder => {
    const created: Partial<Record<Kind, SeededUser>> = {}
    for (const kind of kinds) {
      const insertStreams = (store: UserStore): void => {
        insertStream(store, rootStream, null)
        for (const measure of listMeasures(kind)) store.rules.put(createRule(store, measure))
      }
      const shape = { accesses: [], insertStreams, event: () => createEvent(rootStream, seedTime) }
      created[kind] = await seeder.createUser(kind, { shape })
    }
    return created as Record<Kind, SeededUser>
  })
  for (const kind of kinds) {
    const names = Array.from({ length: counts[kind] }, (_, i) => `${kind}${i}`)
    addAccountCopies(dataDir, first[kind], names)
    users[kind] = names.map(username => ({ ...first[kind], username }))
  }
  const platform = new SQLite(new Layout(dataDir).platformFile)
  platform.exec('INSERT OR IGNORE INTO timed_account (account) SELECT id FROM account')
  platform.close()
  return users as Users
}

function listMeasures(kind: Kind): readonly string[] {
  return kind === 'without' ? [] : kind === 'other' ? others : [...others, 'blood-pressure']
}

/** Creates a rule with a limit that is not reached. */
function createRule(store: UserStore, measure: string): Parameters<UserStore['rules']['put']>[0] {
  const { id: accessId } = [...store.accesses.list()].find(({ type }) => type === 'personal')!
  const rule: Rule = {
    id: createId(),
    accessId,
    name: 'bench',
    condition: { kind: 'above', measure, value: 1000 },
    channelIds: [],
    isActive: true,
    urgency: 'normal',
    showsValues: false,
    tellsRecovery: false,
    evenWhenQuiet: false,
    zone: 'UTC',
    atMostEvery: 3600,
    created: seedTime,
    createdBy: accessId,
    modified: seedTime,
    modifiedBy: accessId
  }
  return { rule, state: createState(seedTime) }
}

/** Measures writes of accounts without rules, with rules on other measures, and with one on the written measure. */
async function measureWrites(
  { meter, options }: Bench,
  service: ServiceProcess,
  users: Users
): Promise<Line[]> {
  const { pid, port } = service
  const subjects = kinds.map((kind): Subject => {
    const requests = users[kind].slice(0, used).map(user => toWrite(user))
    return { name: kind, pid, port, requests, connections }
  })
  await meter.measureInTurns(subjects, options.rounds, options.seconds)
  const [without, other, own] = kinds.map(kind => meter.figures(kind).cpuUs) as [number, number, number]
  return [
    createLine('events.create without rules, µs', without),
    createLine('with rules on other measures', other, without * limits.share),
    createLine('with one on its measure, too', own, without + limits.extraUs)
  ]
}

/** Returns whether a process uses little CPU time for a second. */
async function isIdle(pid: number): Promise<boolean> {
  const before = getCpuUs(pid)
  await wait(1000)
  return getCpuUs(pid) - before <= 20_000
}

/** Measures how long it takes after a write until its rule fires, in accounts that were at rest, while others are written. */
async function timeAlerts(bench: Bench, service: ServiceProcess, users: Users): Promise<Line[]> {
  const { origin, pid, port } = service
  const requests = users.without.slice(0, used).map(user => toWrite(user))
  const load = { isDone: false }
  const loading = (async () => {
    const subject: Subject = { name: 'load', pid, port, requests, connections }
    while (!load.isDone) await bench.meter.takeSample(subject, 0.5)
  })()
  const delays: number[] = []
  for (const user of users.own.slice(used, used + alerts)) {
    await send(origin, toWrite(user, 2000))
    const startMs = performance.now()
    while (!(await isFiring(origin, user))) await wait(5)
    delays.push(performance.now() - startMs)
  }
  load.isDone = true
  await loading
  return [0.5, 0.99, 1].map(part =>
    createLine(
      part === 1 ? 'from a write to its alert, at most, ms' : `from a write to its alert, p${part * 100}, ms`,
      percentile(delays, part),
      limits.alertS * 1000
    )
  )
}

async function isFiring(origin: string, { token, username }: SeededUser): Promise<boolean> {
  return (await send(origin, { path: `/${username}/rules`, token })).text.includes('"isFiring":true')
}

function toWrite({ token, username }: SeededUser, systolic = 120): RequestSpec {
  return {
    path: `/${username}/events`,
    token,
    body: { ...createEventParams(rootStream), content: { systolic, diastolic: 80 } }
  }
}
