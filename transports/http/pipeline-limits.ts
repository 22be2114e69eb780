/**
 * Limits the pipelined requests that wait on a connection. Node parses all of them at once, and a head may take a hundred times
 * the memory of a usual one. (docs/spec/limits.md#answers)
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum number of requests that wait on a connection, and of the bytes of their heads. */
const maxWaiting = 100
const maxBytes = 256 * 1024
/** Estimated overhead of a request and of each of its headers, in bytes. */
const requestOverhead = 1024
const headerOverhead = 100

interface Waiting {
  count: number
  bytes: number
}

export class PipelineLimits {
  readonly #waiting = new WeakMap<Socket, Waiting>()

  /** Counts a request until its turn comes. Returns false if its connection has exceeded a limit. */
  admit(request: IncomingMessage, response: ServerResponse): boolean {
    // Node assigns the socket once the previous response has been sent.
    if (response.socket) return true
    const { socket } = request
    const waiting = this.#waiting.get(socket) ?? { count: 0, bytes: 0 }
    const bytes = estimateBytes(request)
    waiting.count++
    waiting.bytes += bytes
    this.#waiting.set(socket, waiting)
    response.once('socket', () => {
      waiting.count--
      waiting.bytes -= bytes
    })
    return waiting.count <= maxWaiting && waiting.bytes <= maxBytes
  }
}

function estimateBytes({ rawHeaders, url = '' }: IncomingMessage): number {
  const headers = rawHeaders.reduce((bytes, text) => bytes + text.length, 0)
  return requestOverhead + url.length + headers + (rawHeaders.length / 2) * headerOverhead
}
