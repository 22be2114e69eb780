/** What is served on a port beside the API. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/** Serves all below a path, and WebSockets there. */
export interface Mount {
  readonly path: string
  request(request: IncomingMessage, response: ServerResponse): void
  upgrade(request: IncomingMessage, socket: Duplex, rest: Buffer): void
}
