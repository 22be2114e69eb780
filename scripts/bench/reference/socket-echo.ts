/** The process of the bare Socket.IO server: a namespace for each user, and an answer of the size of an access's own. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Server, type Socket } from 'socket.io'
import { WebSocketServer } from 'ws'

type Reply = (error: null, result: unknown) => void

const answer = {
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

const http = createServer().listen(0, '127.0.0.1', () => process.send?.((http.address() as AddressInfo).port))
const io = new Server(http, {
  wsEngine: WebSocketServer,
  serveClient: false,
  cleanupEmptyChildNamespaces: true
})
io.of(/^\/[a-z0-9-]+$/).on('connection', (socket: Socket) => {
  socket.onAny((_method: string, _params: unknown, reply: Reply) => reply(null, answer))
})
