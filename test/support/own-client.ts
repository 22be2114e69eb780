/** The client of this repository, for accounts of tests; and servers that answer as they are told. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Test } from 'tap'
import { Coffer, type CofferOptions } from '../../client/src/index.js'
import type { Client } from './coffer.js'

/** Somebody's account, by the client. */
export function cofferOf({ service, token, username }: Client, options: CofferOptions = {}): Coffer {
  return new Coffer(`${service.server.url}/${username}/`, { token, ...options })
}

/** What a call is refused with. Throws if it is not. */
export async function refusalOf(call: Promise<unknown>): Promise<unknown> {
  const answer = await call.catch((error: unknown) => ({ error }))
  if (answer instanceof Object && 'error' in answer) return answer.error
  throw new Error('it was not refused')
}

/** A request that came in. */
export interface Asked {
  readonly verb: string
  readonly path: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

/** How a request is answered; `passed` asks the service behind. */
export type Reply = (
  asked: Asked,
  response: ServerResponse,
  passed: () => Promise<Response>
) => Promise<void> | void

export interface Scripted {
  readonly url: string
  readonly asked: Asked[]
}

/** Starts a server that answers each request by the next of the replies, and all further ones by the last. */
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

/** Answers as the service behind does. */
export const pass: Reply = async (_asked, response, passed) => {
  const answer = await passed()
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
}

/** Has the service behind do it, and cuts the line in place of an answer. */
export const lose: Reply = async (_asked, response, passed) => {
  await passed()
  response.destroy()
}

/** Refuses for the time being. */
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

/** Cuts the line without a word. */
export const cut: Reply = (_asked, response) => {
  response.destroy()
}
