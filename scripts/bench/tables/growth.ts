/** The cost of queries as accounts grow. It should depend on the result only. */
import type { Bench } from '../bench.js'
import { send } from '../load/client.js'
import type { Subject } from '../load/meter.js'
import { trashQueries, broadQueries, type Query } from '../queries.js'
import { withSeeder, type SeededUser, type Seeder } from '../seed/seeder.js'
import { TrashShape, BroadShape } from '../seed/shapes.js'
import type { Line } from '../table.js'

/** Maximum ratio of the cost in the largest account to that in the smallest. */
const maxRatio = 1.5
const connections = 16

interface Account {
  readonly size: number
  readonly user: SeededUser
  readonly shape: BroadShape
}

/** Measures queries on accounts of a thousand streams, and on accounts in which most events are trashed. */
export async function measureGrowth(bench: Bench): Promise<Line[]> {
  return [
    ...(await measureQueries(bench, 'broad', broadQueries, BroadShape)),
    ...(await measureQueries(bench, 'binned', trashQueries, TrashShape))
  ]
}
/**
 * Measures the CPU time of each query in an account of each size, alternating between the accounts. Throws an
 * error if a query finds another number of events in another account.
 */
async function measureQueries(
  bench: Bench,
  kind: string,
  queries: readonly Query[],
  Shape: typeof BroadShape
): Promise<Line[]> {
  const { meter, options } = bench
  const sizes = [10_000, options.quick ? 100_000 : 1_000_000]
  const getName = (query: Query, size: number): string => `${kind} ${size}: ${query.name}`
  const make = async (seeder: Seeder): Promise<Account[]> => {
    const accounts: Account[] = []
    for (const size of sizes) {
      const shape = new Shape(size)
      const user = await seeder.createUser(`${kind}${size}`, { events: size, shape })
      accounts.push({ size, user, shape })
    }
    return accounts
  }
  return await bench.withServer(
    kind,
    dataDir => withSeeder(dataDir, make),
    async ({ origin, pid, port }, accounts) => {
      const subjects: Subject[] = []
      for (const query of queries) {
        const counts = new Set<number>()
        for (const { shape, size, user } of accounts) {
          const token = query.permitted === undefined ? user.token : shape.token(query.permitted)
          const ask = { path: `/${user.username}/events?${query.path(size)}`, token }
          const { text } = await send(origin, ask)
          counts.add((JSON.parse(text) as { events: unknown[] }).events.length)
          subjects.push({ name: getName(query, size), pid, port, connections, requests: [ask] })
        }
        if (counts.size !== 1 || counts.has(0) !== (query.findsNothing ?? false))
          throw new Error(`${query.name} finds ${[...counts].join(', ')} events, depending on size`)
      }
      await meter.measureInTurns(subjects, options.rounds, options.seconds)
      return queries.map(query => {
        const costs = sizes.map(size => meter.figures(getName(query, size)).cpuUs)
        const ratio = costs.at(-1)! / costs[0]!
        const columns = sizes.map((size, i) => [size.toLocaleString('en'), costs[i]!] as const)
        const figures = { ...Object.fromEntries(columns), ratio }
        return {
          name: `${query.name}, CPU µs`,
          figures,
          target: `≤ ${maxRatio}`,
          isTargetMet: ratio <= maxRatio
        }
      })
    }
  )
}
