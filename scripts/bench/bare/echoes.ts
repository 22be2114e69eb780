/** Servers that measure the cost of frameworks alone: koa with as many routes as Coffer, and Socket.IO. */
import { createServer, type Server } from 'node:http'
import { Router } from '@koa/router'
import Koa, { type Context } from 'koa'
import { Server as SocketServer, type Socket } from 'socket.io'
import { WebSocketServer } from 'ws'

const routeCount = 80
/** Of the size of Coffer's smallest. */
const echo = { ok: 1, meta: { apiVersion: '0', serverTime: 1 } }
/** Of the size of a response of `getAccessInfo`. */
const socketAnswer = {
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

export function routerEcho(): Koa {
  const app = new Koa()
  const router = new Router()
  for (let i = 0; i < routeCount; i++) {
    // The requested route is in the middle, like an average one.
    if (i === routeCount / 2) router.all('/:user/echo', answer)
    router.get(`/:user/resource${i}/:id`, answer)
  }
  app.use(router.routes())
  return app
}

function answer(context: Context): void {
  context.type = 'application/json'
  context.body = JSON.stringify(echo)
}

/** A namespace per user, in which every call gets the same response. */
export function socketEcho(): Server {
  const http = createServer()
  const io = new SocketServer(http, {
    wsEngine: WebSocketServer,
    serveClient: false,
    cleanupEmptyChildNamespaces: true
  })
  io.of(/^\/[a-z0-9-]+$/).on('connection', (socket: Socket) => {
    socket.onAny((_method: string, _params: unknown, reply: (error: null, result: unknown) => void) =>
      reply(null, socketAnswer)
    )
  })
  return http
}
