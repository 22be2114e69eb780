/** Many accounts on disk, of which many are active: what that takes in memory and open files, and how long answers take. */
import { copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import SQLite from 'better-sqlite3'
import { newId } from '../../core/ids.js'
import { Layout } from '../../storage/files/layout.js'
import { measure, type Measure } from './footprint.js'
import { Meter } from './meter.js'
import type { Options } from './options.js'
import { residentMb } from './process-stats.js'
import { requestText } from './requests.js'
import { postedEvent } from './sample.js'
import { rootStream, Seeder, type SeededUser } from './seed.js'
import { Target } from './target.js'

const connections = 32
/** Events of each account. */
const eventCount = 20
/** Requests a second where they come at a steady pace: less than can be answered, so that times tell of the service. */
const pace = 150
/** Descriptors of each file that is open. */
const descriptorsOfEach = 5
/** Of a hundred requests, those that write. */
const writing = 10

/** Measures with 20,000 accounts; with a tenth of them if it has to be `quick`. */
export async function benchAccounts(directory: string, options: Options): Promise<Measure[]> {
  const dataDir = join(directory, 'accounts')
  const total = options.quick ? 2000 : 20_000
  // For the full number that is the default.
  const openUsers = total / 40
  const model = await makeAccounts(dataDir, total)
  const target = await Target.start(dataDir, [], { COFFER_STORAGE_MAX_OPEN_USERS: String(openUsers) })
  const meter = new Meter(options.seconds * 20)
  try {
    const measures = [
      measure(`${total} accounts: from spawn to first answer, s`, target.startSeconds, 1),
      measure(`${total} accounts: memory when idle, MB`, residentMb(target.pid), 120),
      measure('disk of an account of 20 events, KB', statSync(fileOf(dataDir, model)).size / 1000)
    ]
    const take = async (name: string, active: number, steady?: number): Promise<void> => {
      const requests = Array.from({ length: active }, (_, i) => requestOf(model, i))
      const subject = { name, pid: target.pid, port: target.port, requests, connections }
      for (let round = 0; round < options.rounds; round++)
        await meter.take(steady === undefined ? subject : { ...subject, pace: steady })
      const figures = meter.figures(name)
      if (figures.bad > 0) throw new Error(`${figures.bad} bad answers, first ${figures.complaint}`)
      const { cpuUs, p50Ms, p99Ms, perSecond } = figures
      measures.push(
        measure(`${name}: CPU of a request, µs`, cpuUs),
        measure(`${name}: requests a second`, perSecond),
        measure(`${name}: p50, ms`, p50Ms),
        measure(`${name}: p99, ms`, p99Ms, steady === undefined ? undefined : 50),
        measure(`${name}: memory, MB`, residentMb(target.pid), active > openUsers ? 350 : 250),
        measure(`${name}: open files`, descriptors(target.pid), openUsers * descriptorsOfEach + 200)
      )
    }
    const most = total / 4
    await take(`${openUsers / 5} active, as fast as can be`, openUsers / 5)
    // Most of them are seen for the first time then.
    await take(`${most} active, the first ones`, most, pace)
    await take(`${most} active, ${pace} a second`, most, pace)
    await take(`${most} active, as fast as can be`, most)
    return measures
  } finally {
    await meter.stop()
    await target.stop()
  }
}

/** Makes one account as any other and copies its file: all have the same tokens. */
async function makeAccounts(dataDir: string, total: number): Promise<SeededUser> {
  const seeder = new Seeder(dataDir)
  const model = await seeder.user('many', eventCount)
  await seeder.close()
  const layout = new Layout(dataDir)
  const platform = new SQLite(layout.platformFile)
  const insert = platform.prepare(
    "INSERT INTO account (id, username, state, created) VALUES (?, ?, 'active', 0)"
  )
  const ids = Array.from({ length: total }, () => newId())
  platform.transaction(() => ids.forEach((id, i) => insert.run(id, nameOf(i))))()
  platform.close()
  for (const id of ids) {
    mkdirSync(dirname(layout.userFile(id)), { recursive: true })
    copyFileSync(layout.userFile(model.id), layout.userFile(id))
  }
  return model
}

/** What the user of that number asks, in the shares of a mixed load. */
function requestOf({ token }: SeededUser, i: number): string {
  const path = `/${nameOf(i)}/events`
  if (i % 100 < writing) return requestText({ path, token, body: postedEvent(rootStream) })
  return requestText({ path: `${path}?limit=20`, token })
}

function nameOf(i: number): string {
  return `many-${i}`
}

function fileOf(dataDir: string, { id }: SeededUser): string {
  return new Layout(dataDir).userFile(id)
}

function descriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
