/** A minimal HTTP client for single requests. */
import { once } from 'node:events'
import { Agent, request, type IncomingMessage } from 'node:http'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { encodeBody, createHeaders, getHttpMethod, type RequestSpec } from './request-spec.js'

interface Answer {
  /** The first 16 MiB of the body. */
  readonly text: string
  /** Time from the request to the end of the response. */
  readonly seconds: number
}

/** Bytes of a response that are returned as text. */
const keptLength = 16 * 1024 * 1024
const agent = new Agent({ keepAlive: true, maxSockets: 256 })

/** Sends a request and reads the whole response. Throws on an error status, unless `mayFail`. */
export async function send(origin: string, ask: RequestSpec, mayFail = false): Promise<Answer> {
  const startMs = performance.now()
  const method = getHttpMethod(ask)
  const headers = { origin, ...createHeaders(ask) }
  const asking = request(new URL(origin + ask.path), { agent, method, headers })
  const responding = once(asking, 'response') as Promise<[IncomingMessage]>
  Readable.from(encodeBody(ask)).pipe(asking)
  const [response] = await responding
  let text = ''
  let bytes = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    if (bytes < keptLength) text += part.toString('latin1')
    bytes += part.length
  }
  if (response.statusCode! >= 400 && !mayFail)
    throw new Error(`${method} ${ask.path.slice(0, 120)}: ${text.slice(0, 300)}`)
  return { text, seconds: (performance.now() - startMs) / 1000 }
}
