/** Requests that no well-behaved client sends: any host, any bytes, partial bodies. */
import { request, type IncomingHttpHeaders } from 'node:http'
import { connect } from 'node:net'
import { once } from 'node:events'
import type { Answer } from './coffer.js'

export interface RawRequest {
  readonly verb?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Sends a request with exactly these headers; parses the body of the response if it is JSON. */
export async function rawHttp(
  base: string,
  { verb = 'GET', path, headers = {}, body }: RawRequest
): Promise<{ status: number; headers: IncomingHttpHeaders; body: Answer }> {
  const { hostname, port } = new URL(base)
  const outgoing = request({
    hostname,
    port,
    path,
    method: verb,
    headers,
    agent: false,
    // The response repeats part of the request.
    maxHeaderSize: 256 * 1024
  })
  outgoing.end(body)
  const [response] = await once(outgoing, 'response')
  let text = ''
  for await (const chunk of response.setEncoding('utf8')) text += chunk
  const isJson = String(response.headers['content-type']).includes('json')
  return { status: response.statusCode, headers: response.headers, body: isJson ? JSON.parse(text) : text }
}

/** Sends raw bytes; returns the response once the other side closes, or once `isEnough` of it has arrived. */
export async function rawBytes(
  base: string,
  bytes: string | Buffer,
  isEnough: (received: string) => boolean = () => false
): Promise<string> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  socket.on('error', () => socket.destroy())
  socket.write(bytes)
  let received = ''
  for await (const chunk of socket) {
    received += String(chunk)
    if (isEnough(received)) break
  }
  socket.destroy()
  return received
}

/** Sends bytes and disconnects. */
export async function sendAndLeave(base: string, bytes: string): Promise<void> {
  const { hostname, port } = new URL(base)
  const socket = connect(Number(port), hostname)
  await new Promise(resolve => socket.write(bytes, resolve))
  socket.resetAndDestroy()
  await once(socket, 'close')
}
