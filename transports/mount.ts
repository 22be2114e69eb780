/** Something other than the API that is served on the same port. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Serves every request and WebSocket upgrade below a path. */
export interface Mount {
  readonly path: string
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, rest: Buffer): void
}
