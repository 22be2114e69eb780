/** What a query costs as a user's events grow: no more than what it returns. */
import type { Meter } from './meter.js'
import { requestText } from './requests.js'
import { rareStream, rootStream, step, timeOf, type SeededUser } from './seed.js'
import type { Target } from './target.js'

/** Cost at the most events by cost at the fewest, at most. */
export const growthGoal = 1.5
const connections = 16

/** A query by the number of events that the user has. It finds the same number of them whatever the size. */
export interface Query {
  readonly name: string
  /** The query string. */
  readonly path: (size: number) => string
  /** Of whom it is asked, if not of the personal access; by size. */
  readonly token?: (size: number) => string
}

/** Queries of users with a hundred streams. */
export const plainQueries: readonly Query[] = [
  { name: 'latest 20', path: () => 'limit=20' },
  { name: 'one stream', path: () => 'streams=stream-5&limit=10' },
  { name: 'a rare stream', path: () => `streams=${rareStream}&limit=10` },
  { name: 'filter of 100 streams', path: () => `streams=${rootStream}&limit=20` },
  {
    name: 'time range',
    path: size => `fromTime=${timeOf(late(size))}&toTime=${timeOf(late(size) + 20) - 1}`
  },
  {
    name: 'period overlap',
    path: size => `fromTime=${timeOf(late(size)) + step / 3}&toTime=${timeOf(late(size)) + step / 2}`
  },
  { name: 'modifiedSince', path: size => `modifiedSince=${timeOf(size - 21)}&limit=20` }
]

/** A place where enough events lie on both sides, the same one in the pattern of durations for any size. */
export function late(size: number): number {
  return Math.floor((size * 0.75) / 40) * 40
}

export interface Growth {
  readonly name: string
  /** CPU µs per request by number of events. */
  readonly cpuUs: Readonly<Record<number, number>>
  readonly ratio: number
  readonly isMet: boolean
}

/** Users by the number of their events. */
export type Sizes = ReadonlyMap<number, SeededUser>

/** Measures each query at each size, in turns. */
export async function measureGrowth(
  meter: Meter,
  target: Target,
  queries: readonly Query[],
  sizes: Sizes,
  rounds: number
): Promise<Growth[]> {
  await mustFindTheSame(target, queries, sizes)
  const subjects = queries.flatMap(({ name, path, token }) =>
    Array.from(sizes, ([size, user]) => ({
      name: subjectName(name, size),
      pid: target.pid,
      port: target.port,
      requests: [requestText({ path: pathOf(user, path(size)), token: token?.(size) ?? user.token })],
      connections
    }))
  )
  for (const subject of subjects) await meter.warmUp(subject)
  for (let round = 0; round < rounds; round++) for (const subject of subjects) await meter.take(subject)
  return queries.map(({ name }) => grown(meter, name, [...sizes.keys()]))
}

function grown(meter: Meter, name: string, sizes: readonly number[]): Growth {
  const costs = sizes.map(size => [size, meter.figures(subjectName(name, size)).cpuUs] as const)
  const ratio = costs.at(-1)![1] / costs[0]![1]
  return { name, cpuUs: Object.fromEntries(costs), ratio, isMet: ratio <= growthGoal }
}

async function mustFindTheSame(target: Target, queries: readonly Query[], sizes: Sizes): Promise<void> {
  for (const { name, path, token } of queries) {
    const counts = new Set<number>()
    for (const [size, user] of sizes) {
      const url = target.origin + pathOf(user, path(size))
      const answer = await fetch(url, { headers: { authorization: token?.(size) ?? user.token } })
      const { events = [] } = (await answer.json()) as { events?: unknown[] }
      counts.add(events.length)
    }
    if (counts.size !== 1 || counts.has(0))
      throw new Error(`${name} finds ${[...counts].join(', ')} events, depending on size`)
  }
}

function subjectName(query: string, size: number): string {
  return `growth: ${query} of ${size}`
}

function pathOf(user: SeededUser, query: string): string {
  return `/${user.username}/events?${query}`
}
