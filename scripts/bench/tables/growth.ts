/** The cost of queries as accounts grow: it should depend on the result only. */
import type { Bench } from '../bench.js'
import { send } from '../load/client.js'
import type { Subject } from '../load/meter.js'
import { binnedQueries, broadQueries, plainQueries, type Query } from '../queries.js'
import { seeded, type SeededUser, type Seeder } from '../seed/seeder.js'
import { BinnedShape, BroadShape } from '../seed/shapes.js'
import type { Line } from '../table.js'

/** Highest ratio of the cost with the most events to that with the fewest. */
const aim = 1.5
const connections = 16

interface Account {
  readonly size: number
  readonly user: SeededUser
  readonly shape: BroadShape | undefined
}

export async function measureGrowth(bench: Bench): Promise<Line[]> {
  const sizes = new Set([1000, 10_000, 100_000, largest(bench)])
  return await measured(bench, 'grown', [...sizes], plainQueries)
}

export async function measureBroadGrowth(bench: Bench): Promise<Line[]> {
  const sizes = [10_000, largest(bench)]
  return [
    ...(await measured(bench, 'broad', sizes, broadQueries, BroadShape)),
    ...(await measured(bench, 'binned', sizes, binnedQueries, BinnedShape))
  ]
}

function largest({ options }: Bench): number {
  return options.quick ? 100_000 : 1_000_000
}

/** CPU µs of each query in an account of each size, interleaved. */
async function measured(
  bench: Bench,
  kind: string,
  sizes: readonly number[],
  queries: readonly Query[],
  shapeOf?: typeof BroadShape
): Promise<Line[]> {
  const { meter, options } = bench
  const nameOf = (query: Query, size: number): string => `${kind} ${size}: ${query.name}`
  const make = async (seeder: Seeder): Promise<Account[]> => {
    const accounts: Account[] = []
    for (const size of sizes) {
      const shape = shapeOf && new shapeOf(size)
      const user = await seeder.user(`${kind}${size}`, { events: size, ...(shape && { shape }) })
      accounts.push({ size, user, shape })
    }
    return accounts
  }
  return await bench.onServer(
    kind,
    dataDir => seeded(dataDir, make),
    async ({ origin, pid, port }, accounts) => {
      const subjects: Subject[] = []
      for (const query of queries) {
        const counts = new Set<number>()
        for (const { shape, size, user } of accounts) {
          const token = shape && query.permitted ? shape.token(query.permitted) : user.token
          const ask = { path: `/${user.username}/events?${query.path(size)}`, token }
          const { text } = await send(origin, ask)
          counts.add((JSON.parse(text) as { events: unknown[] }).events.length)
          subjects.push({ name: nameOf(query, size), pid, port, connections, asks: [ask] })
        }
        if (counts.size !== 1 || counts.has(0) !== (query.findsNothing ?? false))
          throw new Error(`${query.name} finds ${[...counts].join(', ')} events, depending on size`)
      }
      await meter.interleave(subjects, options.rounds, options.seconds)
      return queries.map(query => {
        const costs = sizes.map(size => meter.figures(nameOf(query, size)).cpuUs)
        const ratio = costs.at(-1)! / costs[0]!
        const columns = sizes.map((size, i) => [size.toLocaleString('en'), costs[i]!] as const)
        const figures = { ...Object.fromEntries(columns), ratio }
        return { name: `${query.name}, CPU µs`, figures, aim: `≤ ${aim}`, isMet: ratio <= aim }
      })
    }
  )
}
