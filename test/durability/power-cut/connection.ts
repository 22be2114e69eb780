/** A client's connection, whose responses can be identified in the recording. */
import { Agent, request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import type { Answer } from '../../support/coffer.js'
import type { Promises, Step } from './promises.js'

/** A request; a form may contain files. */
export interface Message {
  readonly method: 'POST' | 'PUT' | 'DELETE'
  readonly url: string
  readonly token?: string
  readonly body?: unknown
}

export class Connection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })

  /** Makes a call that must succeed; records the call and its response. */
  async call(promises: Promises, message: Message, steps: readonly Step[]): Promise<Answer> {
    const content = message.body instanceof FormData ? await form(message.body) : json(message.body)
    const call: Promises['calls'][number] = { begun: Number(process.hrtime.bigint()), steps }
    promises.calls.push(call)
    const headers = { ...content.headers, ...(message.token ? { authorization: message.token } : {}) }
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      request(message.url, { method: message.method, headers, agent: this.#agent }, resolve)
        .on('error', reject)
        .end(content.bytes)
    })
    // Read before the end of the response, after which the connection may be closed.
    const port = response.socket.localPort!
    const answer: Answer = JSON.parse(await text(response))
    const problem = answer.error ?? answer.results?.find(({ error }: Answer) => error)?.error
    if (problem) throw new Error(`${message.method} ${message.url} answered ${JSON.stringify(problem)}`)
    call.port = port
    return answer
  }

  close(): void {
    this.#agent.destroy()
  }
}

interface Content {
  readonly headers: Readonly<Record<string, string | number>>
  readonly bytes: Buffer
}

function json(body: unknown): Content {
  if (body === undefined) return { headers: {}, bytes: Buffer.alloc(0) }
  const bytes = Buffer.from(JSON.stringify(body))
  return { headers: { 'content-type': 'application/json', 'content-length': bytes.length }, bytes }
}

async function form(data: FormData): Promise<Content> {
  const response = new Response(data)
  const bytes = Buffer.from(await response.arrayBuffer())
  return {
    headers: { 'content-type': response.headers.get('content-type')!, 'content-length': bytes.length },
    bytes
  }
}
