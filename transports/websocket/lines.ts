/** WebSockets as strangers get them: with small messages. Who is let in may send larger ones: see {@link limitMessages}. */
import { WebSocketServer, type ServerOptions } from 'ws'
import { strangerMessageBytes } from './connection.js'

/** Pieces in which a message may come, each of which costs more than its bytes. */
const piecesOfMessage = 16 * 1024
/** Time for the client to close its side, in milliseconds. */
const closingMs = 10_000

export class Lines extends WebSocketServer {
  constructor(options: ServerOptions) {
    super({
      ...options,
      maxPayload: strangerMessageBytes,
      maxBufferedChunks: piecesOfMessage,
      closeTimeout: closingMs
    } as ServerOptions)
  }
}
