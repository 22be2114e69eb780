/**
 * The WebSocket server. New connections may send small messages only; authenticated ones get a higher limit: see
 * {@link limitMessages}.
 */
import { WebSocketServer, type ServerOptions } from 'ws'
import { strangerMessageBytes } from './connection.js'

/** Maximum number of chunks of a message, since each costs more than its bytes. */
const maxChunks = 16 * 1024
/**
 * Maximum number of frames of a message: each takes a hundred bytes besides what it holds, also before a client has
 * authenticated.
 */
const maxFragments = 2048
/** Time for the client to complete the closing handshake, in milliseconds. */
const closingMs = 10_000

export class Lines extends WebSocketServer {
  constructor(options: ServerOptions) {
    super({
      ...options,
      maxPayload: strangerMessageBytes,
      maxBufferedChunks: maxChunks,
      maxFragments,
      closeTimeout: closingMs
    } as ServerOptions)
  }
}
