/** What the frameworks cost by themselves: koa, and koa with a router of as many routes as Coffer has. */
import { Router } from '@koa/router'
import Koa, { type Context } from 'koa'
import { echo, readJson } from './bare.js'

const routeCount = 80

export function koaEcho(): Koa {
  const app = new Koa()
  app.use(async (_context, next) => {
    await next()
  })
  app.use(answerEcho)
  return app
}

export function routerEcho(): Koa {
  const app = new Koa()
  const router = new Router()
  for (let i = 0; i < routeCount; i++) {
    // The one that is asked for stands in the middle, as routes do on average.
    if (i === routeCount / 2) router.all('/:user/echo', answerEcho)
    router.get(`/:user/resource${i}/:id`, answerEcho)
  }
  app.use(router.routes())
  return app
}

async function answerEcho(context: Context): Promise<void> {
  context.type = 'application/json'
  if (context.req.method === 'POST')
    await new Promise<void>(resolve => readJson(context.req, () => resolve()))
  context.body = JSON.stringify(echo)
}
