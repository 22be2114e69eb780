/** Sockets and webhooks: what a call costs, what an open socket keeps, how soon changes are told, whether deliveries disturb. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import { Child } from '../child.js'
import { measure, type Measure } from '../footprint.js'
import { median } from '../meter.js'
import { cpuUs, residentMb } from '../process-stats.js'
import { postedEvent } from '../sample.js'
import { rootStream, type SeededUser } from '../seed.js'
import type { Target } from '../target.js'
import { RawSocket } from './raw-socket.js'

const callers = 64
/** So that the servers, not the bench, are what is slow: a server that waits pays for each time it is woken. */
const callsAtOnce = 10
/** Until the compiler of Node has done its work. */
const warmUpMs = 2000
const keptSockets = 1000
const listeners = 100
const creates = 300

/** Figures of sockets, of a server that is running. */
export async function measureSockets(
  target: Target,
  users: readonly SeededUser[],
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number }
): Promise<Measure[]> {
  const echo = new Child<object, number>(new URL('../reference/socket-echo.js', import.meta.url))
  const echoOrigin = `http://127.0.0.1:${await echo.hear()}`
  // First: a server that has been busy has room for many sockets in the memory it holds already.
  const memory = await memoryOfSocket(target, users)
  const costs: { ours: number; bare: number }[] = []
  try {
    // Interleaved, so that both meet the same machine.
    for (let round = 0; round < rounds; round++)
      costs.push({
        bare: await costOfCall(echoOrigin, echo.pid, users, seconds),
        ours: await costOfCall(target.origin, target.pid, users, seconds)
      })
  } finally {
    await echo.stop()
  }
  const bare = median(costs.map(cost => cost.bare))
  const ours = median(costs.map(cost => cost.ours))
  return [
    measure('getAccessInfo by socket, CPU µs', ours),
    measure('echo of bare Socket.IO, CPU µs', bare),
    measure('getAccessInfo by socket / echo of bare Socket.IO', ours / bare, 2),
    measure('memory of an open socket, KB', memory, 45),
    ...(await measureNotifications(target, users[0]!))
  ]
}

/** CPU time of the server for one call, in microseconds. */
async function costOfCall(
  origin: string,
  pid: number,
  users: readonly SeededUser[],
  seconds: number
): Promise<number> {
  const sockets = await openSome(origin, users, callers)
  const callFor = async (untilMs: number): Promise<number> => {
    const counts = await Promise.all(
      sockets.map(async socket => {
        let count = 0
        for (; performance.now() < untilMs; count += callsAtOnce)
          await socket.call('getAccessInfo', callsAtOnce)
        return count
      })
    )
    return counts.reduce((sum, count) => sum + count, 0)
  }
  await callFor(performance.now() + warmUpMs)
  const before = cpuUs(pid)
  const count = await callFor(performance.now() + seconds * 1000)
  const used = cpuUs(pid) - before
  for (const socket of sockets) socket.close()
  return used / count
}

async function memoryOfSocket(target: Target, users: readonly SeededUser[]): Promise<number> {
  const before = residentMb(target.pid)
  const sockets = await openSome(target.origin, users, keptSockets)
  await wait(500)
  const each = ((residentMb(target.pid) - before) * 1000) / keptSockets
  for (const socket of sockets) socket.close()
  return each
}

/** How long after the request a user's sockets hear of what it created. */
async function measureNotifications(target: Target, user: SeededUser): Promise<Measure[]> {
  const sockets = await openSome(target.origin, [user], listeners)
  const answered: number[] = []
  const heard: number[] = []
  const body = JSON.stringify(postedEvent(rootStream))
  const headers = { authorization: user.token, 'content-type': 'application/json' }
  for (let n = 0; n < creates; n++) {
    const start = performance.now()
    const all = Promise.all(
      sockets.map(
        socket =>
          new Promise<void>(resolve => {
            socket.onMessage = () => {
              heard.push(performance.now() - start)
              resolve()
            }
          })
      )
    )
    const answer = await fetch(`${target.origin}/${user.username}/events`, { method: 'POST', headers, body })
    await answer.arrayBuffer()
    answered.push(performance.now() - start)
    await all
  }
  for (const socket of sockets) socket.close()
  const create = percentile(answered, 0.99)
  const notification = percentile(heard, 0.99)
  return [
    measure(`events.create with ${listeners} sockets of the user, p99 ms`, create),
    measure('from its request to the message at a socket, p99 ms', notification, create + 5)
  ]
}

async function openSome(origin: string, users: readonly SeededUser[], count: number): Promise<RawSocket[]> {
  const sockets: RawSocket[] = []
  for (let n = 0; n < count; n++) sockets.push(await RawSocket.open(origin, users[n % users.length]!))
  return sockets
}

/** A receiver of webhooks that only counts. */
export class CountingReceiver {
  count = 0
  readonly #server: Server = createServer((request, response) => {
    this.count++
    request.resume()
    response.end()
  })

  async listen(): Promise<string> {
    await new Promise<void>(resolve => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}

/** Latency of the API while a server that has just started sends what it owes, against the same server at rest. */
export async function measureDeliveries(
  target: Target,
  receiver: CountingReceiver,
  owed: number,
  user: SeededUser
): Promise<Measure[]> {
  const start = performance.now()
  const busy = await latencies(target, user, () => receiver.count < owed)
  const seconds = (performance.now() - start) / 1000
  const end = performance.now() + 3000
  const idle = await latencies(target, user, () => performance.now() < end)
  const idleP99 = percentile(idle, 0.99)
  return [
    measure('API at rest, p99 ms', idleP99),
    measure(
      `API while ${owed.toLocaleString('en')} webhooks are told, p99 ms`,
      percentile(busy, 0.99),
      2 * idleP99
    ),
    measure('webhooks told in a second', owed / seconds)
  ]
}

async function latencies(target: Target, user: SeededUser, isGoingOn: () => boolean): Promise<number[]> {
  const times: number[] = []
  const url = `${target.origin}/${user.username}/access-info`
  while (isGoingOn()) {
    const start = performance.now()
    const answer = await fetch(url, { headers: { authorization: user.token } })
    await answer.arrayBuffer()
    times.push(performance.now() - start)
    await wait(2)
  }
  return times
}

function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN
}
