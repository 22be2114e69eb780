/** Partial bodies, and bodies from many clients. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { Test } from 'tap'
import type { Service } from './coffer.js'

/** Shared content of all bodies: it takes memory only once. */
const blanks = Buffer.alloc(12 * 1024 * 1024, ' ')

export interface Sending {
  readonly path: string
  readonly token?: string
  readonly type?: string
  readonly encoding?: string
  readonly size: number
  /** Number of bytes that are sent; by default all. */
  readonly sent?: number
  readonly body?: Buffer
}

/** Sends a body or part of it; the connection stays open. */
export async function send(
  t: Test,
  { server }: Service,
  { body, encoding, path, sent, size, token, type = 'application/json' }: Sending
): Promise<{ socket: Socket; answer: Promise<string> }> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => undefined)
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  const answer = answerOn(socket).catch(() => '')
  socket.write(
    [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      `Content-Type: ${type}`,
      ...(encoding === undefined ? [] : [`Content-Encoding: ${encoding}`]),
      ...(token === undefined ? [] : [`Authorization: ${token}`]),
      `Content-Length: ${size}`,
      '\r\n'
    ].join('\r\n')
  )
  const bytes = (body ?? blanks).subarray(0, sent ?? size)
  socket.write(bytes)
  return { socket, answer }
}

/** Returns the first response on a connection, or the beginning of a long one. */
async function answerOn(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket.setEncoding('utf8')) {
    text += String(chunk)
    const end = text.indexOf('\r\n\r\n')
    const [, length = '0'] = /content-length: (\d+)/i.exec(text) ?? []
    if (end > 0 && Buffer.byteLength(text) >= end + 4 + Number(length)) break
  }
  return text
}

/** Waits until sent data has arrived. */
export async function arrived(sockets: readonly Socket[], enough: () => boolean): Promise<void> {
  let before = -1
  for (let same = 0; same < 20 && !enough();) {
    await new Promise(resolve => setTimeout(resolve, 5))
    const waiting = sockets.reduce((sum, { writableLength }) => sum + writableLength, 0)
    same = waiting === before ? same + 1 : 0
    before = waiting
  }
}
