/** What the servers of a cluster's engine hold in memory while many accounts rest. */
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { appendUntilConfirmed } from '../../../cluster/append-until-confirmed.js'
import { accountSubject, shardCount } from '../../../cluster/nats/subjects.js'
import { createId } from '../../../core/ids.js'
import { until } from '../../../test/cluster/engine-servers.js'
import type { Bench } from '../bench.js'
import { BenchCluster } from '../cluster.js'
import { residentMb } from '../load/statistics.js'
import { measure, type Line } from '../table.js'

/** Bytes of the first record of an account: its file as it is made, deflated. */
const recordBytes = 9000
/** Records under way at a time. */
const atOnce = 256
/**
 * Memory has come to rest when it has not got less, by more than a part, for so long; it is looked at every `everyMs`. Go collects
 * at rest every two minutes, and takes buffers out of pools at the second time only.
 */
const atRest = { part: 0.02, ms: 360_000, everyMs: 15_000 }
/** Most memory of a server at rest, in MB. */
const mostMb = 300
/** Longest time until a server that was restarted has what the others have, in milliseconds. */
const patienceMs = 300_000

/** Measures with 100,000 accounts; with a tenth of them if `quick`. */
export async function measureEngineMemory({ directory, options }: Bench): Promise<Line[]> {
  const count = options.quick ? 10_000 : 100_000
  const cluster = await BenchCluster.start(directory)
  try {
    const { engine, servers } = cluster
    await servers.makeStreams(engine, true)
    const empty = memoryOf(cluster)
    const bytes = randomBytes(recordBytes)
    let next = 0
    const write = async (): Promise<void> => {
      for (let index = next++; index < count; index = next++)
        await appendUntilConfirmed({
          log: engine,
          subject: accountSubject(index % shardCount, createId()),
          expected: 0,
          bytes,
          isCancelled: () => false
        })
    }
    await Promise.all(Array.from({ length: atOnce }, write))
    const written = memoryOf(cluster)
    for (let index = 0; index < servers.count; index++) {
      await servers.stop(index)
      await servers.restart(index)
      await until(
        'the server to have what the others have',
        async () => (await fetch(`${servers.monitors[index]}/healthz`)).ok,
        patienceMs
      )
    }
    const started = memoryOf(cluster)
    return [
      measure('a server without accounts: memory, MB', empty),
      measure(`… right after ${count} accounts were written, MB`, written),
      measure(`… with ${count} accounts, right after a start, MB`, started),
      measure(`… and at rest, MB`, await memoryAtRest(cluster), mostMb)
    ]
  } finally {
    await cluster.stop()
  }
}

/** The memory of the server that takes most. */
function memoryOf({ serverPids }: BenchCluster): number {
  return Math.max(...serverPids.map(residentMb))
}

/** The memory once it does not get less any more: what a start has needed is given back over minutes. */
async function memoryAtRest(cluster: BenchCluster): Promise<number> {
  let least = memoryOf(cluster)
  let sinceMs = performance.now()
  while (performance.now() - sinceMs < atRest.ms) {
    await wait(atRest.everyMs)
    const now = memoryOf(cluster)
    if (now > least * (1 - atRest.part)) continue
    least = now
    sinceMs = performance.now()
  }
  return least
}
