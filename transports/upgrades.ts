/**
 * HTTP upgrade requests. A client may offer protocols such as HTTP/2 in the clear, which a server may ignore (RFC
 * 9110, 7.8). But as soon as anything listens for upgrades, as the sockets do, Node no longer serves such requests
 * itself.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Whether a request offers to upgrade to a WebSocket. HTTP/1.0 has no upgrades. */
export function offersWebSocket({ headers, httpVersion, method }: IncomingMessage): boolean {
  return method === 'GET' && httpVersion === '1.1' && headers.upgrade?.toLowerCase() === 'websocket'
}

/** Whether a request has a body. After an upgrade, it would be taken for data of the new protocol. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}

/** Serves a request as if it had not offered an upgrade. All its headers must be known: they say where it ends. */
export function declineUpgrade(server: Server, request: IncomingMessage, socket: Duplex, rest: Buffer): void {
  // Node leaves its timeout on the socket, and would add it a second time.
  ;(socket as Socket).setTimeout(0).removeAllListeners('timeout')
  // The server parses the request again from the start, including what has been read of its body.
  socket.unshift(Buffer.concat([Buffer.from(headOf(request), 'latin1'), rest]))
  server.emit('connection', socket)
}

/** Headers that belong to an upgrade offer. */
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

/** The other options of the `Connection` header, such as `close`. */
function withoutOffer(options: string): string {
  return options
    .split(',')
    .filter(option => !offering.has(option.trim().toLowerCase()))
    .join(',')
}
