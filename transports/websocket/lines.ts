/**
 * The WebSocket server. New connections may send small messages only; authenticated ones get a higher limit: see
 * {@link limitMessages}.
 */
import { WebSocketServer, type ServerOptions } from 'ws'
import { strangerMessageBytes } from './connection.js'

/** Maximum number of chunks of a message, since each costs more than its bytes. */
const maxChunks = 16 * 1024
/** Time for the client to complete the closing handshake, in milliseconds. */
const closingMs = 10_000

export class Lines extends WebSocketServer {
  constructor(options: ServerOptions) {
    super({
      ...options,
      maxPayload: strangerMessageBytes,
      maxBufferedChunks: maxChunks,
      closeTimeout: closingMs
    } as ServerOptions)
  }
}
