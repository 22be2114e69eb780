/**
 * Closes connections on which a response is sent before the request body has been read: what follows could be taken for the
 * next request, or the next request for the body. (RFC 9112, 9.6; docs/spec/conventions.md#request-bodies)
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Has a response say `Connection: close` if the body of its request has not arrived completely when its head is written. What
 * still comes is discarded until the client closes its side, for `seconds` at most. `ended` is called when the response has
 * been sent: requests that follow on the connection must be ignored.
 */
export function closeIfUnread(
  request: IncomingMessage,
  response: ServerResponse,
  seconds: number,
  ended: () => void
): void {
  const { socket } = request
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
  // Node would close the connection at once, and the system reset it for what has not been read.
  const linger = (): void => {
    ended()
    socket.end()
    request.on('error', ignore).resume()
    const timer = setTimeout(() => socket.destroy(), seconds * 1000)
    socket.once('end', () => socket.destroy()).once('close', () => clearTimeout(timer))
  }
  response.writeHead = (...args: unknown[]) => {
    if (!request.complete && !response.headersSent) {
      response.shouldKeepAlive = false
      socket.destroySoon = linger
    }
    return writeHead(...args)
  }
}

function ignore(): void {
  // The request has been answered.
}
