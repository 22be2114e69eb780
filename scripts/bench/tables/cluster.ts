/** The cost of a cluster: calls to a node and to a single service, on copies of the same accounts. */
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { BenchCluster } from '../cluster.js'
import type { RequestSpec } from '../load/request-spec.js'
import type { Figures, Subject } from '../load/meter.js'
import { ServiceProcess } from '../load/service-process.js'
import { createEventParams } from '../seed/sample.js'
import { rootStream, withSeeder, type SeededUser } from '../seed/seeder.js'
import type { Line } from '../table.js'

/** Number of users who write and who read, and of events of each reader. */
const [writerCount, readerCount, eventCount] = [200, 50, 1000]

/** A kind of call to measure. */
interface Call {
  readonly name: string
  readonly who: keyof ClusterUsers
  readonly connections: number
  readonly isWrite: boolean
  /** Minimum ratio of the single service's CPU time to that in the cluster. */
  readonly ratio?: number
}

export interface ClusterUsers {
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
const forwardedName = 'events.get 20 at another node, one at a time'
/** More rounds than usual: each write waits for engine servers, so compiling all code takes longer. */
export const warmUpRounds = 20
/** Maximum CPU time of an engine server per write, in microseconds. */
const maxServerUs = 130
/** Maximum additional latency of a call that another node forwards, in milliseconds. */
const maxForwardingMs = 0.5

/** Measures calls at a node that serves all users, then reads that another node forwards to it. */
export async function measureCluster(bench: Bench): Promise<Line[]> {
  const { meter, options } = bench
  const { folders, people } = await createUsers(bench, 'cluster', ['alone', 'n1'])
  const [aloneFolder, firstFolder] = folders as [string, string]
  const cluster = await BenchCluster.start(bench.directory, options.nodeOptions)
  try {
    await cluster.initialize(firstFolder)
    const first = await cluster.node('n1', firstFolder)
    const alone = await ServiceProcess.start(aloneFolder, options.nodeOptions)
    try {
      const wanted = calls.filter(({ name }) => name.includes(options.part))
      const subjects = wanted.flatMap((call): Subject[] => {
        const { connections, name } = call
        const requests = people[call.who].map(user => createRequest(user, call.isWrite))
        return [
          { name: `${name}, alone`, requests, connections, pid: alone.pid, port: alone.port },
          {
            name,
            requests,
            connections,
            pid: first.pid,
            port: first.port,
            dependentPids: cluster.serverPids,
            warmUpRounds
          }
        ]
      })
      await meter.waitUntilIdle(alone.pid)
      await meter.measureInTurns(subjects, options.rounds, options.seconds)
      const lines = wanted.map(call => toLine(bench, call))
      if (!forwardedName.includes(options.part)) return lines
      return [...lines, await measureForwarding(bench, cluster, first, people)]
    } finally {
      await alone.stop()
    }
  } finally {
    await cluster.stop()
  }
}

/** Creates users, and for each name in `copies` a data directory with copies of them. */
export async function createUsers(
  { directory }: Bench,
  name: string,
  copies: readonly string[]
): Promise<{ readonly people: ClusterUsers; readonly folders: readonly string[] }> {
  const [first, ...others] = copies.map(copy => join(directory, `${name}-${copy}`)) as [string, ...string[]]
  const people = await withSeeder(first, async seeder => ({
    writers: await seeder.createUsers('writer', writerCount),
    busy: await seeder.createUsers('busy', 1),
    readers: await seeder.createUsers('reader', readerCount, { events: eventCount })
  }))
  for (const other of others) cpSync(first, other, { recursive: true })
  return { people, folders: [first, ...others] }
}

/** Creates a request of a user that writes or reads. */
export function createRequest({ token, username }: SeededUser, isWrite: boolean): RequestSpec {
  if (isWrite) return { path: `/${username}/events`, token, body: createEventParams(rootStream) }
  return { path: `/${username}/events?limit=20`, token }
}

function toLine({ meter }: Bench, { isWrite, name, ratio }: Call): Line {
  const [ours, alone] = [meter.figures(name), meter.figures(`${name}, alone`)]
  const figures = compare(ours, alone)
  const targets = [
    ...(ratio === undefined ? [] : [`CPU ≥ ${ratio}`]),
    ...(isWrite ? [`server ≤ ${maxServerUs} µs`] : [])
  ]
  const isTargetMet =
    figures['CPU ratio'] >= (ratio ?? 0) && (!isWrite || figures['server µs'] <= maxServerUs)
  return { name, figures, ...(targets.length > 0 && { target: targets.join(', '), isTargetMet }) }
}

function compare(ours: Figures, alone: Figures) {
  return {
    'CPU µs': ours.cpuUs,
    'alone µs': alone.cpuUs,
    'CPU ratio': alone.cpuUs / ours.cpuUs,
    'server µs': ours.dependentCpuUs / 3,
    'req/s': ours.perSecond,
    'alone/s': alone.perSecond,
    'p50 ms': ours.p50Ms,
    'alone p50': alone.p50Ms
  }
}

/** Measures reads, one at a time, that a second node forwards to the first, against the same reads at the first ("alone"). */
async function measureForwarding(
  { directory, meter, options }: Bench,
  cluster: BenchCluster,
  first: ServiceProcess,
  { readers }: ClusterUsers
): Promise<Line> {
  const folder = join(directory, 'cluster-n2')
  mkdirSync(folder)
  const second = await cluster.node('n2', folder)
  const owners = await cluster.getOwners(readers.map(({ username }) => username))
  const requests = readers
    .filter((_, index) => owners[index]!.target === first)
    .map(user => createRequest(user, false))
  const directName = 'events.get 20 at its own'
  const shared = { requests, connections: 1, pid: [first.pid, second.pid], dependentPids: cluster.serverPids }
  const subjects = [
    { ...shared, name: directName, port: first.port },
    { ...shared, name: forwardedName, port: second.port }
  ]
  await meter.measureInTurns(subjects, options.rounds, options.seconds)
  const [forwarded, direct] = [meter.figures(forwardedName), meter.figures(directName)]
  return {
    name: forwardedName,
    figures: compare(forwarded, direct),
    target: `p50 ≤ +${maxForwardingMs} ms`,
    isTargetMet: forwarded.p50Ms <= direct.p50Ms + maxForwardingMs
  }
}
