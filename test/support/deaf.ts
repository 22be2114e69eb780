/** Socket clients that send requests and never read, and how much memory they cost the service. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import type { Test } from 'tap'
import { WebSocket } from 'ws'
import { coffer, type Client, type Overrides, type Service } from './coffer.js'
import { collectGarbage } from './heap.js'
import { socketOf } from './socket.js'

export const KiB = 1024
export const MiB = 1024 * KiB

/** Returns the memory of this process in bytes: that of the service, as clients in these tests use next to none. */
export function held(): number {
  // Objects freed by the first pass may have held memory outside of the heap.
  collectGarbage()
  collectGarbage()
  const { arrayBuffers, external, heapUsed } = process.memoryUsage()
  // What waits to be written to sockets counts among array buffers only.
  return heapUsed + Math.max(external, arrayBuffers)
}

/** Opens a connection in the client's namespace that stops reading. */
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

/** Requests the same response many times. */
export function ask(socket: WebSocket, { username }: Client, count: number): void {
  send(
    socket,
    Array.from({ length: count }, (_, n) => `42/${username},${n}["streams.get",{}]`)
  )
}

/** Returns a number of responses of some length that exceeds the buffers of the system. */
export function enough(length: number): number {
  return Math.ceil((12 * MiB) / (length + 3 * KiB)) + 20
}

/** Sends messages in one write: many writes would take more memory here than in the service. */
export function send(socket: WebSocket, messages: readonly string[]): void {
  const frames = messages.map(message => {
    const bytes = Buffer.from(message)
    const length = Buffer.alloc(2)
    length.writeUInt16BE(bytes.length)
    // A text frame whose mask is zero.
    return Buffer.concat([Buffer.from([0x81, 0x80 | 126]), length, Buffer.alloc(4), bytes])
  })
  // oxlint-disable-next-line no-underscore-dangle -- the property's name in ws
  ;(socket as unknown as { _socket: Socket })._socket.write(Buffer.concat(frames))
}

/** Waits until all earlier requests are complete. */
export async function quiet(t: Test, client: Client): Promise<void> {
  const socket = await socketOf(t, client)
  for (let n = 0; n < 100; n++) await socket.call('getAccessInfo')
}

/** Advances the clock in steps, so that pending work continues in between. */
export async function pass({ clock }: Service, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += 5) {
    clock.advance(5)
    for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate)
  }
}

export async function closed(socket: WebSocket): Promise<void> {
  // A paused socket does not notice its end either.
  socket.resume()
  if (socket.readyState !== WebSocket.CLOSED) await once(socket, 'close')
}

/** Starts a service with a stream of alice's that makes responses this long. */
export async function withAnswersOf(
  t: Test,
  length: number,
  overrides: Overrides = {}
): Promise<Service & { alice: Client }> {
  const service = await coffer(t, overrides)
  await service.alice.do('streams.create', { id: 'big', name: 'big', clientData: { x: 'y'.repeat(length) } })
  return service
}
