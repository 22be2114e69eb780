/**
 * HTTP upgrade requests. A client may offer protocols such as HTTP/2 in the clear, which a server may ignore (RFC
 * 9110, 7.8). But once there is a listener for upgrades, as for the sockets, Node no longer serves such requests itself.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Serves all requests and WebSocket upgrades below a path, beside the API on the same port. */
export interface Mount {
  readonly path: string
  /** Serves a request below the path. */
  request(request: IncomingMessage, response: ServerResponse): void
  /** Serves an upgrade to a WebSocket below the path. `rest`: bytes that were read beyond its head. */
  upgrade(request: IncomingMessage, socket: Duplex, rest: Buffer): void
}

/** Returns whether a request offers to upgrade to a WebSocket. HTTP/1.0 has no upgrades. */
export function offersWebSocket({ headers, httpVersion, method }: IncomingMessage): boolean {
  return method === 'GET' && httpVersion === '1.1' && headers.upgrade?.toLowerCase() === 'websocket'
}

/** Returns whether a request has a body. After an upgrade, it would be read as data of the new protocol. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0
}

/**
 * Serves a request as if it had not offered an upgrade. All headers of the request have to be known, since they say
 * where it ends.
 */
export function declineUpgrade(server: Server, request: IncomingMessage, socket: Duplex, rest: Buffer): void {
  // Node leaves its timeout on the socket, and would add it a second time.
  ;(socket as Socket).setTimeout(0).removeAllListeners('timeout')
  // The server parses the request again from the start, including what has been read of its body.
  socket.unshift(Buffer.concat([Buffer.from(formatHead(request), 'latin1'), rest]))
  server.emit('connection', socket)
}

/** Headers that belong to an upgrade offer. */
const upgradeHeaders = new Set(['upgrade', 'http2-settings'])

function formatHead({ httpVersion, method, rawHeaders, url }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!
    const value = rawHeaders[index + 1]!
    const lower = name.toLowerCase()
    if (lower === 'connection') lines.push(`${name}: ${removeUpgradeOptions(value)}`)
    else if (!upgradeHeaders.has(lower)) lines.push(`${name}: ${value}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}

/** Returns the options of a `Connection` header other than `upgrade`, such as `close`. */
function removeUpgradeOptions(options: string): string {
  return options
    .split(',')
    .filter(option => !upgradeHeaders.has(option.trim().toLowerCase()))
    .join(',')
}
