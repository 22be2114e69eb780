/** The effect of one user's heavy requests on the latency of another user's requests. */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import type { Bench } from '../bench.js'
import { createHeavyRequests, baseline, type HeavyRequest } from '../heavy-requests.js'
import type { RequestSpec } from '../load/request-spec.js'
import { Child } from '../load/child.js'
import type { LoadJob, LoadResult } from '../load/load.js'
import { ServiceProcess } from '../load/service-process.js'
import { createEventParams } from '../seed/sample.js'
import { rootStream, type SeededUser } from '../seed/seeder.js'
import { createNeighbourAccounts, type NeighbourAccounts } from '../seed/neighbour-accounts.js'
import type { Line } from '../table.js'

/** Maximum latency of the other user's requests, and maximum CPU time of a turn of the server's event loop. */
const aims = { p99Ms: 50, turnMs: 100 }
/** The other user's requests per second, and their maximum number in flight. */
const [pace, connections] = [100, 64]
/** Duration of the warm-up, in seconds. */
const warmUp = 2
/** A heavy request is repeated for this multiple of a measurement's duration, unless it can be done only once. */
const durationFactor = 5

/** Measures the latency of one user's requests while another user makes heavy requests. */
export async function measureNeighbours({ directory, options }: Bench): Promise<Line[]> {
  const { nodeOptions, part, quick, seconds } = options
  const dataDir = join(directory, 'neighbours')
  const turnsFile = join(directory, 'turns')
  const street = await createNeighbourAccounts(dataDir, quick)
  const wanted = createHeavyRequests().filter(({ name }) => name.toLowerCase().includes(part))
  const lines: Line[] = []
  for (const keepsHistory of [false, true]) {
    const things = wanted.filter(thing => (thing.keepsHistory ?? false) === keepsHistory)
    if (things.length === 0) continue
    const turns = new URL('../load/log-long-turns.js', import.meta.url).href
    const target = await ServiceProcess.start(dataDir, ['--import', turns, ...nodeOptions], {
      BENCH_TURNS: turnsFile,
      COFFER_AUTH_TRUSTED_APPS: '*@*',
      COFFER_USER_ACCOUNT_DELETE: 'personalToken',
      ...(keepsHistory && {
        COFFER_VERSIONING_FORCE_KEEP_HISTORY: 'true',
        COFFER_VERSIONING_DELETION_MODE: 'keep-everything'
      })
    })
    try {
      // Warms up until Node has compiled the hot code and the files are open.
      await measureWhile(target, street, turnsFile, baseline, warmUp)
      for (const thing of things)
        lines.push(await measureWhile(target, street, turnsFile, thing, seconds * durationFactor))
    } finally {
      await target.stop()
    }
  }
  return lines
}

/**
 * Repeats a heavy request while another process sends light requests of another user. Returns the latencies of the
 * light requests.
 */
async function measureWhile(
  { origin, port }: ServiceProcess,
  street: NeighbourAccounts,
  turnsFile: string,
  { run, isOnce, name }: HeavyRequest,
  seconds: number
): Promise<Line> {
  const neighbour = new Child<LoadJob | 'stop', LoadResult>(new URL('../load/load.js', import.meta.url))
  try {
    neighbour.send({
      port,
      requests: createLightRequests(street.light),
      connections,
      requestsPerSecond: pace
    })
    writeFileSync(turnsFile, '')
    const startMs = performance.now()
    const lastsMs = isOnce === true ? 0 : seconds * 1000
    do await run(origin, street)
    while (performance.now() - startMs < lastsMs)
    const heavySeconds = (performance.now() - startMs) / 1000
    const { failures, firstFailure, count, maxMs, p50Ms, p99Ms } = await neighbour.request('stop')
    if (failures > 0) throw new Error(`A light request failed: ${firstFailure}`)
    const turnMs = Math.max(0, ...readFileSync(turnsFile, 'utf8').split('\n').map(Number))
    return {
      name,
      figures: {
        s: heavySeconds,
        answers: count,
        'p50 ms': p50Ms,
        'p99 ms': p99Ms,
        'max ms': maxMs,
        // CPU time, which other load on the machine does not affect.
        'longest turn, CPU ms': turnMs
      },
      target: `p99 ≤ ${aims.p99Ms}, turn ≤ ${aims.turnMs}`,
      isTargetMet: p99Ms <= aims.p99Ms && turnMs <= aims.turnMs
    }
  } finally {
    await neighbour.stop()
  }
}

/** Creates the light requests: read a list, read an event, create one. */
function createLightRequests({ eventIds, token, username }: SeededUser): RequestSpec[] {
  return [
    { path: `/${username}/events?limit=20`, token },
    { path: `/${username}/events/${eventIds[0]}`, token },
    { path: `/${username}/events`, token, body: createEventParams(rootStream) }
  ]
}
