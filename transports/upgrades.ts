/**
 * Requests that offer to go on in another protocol, such as HTTP/2 in the clear: an offer nobody has to take. (RFC 9110, 7.8)
 * Node serves no request that has one as soon as anything, here the sockets, listens for upgrades.
 */
import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'

/** Serves requests with such offers as if they made none; those below `path` are left to whoever takes them. */
export function declineUpgrades(server: Server, path: string): void {
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, rest: Buffer) => {
    if (request.url?.startsWith(path)) return
    // From the beginning again, with what has been read of the body: the server parses it like any other.
    socket.unshift(Buffer.concat([Buffer.from(headOf(request), 'latin1'), rest]))
    server.emit('connection', socket)
  })
}

/** Headers that make the offer. What else `Connection` may say does not matter here. */
const offering = new Set(['upgrade', 'http2-settings', 'connection'])

function headOf({ httpVersion, method, rawHeaders, url }: IncomingMessage): string {
  const lines = [`${method} ${url} HTTP/${httpVersion}`]
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!
    if (!offering.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[at + 1]!}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}
