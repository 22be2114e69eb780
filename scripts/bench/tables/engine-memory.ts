/** Memory of a cluster's engine servers with many idle accounts. */
import { randomBytes } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { appendUntilConfirmed } from '../../../cluster/append-until-confirmed.js'
import { accountSubject, shardCount } from '../../../cluster/nats/subjects.js'
import { createId } from '../../../core/ids.js'
import { until } from '../../../test/cluster/engine-servers.js'
import type { Bench } from '../bench.js'
import { BenchCluster } from '../cluster.js'
import { getResidentMb } from '../load/statistics.js'
import { createLine, type Line } from '../table.js'

/** Bytes of the first record of an account: its initial file, deflated. */
const recordBytes = 9000
/** Records written concurrently. */
const maxConcurrentWrites = 256
/**
 * Memory has settled when it has not decreased by more than a fraction for this long; it is checked every `everyMs`. When idle, Go
 * collects garbage every two minutes, and releases pooled buffers only the second time.
 */
const settled = { fraction: 0.02, ms: 360_000, everyMs: 15_000 }
/** Maximum memory of an idle server, in MB. */
const maxMb = 300
/** Maximum time until a restarted server has caught up with the others, in milliseconds. */
const catchUpTimeoutMs = 300_000

/** Measures with 100,000 accounts, or a tenth of them if `quick`. */
export async function measureEngineMemory({ directory, options }: Bench): Promise<Line[]> {
  const count = options.quick ? 10_000 : 100_000
  const cluster = await BenchCluster.start(directory)
  try {
    const { engine, servers } = cluster
    await servers.makeStreams(engine, true)
    const empty = getLargestMb(cluster)
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
    await Promise.all(Array.from({ length: maxConcurrentWrites }, write))
    const written = getLargestMb(cluster)
    for (let index = 0; index < servers.count; index++) {
      await servers.stop(index)
      await servers.restart(index)
      await until(
        'the server to catch up with the others',
        async () => (await fetch(`${servers.monitors[index]}/healthz`)).ok,
        catchUpTimeoutMs
      )
    }
    const started = getLargestMb(cluster)
    return [
      createLine('a server without accounts: memory, MB', empty),
      createLine(`… right after ${count} accounts were written, MB`, written),
      createLine(`… with ${count} accounts, right after a start, MB`, started),
      createLine(`… and when idle, MB`, await waitForSettledMb(cluster), maxMb)
    ]
  } finally {
    await cluster.stop()
  }
}

/** Returns the memory of the largest server, in MB. */
function getLargestMb({ serverPids }: BenchCluster): number {
  return Math.max(...serverPids.map(getResidentMb))
}

/** Returns the memory of the largest server once it no longer decreases: what a start needed is released over minutes. */
async function waitForSettledMb(cluster: BenchCluster): Promise<number> {
  let least = getLargestMb(cluster)
  let sinceMs = performance.now()
  while (performance.now() - sinceMs < settled.ms) {
    await wait(settled.everyMs)
    const now = getLargestMb(cluster)
    if (now > least * (1 - settled.fraction)) continue
    least = now
    sinceMs = performance.now()
  }
  return least
}
