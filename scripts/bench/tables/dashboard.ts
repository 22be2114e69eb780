/** The cost of the dashboard for Grafana that comes with the service: all its panels, over a year of sample data. */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Value } from 'typebox/value'
import { Settings } from '../../../core/settings/settings.js'
import { packageDirectory } from '../../../core/version.js'
import { fillLocalAccount } from '../../demo/fill-local-account.js'
import type { Bench } from '../bench.js'
import { send } from '../load/client.js'
import type { ServiceProcess } from '../load/service-process.js'
import { getCpuUs, median } from '../load/statistics.js'
import { password } from '../seed/sample.js'
import { createLine, type Line } from '../table.js'

interface Panel {
  readonly gridPos: { readonly w: number }
  readonly interval?: string
  readonly targets: readonly { readonly expr: string }[]
}

/** A query as Grafana sends it. */
interface Query {
  readonly text: string
  /** Seconds between its points. */
  readonly step: number
}

const username = 'daisy'
const day = 86_400
const days = 365
/** Maximum CPU time of a page, in milliseconds. */
const limitMs = 300
/** Requests in flight, as browsers limit them. */
const connections = 6
/** Pages until Node has compiled the hot code, and pages that are measured. */
const [warmUp, measured] = [5, 15]
/** Width in columns up to which a panel shows single numbers, from few points. */
const narrow = 6

/** Measures pages of the dashboard, each for another range of a year. */
export async function measureDashboard(bench: Bench): Promise<Line[]> {
  const until = Math.floor(Date.now() / 1000 / day) * day
  const make = async (dataDir: string): Promise<void> => {
    const settings: Settings = { ...(Value.Default(Settings, {}) as Settings), dataDir }
    const plan = { days, seed: 1, until }
    mkdirSync(dataDir, { recursive: true })
    await fillLocalAccount({ settings, username, password, plan, progress: undefined })
  }
  return await bench.withServer('dashboard', make, async service => {
    const token = await signIn(service)
    const queries = readQueries()
    await bench.meter.waitUntilIdle(service.pid)
    const pages: number[] = []
    for (let page = 0; page <= warmUp + measured; page++)
      // Nothing that an earlier page has read is of use to a later one.
      pages.push(await measurePage(service, token, queries, until - page * day))
    return [
      createLine(`${queries.length} queries over a year: ms of CPU`, median(pages.slice(warmUp)), limitMs),
      createLine('… the first time after a start', pages[0]!)
    ]
  })
}

async function signIn({ origin }: ServiceProcess): Promise<string> {
  const body = { username, password, appId: 'coffer-bench' }
  const { text } = await send(origin, { path: `/${username}/auth/login`, headers: { Origin: origin }, body })
  return (JSON.parse(text) as { token: string }).token
}

function readQueries(): Query[] {
  const text = readFileSync(join(packageDirectory, 'docs/dashboards/coffer.json'), 'utf8')
  const { panels } = JSON.parse(text) as { panels: readonly Panel[] }
  return panels.flatMap(({ gridPos, interval, targets }) => {
    const step = interval === '1d' ? day : gridPos.w <= narrow ? 2 * day : day / 2
    return targets.map(({ expr }) => ({ text: expr.replaceAll('$__interval', `${step}s`), step }))
  })
}

/** Returns the CPU time of a page, in milliseconds. */
async function measurePage(
  { origin, pid }: ServiceProcess,
  token: string,
  queries: readonly Query[],
  end: number
): Promise<number> {
  const before = getCpuUs(pid)
  const rest = [...queries]
  const sendInTurn = async (): Promise<void> => {
    for (let query = rest.shift(); query; query = rest.shift()) {
      const { step, text } = query
      const params = new URLSearchParams({
        query: text,
        start: String(end - days * day),
        end: String(end),
        step: String(step),
        zone: 'Europe/Zurich'
      })
      await send(origin, { path: `/${username}/prometheus/api/v1/query_range?${params.toString()}`, token })
    }
  }
  await Promise.all(Array.from({ length: connections }, sendInTurn))
  return (getCpuUs(pid) - before) / 1000
}
