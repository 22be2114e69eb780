/** Clients of sockets that ask and do not listen, and what they make the service hold. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Test } from 'tap'
import { WebSocket } from 'ws'
import { coffer, type Client, type Overrides, type Service } from './coffer.js'
import { socketOf } from './socket.js'

export const KiB = 1024
export const MiB = 1024 * KiB

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

/** Bytes that this process holds: the service, and clients, which in these tests hold next to nothing. */
export function held(): number {
  // What a first pass frees may have held what is outside the heap.
  collectGarbage()
  collectGarbage()
  const { external, heapUsed } = process.memoryUsage()
  return heapUsed + external
}

/** A connection in the client's namespace that reads nothing from then on. */
export async function deaf(
  t: Test,
  { service, token, username }: Client,
  eio: 3 | 4 = 4
): Promise<WebSocket> {
  const { url } = service.server
  const socket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=${eio}&transport=websocket`)
  socket.on('error', () => {})
  t.teardown(() => socket.terminate())
  const joined = new Promise<void>(resolve =>
    socket.on('message', data => (data as Buffer).toString().startsWith(`40/${username}`) && resolve())
  )
  await once(socket, 'open')
  socket.send(eio === 4 ? `40/${username},{"auth":"${token}"}` : `40/${username}?auth=${token},`)
  await joined
  socket.pause()
  return socket
}

/** Asks for the same answer many times. */
export function ask(socket: WebSocket, { username }: Client, count: number): void {
  send(
    socket,
    Array.from({ length: count }, (_, n) => `42/${username},${n}["streams.get",{}]`)
  )
}

/** A number of answers of some length that is more than the system itself has room for, and some. */
export function enough(length: number): number {
  return Math.ceil((12 * MiB) / (length + 3 * KiB)) + 20
}

/** Sends messages in one piece: in many they would take more memory here than in the service. */
export function send(socket: WebSocket, messages: readonly string[]): void {
  const frames = messages.map(message => {
    const bytes = Buffer.from(message)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(bytes.length)
    // A text that is masked by zeros.
    return Buffer.concat([Buffer.from([0x81, 0x80 | 126]), length, Buffer.alloc(4), bytes])
  })
  // oxlint-disable-next-line no-underscore-dangle -- what ws calls it
  ;(socket as unknown as { _socket: Socket })._socket.write(Buffer.concat(frames))
}

/** Waits until nothing is done any more that was asked for before. */
export async function quiet(t: Test, client: Client): Promise<void> {
  const socket = await socketOf(t, client)
  for (let n = 0; n < 100; n++) await socket.call('getAccessInfo')
}

/** Moves the clock on, step by step: what is under way goes on in between. */
export async function pass({ clock }: Service, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    clock.advance(5)
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  }
}

export async function closed(socket: WebSocket): Promise<void> {
  // Who does not read does not hear of it either.
  socket.resume()
  if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close')
}

/** A service with a stream of alice's that makes answers so long. */
export async function withAnswersOf(
  t: Test,
  length: number,
  overrides: Overrides = {}
): Promise<Service & { alice: Client }> {
  const service = await coffer(t, overrides)
  await service.alice.do('streams.create', { id: 'big', name: 'big', clientData: { x: 'y'.repeat(length) } })
  return service
}
