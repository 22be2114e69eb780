/** A server that measures the cost of Socket.IO alone. */
import { createServer, type Server } from 'node:http'
import { Server as SocketServer, type Socket } from 'socket.io'
import { WebSocketServer } from 'ws'

/** A response of the size of `getAccessInfo`. */
export const sampleAccessInfo = {
  id: 'cbenchaccess0000000000001',
  token: 'cbenchtoken00000000000001',
  apiEndpoint: 'http://cbenchtoken00000000000001@127.0.0.1:3000/live0/',
  type: 'personal',
  name: 'coffer-bench',
  lastUsed: 1_700_000_000.123,
  created: 1_600_000_000,
  createdBy: 'system',
  modified: 1_600_000_000,
  modifiedBy: 'system',
  calls: { getAccessInfo: 12_345 },
  user: { username: 'live0' },
  meta: { apiVersion: '1.6.21', serverTime: 1_700_000_000.123, serial: '00010012345678' }
}

/** Creates a Socket.IO server with a namespace per user, in which every call returns the same response. */
export function createEchoServer(): Server {
  const http = createServer()
  const io = new SocketServer(http, {
    wsEngine: WebSocketServer,
    serveClient: false,
    cleanupEmptyChildNamespaces: true
  })
  io.of(/^\/[a-z0-9-]+$/).on('connection', (socket: Socket) => {
    socket.onAny((_method: string, _params: unknown, reply: (error: null, result: unknown) => void) =>
      reply(null, sampleAccessInfo)
    )
  })
  return http
}
