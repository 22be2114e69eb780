/** How one process, its threads, and two nodes of a cluster use several processors of one machine. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Bench } from '../bench.js'
import { BenchCluster } from '../cluster.js'
import type { Figures, Subject } from '../load/meter.js'
import { ServiceProcess } from '../load/service-process.js'
import type { Line } from '../table.js'
import { createRequest, createUsers, warmUpRounds, type ClusterUsers } from './cluster.js'

const calls = [
  { name: 'events.get 20', who: 'readers', isWrite: false },
  { name: 'events.create', who: 'writers', isWrite: true }
] as const
const connections = 64
/**
 * Maximum ratio of the CPU time of a read at the node that serves its user to the CPU time of a read in a single
 * process.
 */
const maxRatio = 1.15
/** The compared setups, in the order of the columns. */
const ways = ['one', 'threads', 'nodes'] as const

/** Measures one process, threads and nodes alternately. Calls are sent to the node that serves their user. */
export async function measureCores(bench: Bench): Promise<Line[]> {
  const { directory, meter, options } = bench
  const { folders, people } = await createUsers(bench, 'cores', ways)
  const [oneFolder, threadsFolder, nodesFolder] = folders as [string, string, string]
  const cluster = await BenchCluster.start(directory, options.nodeOptions)
  const started: ServiceProcess[] = []
  try {
    await cluster.initialize(nodesFolder)
    const nodes = [await cluster.node('n1', nodesFolder)]
    const otherFolder = join(directory, 'cores-n2')
    mkdirSync(otherFolder)
    nodes.push(await cluster.node('n2', otherFolder))
    const start = async (folder: string, workers: number): Promise<ServiceProcess> => {
      const target = await ServiceProcess.start(folder, options.nodeOptions, {
        COFFER_WORKERS: String(workers)
      })
      started.push(target)
      return target
    }
    const [one, threads] = [await start(oneFolder, 0), await start(threadsFolder, 2)]
    const subjects: Subject[] = []
    for (const { isWrite, name, who } of calls) {
      const asks = people[who].map(user => createRequest(user, isWrite))
      const owners = await cluster.getOwners(people[who].map(({ username }) => username))
      const directRequests = asks.map((ask, index) => ({ ...ask, port: owners[index]!.target.port }))
      subjects.push(
        { name: `${name}, one`, requests: asks, connections, pid: one.pid, port: one.port },
        { name: `${name}, threads`, requests: asks, connections, pid: threads.pid, port: threads.port },
        {
          name: `${name}, nodes`,
          requests: directRequests,
          connections,
          pid: nodes.map(({ pid }) => pid),
          port: nodes[0]!.port,
          dependentPids: cluster.serverPids,
          warmUpRounds
        }
      )
    }
    await meter.measureInTurns(subjects, options.rounds, options.seconds)
    return calls.map(({ name, who }) => toLine(bench, name, who))
  } finally {
    for (const target of started) await target.stop()
    await cluster.stop()
  }
}

/** Compares the three ways of serving by the figures of one row. */
function toLine({ meter }: Bench, name: string, who: keyof ClusterUsers): Line {
  const [one, threads, nodes] = ways.map(way => meter.figures(`${name}, ${way}`)) as [
    Figures,
    Figures,
    Figures
  ]
  const ratio = nodes.cpuUs / one.cpuUs
  return {
    name,
    figures: {
      'one µs': one.cpuUs,
      'threads µs': threads.cpuUs,
      'nodes µs': nodes.cpuUs,
      'engine µs': nodes.dependentCpuUs,
      'threads by one': threads.cpuUs / one.cpuUs,
      'nodes by one': ratio,
      'one/s': one.perSecond,
      'threads/s': threads.perSecond,
      'nodes/s': nodes.perSecond
    },
    // Writes depend on the cost of the engine's logs, which has its own target.
    ...(who === 'readers' && { target: `nodes by one ≤ ${maxRatio}`, isTargetMet: ratio <= maxRatio })
  }
}
