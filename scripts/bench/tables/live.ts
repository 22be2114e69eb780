/** Sockets and webhooks: memory of a socket, delay of notifications, and latency during deliveries. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { Bench } from '../bench.js'
import { send } from '../load/client.js'
import { RawSocket } from '../load/socket.js'
import { percentile, residentMb } from '../load/statistics.js'
import type { Target } from '../load/target.js'
import { postedEvent } from '../seed/sample.js'
import { rootStream, seeded, type SeededUser } from '../seed/seeder.js'
import { measure, type Line } from '../table.js'

const socketUsers = 20
const webhookUsers = 100
const webhooksOfEach = 100
const keptSockets = 1000
const listeners = 100
const creates = 300

export async function measureLive(bench: Bench): Promise<Line[]> {
  const lines = await bench.onServer(
    'sockets',
    dataDir => seeded(dataDir, seeder => seeder.users('live', socketUsers)),
    async (target, users) => [
      measure('memory of an open socket, KB', await memoryOfSocket(target, users), 45),
      ...(await measureNotifications(target, users[0]!))
    ]
  )
  return [...lines, ...(await measureDeliveries(bench))]
}

async function memoryOfSocket({ origin, pid }: Target, users: readonly SeededUser[]): Promise<number> {
  const before = residentMb(pid)
  const sockets = await openSome(origin, users, keptSockets)
  await wait(500)
  const each = ((residentMb(pid) - before) * 1000) / keptSockets
  for (const socket of sockets) socket.close()
  return each
}

/** The time from a request that creates an event to its notification at the user's sockets. */
async function measureNotifications({ origin }: Target, user: SeededUser): Promise<Line[]> {
  const sockets = await openSome(origin, [user], listeners)
  const answered: number[] = []
  const notified: number[] = []
  for (let n = 0; n < creates; n++) {
    const start = performance.now()
    const note = (): unknown => notified.push(performance.now() - start)
    const all = Promise.all(sockets.map(socket => socket.message().then(note)))
    await send(origin, { path: `/${user.username}/events`, token: user.token, body: postedEvent(rootStream) })
    answered.push(performance.now() - start)
    await all
  }
  for (const socket of sockets) socket.close()
  const create = percentile(answered, 0.99)
  return [
    measure(`events.create with ${listeners} sockets of the user, p99 ms`, create),
    measure('from its request to the message at a socket, p99 ms', percentile(notified, 0.99), create + 5)
  ]
}

async function openSome(origin: string, users: readonly SeededUser[], count: number): Promise<RawSocket[]> {
  const sockets: RawSocket[] = []
  for (let n = 0; n < count; n++) {
    const { token, username } = users[n % users.length]!
    sockets.push(await RawSocket.open(origin, `/${username}`, token))
  }
  return sockets
}

/** Latency of the API while a server delivers queued messages after its start, against the same server at rest. */
async function measureDeliveries(bench: Bench): Promise<Line[]> {
  let received = 0
  const receiver = createServer((request, response) => {
    received++
    request.resume()
    response.end()
  }).listen(0, '127.0.0.1')
  await once(receiver, 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const queued = webhookUsers * webhooksOfEach
  const make = (dataDir: string): Promise<SeededUser[]> =>
    seeded(dataDir, async seeder => {
      const users = await seeder.users('live', webhookUsers)
      for (const user of users) await seeder.webhooks(user, webhooksOfEach, url)
      return users
    })
  const work = async (target: Target, [user]: SeededUser[]): Promise<Line[]> => {
    const start = performance.now()
    const busy = await latencies(target, user!, () => received < queued)
    const seconds = (performance.now() - start) / 1000
    const end = performance.now() + 3000
    const idle = await latencies(target, user!, () => performance.now() < end)
    return [
      measure('API at rest, p99 ms', idle),
      measure(`API while ${queued.toLocaleString('en')} webhooks are called, p99 ms`, busy, 2 * idle),
      measure('webhooks called in a second', queued / seconds)
    ]
  }
  try {
    return await bench.onServer('webhooks', make, work, { COFFER_WEBHOOKS_ALLOW_INTERNAL_TARGETS: 'true' })
  } finally {
    receiver.closeAllConnections()
    receiver.close()
  }
}

/** The 99th percentile of the time of light requests, in milliseconds. */
async function latencies(
  { origin }: Target,
  { token, username }: SeededUser,
  isGoingOn: () => boolean
): Promise<number> {
  const times: number[] = []
  while (isGoingOn()) {
    times.push((await send(origin, { path: `/${username}/access-info`, token })).seconds * 1000)
    await wait(2)
  }
  return percentile(times, 0.99)
}
