/** Many accounts on disk, of which many are active: what that takes in memory and open files, and how long answers take. */
import { copyFileSync, mkdirSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import SQLite from 'better-sqlite3'
import { newId } from '../../core/ids.js'
import { Layout } from '../../storage/layout.js'
import { measure, type Measure } from './footprint.js'
import { Meter, type Figures } from './meter.js'
import type { Options } from './options.js'
import { residentMb } from './process-stats.js'
import { requestText } from './requests.js'
import { postedEvent } from './sample.js'
import { rootStream, Seeder, type SeededUser } from './seed.js'
import { Target } from './target.js'

const connections = 32
/** Events of each account. */
const eventCount = 20
/** Descriptors of each file that is open. */
const descriptorsOfEach = 4
/** Of a hundred requests, those that write. */
const writing = 10

/** Measures with 20,000 accounts; with a tenth of them if it has to be `quick`. */
export async function benchAccounts(directory: string, options: Options): Promise<Measure[]> {
  const dataDir = join(directory, 'accounts')
  const total = options.quick ? 2000 : 20_000
  // For the full number that is the default.
  const openUsers = total / 20
  const model = await makeAccounts(dataDir, total)
  const target = await Target.start(dataDir, [], { COFFER_STORAGE_MAX_OPEN_USERS: String(openUsers) })
  // Long enough for each to be met several times.
  const meter = new Meter(options.seconds * 10)
  try {
    const measures = [
      measure(`${total} accounts: from spawn to first answer, s`, target.startSeconds, 1),
      measure(`${total} accounts: memory when idle, MB`, residentMb(target.pid), 120),
      measure('disk of an account of 20 events, KB', statSync(fileOf(dataDir, model)).size / 1000)
    ]
    const take = async (active: number): Promise<Figures> => {
      const subject = {
        name: `${active} active`,
        pid: target.pid,
        port: target.port,
        requests: Array.from({ length: active }, (_, i) => requestsOf(model, i)).flat(),
        connections
      }
      await meter.warmUp(subject)
      for (let round = 0; round < options.rounds; round++) await meter.take(subject)
      return meter.figures(subject.name)
    }
    const most = total / 4
    for (const active of [openUsers / 10, most]) {
      const { bad, complaint, cpuUs, p50Ms, p99Ms, perSecond } = await take(active)
      if (bad > 0) throw new Error(`${bad} bad answers, first ${complaint}`)
      const about = `${active} active`
      measures.push(
        measure(`${about}: CPU of a request, µs`, cpuUs),
        measure(`${about}: requests a second`, perSecond),
        measure(`${about}: p50, ms`, p50Ms),
        measure(`${about}: p99, ms`, p99Ms),
        measure(`${about}: memory, MB`, residentMb(target.pid), active > openUsers ? 700 : 250),
        measure(`${about}: open files`, descriptors(target.pid), openUsers * descriptorsOfEach + 200)
      )
    }
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
function requestsOf({ token }: SeededUser, i: number): string[] {
  const path = `/${nameOf(i)}/events`
  if (i % 100 < writing) return [requestText({ path, token, body: postedEvent(rootStream) })]
  return [requestText({ path: `${path}?limit=20`, token })]
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
