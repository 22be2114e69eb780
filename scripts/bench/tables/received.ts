/** The cost of what arrives by itself: positions that eight phones send one by one, compared with `events.create`. */
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import type { Bench } from '../bench.js'
import { Child } from '../load/child.js'
import { send } from '../load/client.js'
import type { LoadJob, LoadResult } from '../load/load.js'
import { ServiceProcess } from '../load/service-process.js'
import { createEventParams } from '../seed/sample.js'
import { rootStream, withSeeder, type SeededUser } from '../seed/seeder.js'
import { createLine, type Line } from '../table.js'

const phoneCount = 8
/** Maximum time of a position, and p99 of another user in the meantime, as multiples of those of `events.create`. */
const aims = { ratio: 1.5, p99Ratio: 1.5 }
/** The other user's requests per second, and their maximum number in flight. */
const [pace, connections] = [50, 16]
/** How long the other user is measured alone, in milliseconds. */
const aloneMs = 10_000
/** Time of the first position, in seconds. */
const firstTime = 1_795_694_400

/** Measures 10,000 positions, or a tenth of them if `quick`. */
export async function measureReceived({ directory, options }: Bench): Promise<Line[]> {
  const count = options.quick ? 1000 : 10_000
  const dataDir = join(directory, 'received')
  const { owner, other } = await withSeeder(dataDir, async seeder => ({
    owner: await seeder.createUser('owner', { events: 1000 }),
    other: await seeder.createUser('other', { events: 1000 })
  }))
  const service = await ServiceProcess.start(dataDir, options.nodeOptions, {
    COFFER_AUTH_TRUSTED_APPS: '*@*'
  })
  try {
    const { origin } = service
    const tokens = await connectPhones(origin, owner)
    const path = `/${owner.username}/from/owntracks`
    const sendPosition = async (phone: number, at: number): Promise<unknown> =>
      await send(origin, {
        path,
        token: `Bearer ${tokens[phone]}`,
        body: { _type: 'location', lat: 46 + at / 1e6, lon: 6, tst: firstTime + at, tid: `P${phone}`, acc: 9 }
      })
    const createOne = async (): Promise<unknown> =>
      await send(origin, {
        path: `/${owner.username}/events`,
        token: owner.token,
        body: createEventParams(rootStream)
      })
    // Warms up until Node has compiled the hot code.
    await measureAll(500, sendPosition)
    await measureAll(500, createOne)
    const withOther = async (work: () => Promise<number>): Promise<[seconds: number, p99Ms: number]> =>
      await measureBeside(service, other, work)
    const [, aloneP99] = await withOther(async () => {
      await setTimeout(aloneMs)
      return aloneMs / 1000
    })
    const [created, createdP99] = await withOther(() => measureAll(count, createOne))
    const [received, receivedP99] = await withOther(() =>
      measureAll(count, (phone, at) => sendPosition(phone, 1000 + at))
    )
    return [
      createLine(`events.create, ${phoneCount} at a time: ms each`, (created * 1000) / count),
      createLine(`positions of ${phoneCount} phones: ms each`, (received * 1000) / count),
      createLine('positions: time as a multiple of events.create', received / created, aims.ratio),
      createLine('another user alone: p99, ms', aloneP99),
      createLine('another user beside events.create: p99, ms', createdP99),
      createLine('another user beside positions: p99, ms', receivedP99, createdP99 * aims.p99Ratio)
    ]
  } finally {
    await service.stop()
  }
}

/** Connects phones; returns their tokens. */
async function connectPhones(origin: string, { token, username }: SeededUser): Promise<string[]> {
  const tokens: string[] = []
  for (let phone = 0; phone < phoneCount; phone++) {
    const body = { dialect: 'owntracks', name: `phone ${phone}` }
    const { text } = await send(origin, { path: `/${username}/connections`, token, body })
    tokens.push((JSON.parse(text) as { connection: { token: string } }).connection.token)
  }
  return tokens
}

/** Sends so many requests one by one for each phone, all phones at once. Returns the seconds that it took. */
async function measureAll(
  count: number,
  sendOne: (phone: number, at: number) => Promise<unknown>
): Promise<number> {
  const startMs = performance.now()
  await Promise.all(
    Array.from({ length: phoneCount }, async (_, phone) => {
      for (let at = 0; at < count / phoneCount; at++) await sendOne(phone, at)
    })
  )
  return (performance.now() - startMs) / 1000
}

/** Runs work while another user reads and writes. Returns the seconds that it took, and the other user's p99. */
async function measureBeside(
  { port }: ServiceProcess,
  { token, username }: SeededUser,
  work: () => Promise<number>
): Promise<[seconds: number, p99Ms: number]> {
  const other = new Child<LoadJob | 'stop', LoadResult>(new URL('../load/load.js', import.meta.url))
  try {
    const requests = [
      { path: `/${username}/events?limit=20`, token },
      { path: `/${username}/events`, token, body: createEventParams(rootStream) }
    ]
    other.send({ port, requests, connections, requestsPerSecond: pace })
    const seconds = await work()
    const { failures, firstFailure, p99Ms } = await other.request('stop')
    if (failures > 0) throw new Error(`A request of the other user failed: ${firstFailure}`)
    return [seconds, p99Ms]
  } finally {
    await other.stop()
  }
}
