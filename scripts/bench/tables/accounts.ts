/** The cost of many accounts, many of which are in use: memory, open files and response times. */
import { readdirSync, statSync } from 'node:fs'
import { Value } from 'typebox/value'
import { Settings } from '../../../core/settings/settings.js'
import { Layout } from '../../../storage/files/layout.js'
import type { Bench } from '../bench.js'
import type { RequestSpec } from '../load/request-spec.js'
import { measureIdleMb, getResidentMb } from '../load/statistics.js'
import { createEventParams } from '../seed/sample.js'
import { addAccountCopies, rootStream, withSeeder, type SeededUser } from '../seed/seeder.js'
import { createLine, type Line } from '../table.js'

const connections = 32
/** Events per account. */
const eventCount = 20
/** Requests per second at a steady rate, below the capacity, so that latencies are those of the service, not of a queue. */
const steadyRate = 150
/** Default maximum number of open accounts. */
const defaultOpenUsers = (Value.Default(Settings, {}) as Settings).storage.maxOpenUsers
/** File descriptors per open account. */
const descriptorsPerUser = 5
/** Percentage of requests that write. */
const writePercent = 10

/** Measures with 20,000 accounts, or a tenth of them if `quick`. */
export async function measureAccounts(bench: Bench): Promise<Line[]> {
  const total = bench.options.quick ? 2000 : 20_000
  const openUsers = bench.options.quick ? defaultOpenUsers / 10 : defaultOpenUsers
  const seed = async (dataDir: string) => {
    const model = await withSeeder(dataDir, seeder => seeder.createUser('many', { events: eventCount }))
    const names = Array.from({ length: total }, (_, i) => getUsername(i))
    addAccountCopies(dataDir, model, names)
    return { model, fileBytes: statSync(new Layout(dataDir).userFile(model.id)).size }
  }
  return await bench.withServer(
    'accounts',
    seed,
    async ({ pid, port, startSeconds }, { fileBytes, model }) => {
      const measure = async (kind: string, active: number, requestsPerSecond?: number): Promise<Line[]> => {
        const name = `${active} active, ${kind}`
        const requests = Array.from({ length: active }, (_, i) => createRequest(model, i))
        const subject = {
          name,
          pid,
          port,
          requests,
          connections,
          ...(requestsPerSecond !== undefined && { requestsPerSecond })
        }
        const { rounds, seconds } = bench.options
        for (let round = 0; round < rounds; round++) await bench.meter.takeSample(subject, seconds * 20)
        const { cpuUs, p50Ms, p99Ms, perSecond } = bench.meter.figures(name)
        const openFiles = readdirSync(`/proc/${pid}/fd`).length
        return [
          createLine(`${name}: CPU per request, µs`, cpuUs),
          createLine(`${name}: requests per second`, perSecond),
          createLine(`${name}: p50, ms`, p50Ms),
          createLine(`${name}: p99, ms`, p99Ms, requestsPerSecond === undefined ? undefined : 50),
          createLine(`${name}: memory, MB`, getResidentMb(pid), active > openUsers ? 350 : 250),
          createLine(`${name}: open files`, openFiles, openUsers * descriptorsPerUser + 200)
        ]
      }
      return [
        createLine(`${total} accounts: startup time, s`, startSeconds, 1),
        createLine(`${total} accounts: memory when idle, MB`, await measureIdleMb(pid), 120),
        createLine('disk of an account of 20 events, KB', fileBytes / 1000),
        ...(await measure('full speed', openUsers / 3)),
        // Opens most of these accounts for the first time.
        ...(await measure('first requests', total / 4, steadyRate)),
        ...(await measure(`${steadyRate} a second`, total / 4, steadyRate)),
        ...(await measure('full speed', total / 4))
      ]
    },
    { COFFER_STORAGE_MAX_OPEN_USERS: String(openUsers) }
  )
}

/** Returns a request of the user with a number: some write, most read. */
function createRequest({ token }: SeededUser, i: number): RequestSpec {
  const path = `/${getUsername(i)}/events`
  if (i % 100 < writePercent) return { path, token, body: createEventParams(rootStream) }
  return { path: `${path}?limit=20`, token }
}

function getUsername(i: number): string {
  return `many-${i}`
}
