/** The report of a demo: what was created, and how to open it. */
import type { CreatedData } from './fill-account.js'
import { formatCount as withNoun } from '../terminal/output.js'
import type { Plan } from './person/days.js'
import { streamNames } from './streams.js'

/** An account that has been filled. */
export interface FilledAccount {
  readonly made: CreatedData
  /** The password of a new account. */
  readonly password?: string
  /** Address of the service. */
  readonly url: string
  readonly isRunning: boolean
}

/** Returns the report as lines of text and as JSON. */
export function createReport({
  isRunning,
  made,
  password,
  plan,
  seconds,
  url,
  username
}: FilledAccount & { username: string; plan: Plan; seconds: number }): { lines: string[]; report: object } {
  const { accesses, events, fileBytes, files, looks, points, refusals } = made
  const { days, seed, until } = plan
  const address = `${url}/app/`
  const end = new Date(until * 1000).toISOString()
  const kept = [...events].map(([id, count]) => {
    const more = points.get(id)
    const name = (streamNames.get(id) ?? id).padEnd(26)
    return `  ${name}${formatNumber(count).padStart(9)}${more === undefined ? '' : `, with ${formatNumber(more)} data points`}`
  })
  const lines = [
    `${username}: ${withNoun(days, 'day')} until ${end}, created in ${seconds.toFixed(1)} s (seed ${seed})`,
    ...kept,
    `  ${'All events'.padEnd(26)}${formatNumber(getSum(events)).padStart(9)}, with ${formatNumber(getSum(points))} data points and ${withNoun(files, 'file')} (${(fileBytes / 2 ** 20).toFixed(1)} MiB)`,
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

/** Formats a number with spaces, as in `12 345`. */
function formatNumber(count: number): string {
  return count.toLocaleString('en').replaceAll(',', ' ')
}

function getSum(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, value) => sum + value, 0)
}
