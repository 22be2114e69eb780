/**
 * Requests that offer to go on in another protocol, such as HTTP/2 in the clear: an offer nobody has to take. (RFC 9110, 7.8)
 * Node serves no request that has one as soon as anything, here the sockets, listens for upgrades.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Whether a request offers a WebSocket, and nothing else. HTTP/1.0 knows no such offers. */
export function offersWebSocket({ headers, httpVersion, method }: IncomingMessage): boolean {
  return method === 'GET' && httpVersion === '1.1' && headers.upgrade?.toLowerCase() === 'websocket'
}

/** Whether a body comes with a request: in another protocol it would be taken for something else. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}

/** Serves a request as if it made no offer. All its headers must be known: they tell where it ends. */
export function declineUpgrade(server: Server, request: IncomingMessage, socket: Duplex, rest: Buffer): void {
  // What Node leaves on a socket that it hands over, and does once more.
  ;(socket as Socket).setTimeout(0).removeAllListeners('timeout')
  // From the beginning again, with what has been read of the body: the server parses it like any other.
  socket.unshift(Buffer.concat([Buffer.from(headOf(request), 'latin1'), rest]))
  server.emit('connection', socket)
}

/** Headers that belong to the offer. */
const offering = new Set(['upgrade', 'http2-settings'])

function headOf({ httpVersion, method, rawHeaders, url }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    const value = rawHeaders[at + 1]!
    const lower = name.toLowerCase()
    if (lower === 'connection') lines.push(`${name}: ${withoutOffer(value)}`)
    else if (!offering.has(lower)) lines.push(`${name}: ${value}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** What else `Connection` says, such as `close`. */
function withoutOffer(options: string): string {
  return options
    .split(',')
    .filter(option => !offering.has(option.trim().toLowerCase()))
    .join(',')
}
