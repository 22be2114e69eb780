/** Tells what a demo has made, and how to look at it. */
import type { Made } from './filling.js'
import { counted as withNoun } from '../terminal/counted.js'
import type { Plan } from './person/days.js'
import { streamNames } from './streams.js'

/** An account that has been filled. */
export interface Filled {
  readonly made: Made
  /** The password of an account that is new. */
  readonly password?: string
  /** Address of the service. */
  readonly url: string
  readonly isRunning: boolean
}

/** What was done, in lines for people and as an object for programs. */
export function reportOf({
  isRunning,
  made,
  password,
  plan,
  seconds,
  url,
  username
}: Filled & { username: string; plan: Plan; seconds: number }): { lines: string[]; report: object } {
  const { accesses, events, fileBytes, files, looks, points, refusals } = made
  const { days, seed, until } = plan
  const address = `${url}/app/`
  const end = new Date(until * 1000).toISOString()
  const kept = [...events].map(([id, count]) => {
    const more = points.get(id)
    const name = (streamNames.get(id) ?? id).padEnd(26)
    return `  ${name}${grouped(count).padStart(9)}${more === undefined ? '' : `, with ${grouped(more)} data points`}`
  })
  const lines = [
    `${username}: ${withNoun(days, 'day')} until ${end}, created in ${seconds.toFixed(1)} s (seed ${seed})`,
    ...kept,
    `  ${'All events'.padEnd(26)}${grouped(sumOf(events)).padStart(9)}, with ${grouped(sumOf(points))} data points and ${withNoun(files, 'file')} (${(fileBytes / 2 ** 20).toFixed(1)} MiB)`,
    `${withNoun(accesses, 'access', 'accesses')} of other people, with ${withNoun(looks, 'call')}, ${refusals} of them refused`,
    ...(isRunning ? [] : ['Start the service with "coffer serve"']),
    password === undefined
      ? `Sign in at ${address} as ${username} with the password of the account`
      : `Sign in at ${address} as ${username} with the password ${password}`
  ]
  const counted = { events: Object.fromEntries(events), points: Object.fromEntries(points) }
  const report = {
    username,
    ...(password !== undefined && { password }),
    url: address,
    days,
    until,
    seed,
    seconds: Number(seconds.toFixed(1)),
    ...counted,
    files,
    fileBytes,
    accesses,
    looks,
    refusals
  }
  return { lines, report }
}

/** `12 345`. */
function grouped(count: number): string {
  return count.toLocaleString('en').replaceAll(',', ' ')
}

function sumOf(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, value) => sum + value, 0)
}
