/** Outcomes as HTTP answers: status, headers, body, `meta` in every one of them. (service.md, General conventions 4, Errors) */
import type { ServerResponse } from 'node:http'
import type { Http } from './context.js'
import { metaMember } from '../../core/envelope.js'
import type { ApiError } from '../../core/errors.js'
import { members } from '../../core/json.js'
import type { GatewayCore } from '../../core/gateway.js'
import type { Outcome } from '../../core/outcome.js'

const json = 'application/json; charset=utf-8'

/** Answers an outcome; `status` is that of success. */
export async function reply(ctx: Http, core: GatewayCore, outcome: Outcome, status: number): Promise<void> {
  const { accessId, ok } = outcome
  if (!ok) {
    if (accessId !== undefined) ctx.res.setHeader(core.config.accessIdHeader, accessId)
    return replyError(ctx, core, outcome.error)
  }
  const { excess, members: text, rest } = outcome
  const meta = metaMember(core.config, core.clock.now())
  // Koa would look at the text twice more, to guess its type and to count its bytes.
  ctx.respond = false
  // In one list: setting them one by one costs a tenth of a small call.
  const headers = [...ctx.state.headers, 'Content-Type', json]
  if (accessId !== undefined) headers.push(core.config.accessIdHeader, accessId)
  if (rest) {
    ctx.res.writeHead(status, headers)
    return await replyStreamed(ctx, `{${text}`, rest, `,${meta}}`)
  }
  const body = text === '' ? `{${meta}}` : `{${text},${meta}}`
  // What is around the members is ASCII.
  const length = excess === undefined ? Buffer.byteLength(body) : body.length + excess
  headers.push('Content-Length', String(length))
  ctx.res.writeHead(status, headers).end(body)
}

/** Answers an error. */
export function replyError(ctx: Http, core: GatewayCore, error: ApiError): void {
  const { retryAfter, location, beside } = error.details
  ctx.status = error.status
  ctx.res.setHeader('Content-Type', json)
  if (retryAfter !== undefined) ctx.res.setHeader('Retry-After', String(Math.ceil(retryAfter)))
  if (location !== undefined) ctx.res.setHeader('Location', location)
  ctx.body = `{${members({ error, ...beside })},${metaMember(core.config, core.clock.now())}}`
}

/** Writes a long answer as it is made. */
async function replyStreamed(
  ctx: Http,
  first: string,
  rest: AsyncGenerator<string, void, undefined>,
  last: string
): Promise<void> {
  const { res } = ctx
  if (ctx.method === 'HEAD') {
    await rest.return()
    res.end()
    return
  }
  try {
    await write(res, first)
    for await (const text of rest) {
      await write(res, text)
      // Leaving the loop releases what the rest holds.
      if (res.destroyed) return
    }
    res.end(last)
  } catch (error) {
    // Half of the answer is out: cutting the line is the only way to say that the rest will not come.
    res.destroy()
    throw error
  }
}

/** Writes one text, whole characters that is, and waits until there is room for more or nobody listens any longer. */
function write(res: ServerResponse, text: string): Promise<void> | undefined {
  if (res.write(text) || res.destroyed) return undefined
  return new Promise(resolve => {
    const done = (): void => {
      res.off('drain', done).off('close', done)
      resolve()
    }
    res.on('drain', done).on('close', done)
  })
}
