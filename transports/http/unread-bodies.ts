/**
 * Closes connections on which a response is sent before the request body has been read: the rest of the body could be parsed
 * as the next request, or the next request as the body. (RFC 9112, 9.6; docs/spec/conventions.md#request-bodies)
 */
import type { IncomingMessage, ServerResponse } from 'node:http'

/**
 * Sends `Connection: close` if the body has not arrived completely when the response head is written. The rest is discarded
 * until the client closes its side, for `seconds` at most. `onEnd` is called only in this case, when the response has been sent:
 * later requests on the connection must be ignored.
 */
export function closeIfUnread(
  request: IncomingMessage,
  response: ServerResponse,
  seconds: number,
  onEnd: () => void
): void {
  const { socket } = request
  const writeHead = response.writeHead.bind(response) as (...args: unknown[]) => ServerResponse
  // Node would close the connection immediately, and the system would reset it because of unread data.
  const linger = (): void => {
    onEnd()
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
