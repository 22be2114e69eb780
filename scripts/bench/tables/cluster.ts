/** What a cluster costs: its calls beside those of a service that is alone, on copies of the same accounts. */
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { BenchCluster } from '../cluster.js'
import type { Ask } from '../load/ask.js'
import type { Subject } from '../load/meter.js'
import { Target } from '../load/target.js'
import { postedEvent } from '../seed/sample.js'
import { rootStream, seeded, type SeededUser } from '../seed/seeder.js'
import type { Line } from '../table.js'

/** Users who write, and who read; events of each of the latter. */
const [writerCount, readerCount, eventCount] = [200, 50, 1000]

/** What is asked, by whom, how many at a time. */
interface Call {
  readonly name: string
  readonly who: keyof People
  readonly connections: number
  readonly isWrite: boolean
  /** Least CPU time alone by that in a cluster. */
  readonly ratio?: number
}

export interface People {
  readonly writers: readonly SeededUser[]
  readonly busy: readonly SeededUser[]
  readonly readers: readonly SeededUser[]
}

const calls: readonly Call[] = [
  { name: 'events.create, 200 users', who: 'writers', connections: 64, isWrite: true, ratio: 0.4 },
  { name: 'events.create, one busy user', who: 'busy', connections: 64, isWrite: true, ratio: 0.55 },
  { name: 'events.create, one at a time', who: 'writers', connections: 1, isWrite: true },
  { name: 'events.get 20', who: 'readers', connections: 64, isWrite: false, ratio: 0.97 },
  { name: 'events.get 20, one at a time', who: 'readers', connections: 1, isWrite: false }
]
const further = 'events.get 20 at another node, one at a time'
/** Each record waits for servers: it takes longer until all code has been compiled. */
export const warmUpRounds = 20
/** Most CPU time of a server of the engine for a write, in microseconds. */
const serverUs = 130
/** Most time by which a call at another node takes longer, in milliseconds. */
const furtherMs = 0.5

/** Measures calls at a node that serves all users, and then reads at another one. */
export async function measureCluster(bench: Bench): Promise<Line[]> {
  const { meter, options } = bench
  const { folders, people } = await makePeople(bench, 'cluster', ['alone', 'n1'])
  const [aloneFolder, firstFolder] = folders as [string, string]
  const cluster = await BenchCluster.start(bench.directory, options.nodeOptions)
  try {
    await cluster.begin(firstFolder)
    const first = await cluster.node('n1', firstFolder)
    const alone = await Target.start(aloneFolder, options.nodeOptions)
    try {
      const wanted = calls.filter(({ name }) => name.includes(options.part))
      const subjects = wanted.flatMap((call): Subject[] => {
        const { connections, name } = call
        const asks = people[call.who].map(user => askOf(user, call.isWrite))
        return [
          { name: `${name}, alone`, asks, connections, pid: alone.pid, port: alone.port },
          {
            name,
            asks,
            connections,
            pid: first.pid,
            port: first.port,
            behind: cluster.serverPids,
            warmUpRounds
          }
        ]
      })
      await meter.untilIdle(alone.pid)
      await meter.interleave(subjects, options.rounds, options.seconds)
      const lines = wanted.map(call => lineOf(bench, call))
      if (!further.includes(options.part)) return lines
      return [...lines, await furtherLine(bench, cluster, first, people)]
    } finally {
      await alone.stop()
    }
  } finally {
    await cluster.stop()
  }
}

/** Makes users, and so many folders with the same of them. */
export async function makePeople(
  { directory }: Bench,
  name: string,
  copies: readonly string[]
): Promise<{ readonly people: People; readonly folders: readonly string[] }> {
  const [first, ...others] = copies.map(copy => join(directory, `${name}-${copy}`)) as [string, ...string[]]
  const people = await seeded(first, async seeder => ({
    writers: await seeder.users('writer', writerCount),
    busy: await seeder.users('busy', 1),
    readers: await seeder.users('reader', readerCount, { events: eventCount })
  }))
  for (const other of others) cpSync(first, other, { recursive: true })
  return { people, folders: [first, ...others] }
}

/** A write or a read of a user. */
export function askOf({ token, username }: SeededUser, isWrite: boolean): Ask {
  if (isWrite) return { path: `/${username}/events`, token, body: postedEvent(rootStream) }
  return { path: `/${username}/events?limit=20`, token }
}

function lineOf({ meter }: Bench, { isWrite, name, ratio }: Call): Line {
  const [ours, alone] = [meter.figures(name), meter.figures(`${name}, alone`)]
  const cpuRatio = alone.cpuUs / ours.cpuUs
  const aims = [
    ...(ratio === undefined ? [] : [`CPU ≥ ${ratio}`]),
    ...(isWrite ? [`server ≤ ${serverUs} µs`] : [])
  ]
  const isMet = cpuRatio >= (ratio ?? 0) && (!isWrite || ours.behindUs / 3 <= serverUs)
  return {
    name,
    figures: {
      'CPU µs': ours.cpuUs,
      'alone µs': alone.cpuUs,
      'CPU ratio': cpuRatio,
      'server µs': ours.behindUs / 3,
      'req/s': ours.perSecond,
      'alone/s': alone.perSecond,
      'p50 ms': ours.p50Ms,
      'alone p50': alone.p50Ms
    },
    ...(aims.length > 0 && { aim: aims.join(', '), isMet })
  }
}

/** Reads of users whom the first node serves, one at a time, asked for at another node and, for "alone", at their own. */
async function furtherLine(
  { directory, meter, options }: Bench,
  cluster: BenchCluster,
  first: Target,
  { readers }: People
): Promise<Line> {
  const folder = join(directory, 'cluster-n2')
  mkdirSync(folder)
  const second = await cluster.node('n2', folder)
  const owners = await cluster.ownersOf(readers.map(({ username }) => username))
  const asks = readers.filter((_, index) => owners[index]!.target === first).map(user => askOf(user, false))
  const there = 'events.get 20 at its own'
  const shared = { asks, connections: 1, pid: [first.pid, second.pid], behind: cluster.serverPids }
  const subjects = [
    { ...shared, name: there, port: first.port },
    { ...shared, name: further, port: second.port }
  ]
  await meter.interleave(subjects, options.rounds, options.seconds)
  const [other, own] = [meter.figures(further), meter.figures(there)]
  return {
    name: further,
    figures: {
      'CPU µs': other.cpuUs,
      'alone µs': own.cpuUs,
      'CPU ratio': own.cpuUs / other.cpuUs,
      'server µs': other.behindUs / 3,
      'req/s': other.perSecond,
      'alone/s': own.perSecond,
      'p50 ms': other.p50Ms,
      'alone p50': own.p50Ms
    },
    aim: `p50 ≤ +${furtherMs} ms`,
    isMet: other.p50Ms <= own.p50Ms + furtherMs
  }
}
