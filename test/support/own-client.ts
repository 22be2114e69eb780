/** The client of this repository, for accounts of tests, and servers with scripted replies. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { Coffer, type CofferOptions } from '../../client/src/index.js'
import type { Client } from './coffer.js'

/** Returns a client for an account. */
export function cofferOf({ service, token, username }: Client, options: CofferOptions = {}): Coffer {
  return new Coffer(`${service.server.url}/${username}/`, { token, ...options })
}

/** Returns the error of a refused call. Throws if it is not refused. */
export async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  const answer = await call.catch((error: unknown) => ({ error }))
  if (answer instanceof Object && 'error' in answer) return answer.error
  throw new Error('it was not refused')
}

/** A received request. */
export interface Asked {
  readonly verb: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** How to respond to a request; `passed` forwards it to the service behind. */
export type Reply = (
  asked: Asked,
  response: ServerResponse,
  passed: () => Promise<Response>
) => Promise<void> | void

export interface Scripted {
  readonly url: string
  readonly asked: Asked[]
}

/** Starts a server that uses the next reply for each request, and the last one for all further requests. */
export async function scripted(t: Test, target: string, ...replies: readonly Reply[]): Promise<Scripted> {
  const asked: Asked[] = []
  const server = createServer((request, response) => {
    void text(request).then(async body => {
      const { headers, method: verb = '', url: path = '' } = request
      asked.push({ verb, path, headers, body })
      const reply = replies[Math.min(asked.length, replies.length) - 1]!
      await reply(asked.at(-1)!, response, async () => {
        const { authorization = '', 'content-type': type = 'text/plain' } = headers
        return await fetch(target + path, {
          method: verb,
          headers: { authorization, 'content-type': type },
          ...(body === '' ? {} : { body })
        })
      })
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** Responds as the service behind does. */
export const pass: Reply = async (_asked, response, passed) => {
  const answer = await passed()
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
}

/** Forwards the request, and disconnects instead of responding. */
export const lose: Reply = async (_asked, response, passed) => {
  await passed()
  response.destroy()
}

/** Refuses temporarily. */
export function refuse(status: number, retryAfter?: number): Reply {
  return (_asked, response) => {
    const error = { id: status === 429 ? 'too-many-requests' : 'api-unavailable', message: 'Later' }
    response
      .writeHead(status, {
        'content-type': 'application/json',
        ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) })
      })
      .end(JSON.stringify({ error }))
  }
}

/** Disconnects without a response. */
export const cut: Reply = (_asked, response) => {
  response.destroy()
}
