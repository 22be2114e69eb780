/** A real HTTP server on loopback that webhooks call. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'
import type { Answer } from './coffer.js'
import { until } from './socket.js'

export interface Delivery {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly bytes: Buffer
  readonly body: Answer
}

export class Receiver {
  readonly deliveries: Delivery[] = []
  /** The response: a status, or a function that handles it. */
  answer: number | ((response: ServerResponse) => void) = 200
  port = 0

  get url(): string {
    return `http://127.0.0.1:${this.port}`
  }

  /** The messages of all calls so far, by call. */
  get messages(): string[][] {
    return this.deliveries.map(({ body }) => body.messages as string[])
  }

  /** Waits until this many calls have been received in total. */
  async received(count: number): Promise<string[][]> {
    await until(() => this.deliveries.length >= count, `${count} calls (${JSON.stringify(this.messages)})`)
    return this.messages
  }
}

/** Starts a receiver; the test's teardown stops it. */
export async function receiver(t: Test): Promise<Receiver> {
  const made = new Receiver()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', chunk => chunks.push(chunk as Buffer))
    request.on('end', () => {
      const bytes = Buffer.concat(chunks)
      const text = bytes.toString()
      made.deliveries.push({
        path: `${request.method} ${request.url}`,
        headers: request.headers,
        text,
        bytes,
        // Encrypted bodies may begin with any byte.
        body: text.startsWith('{') && !request.headers['content-encoding'] ? JSON.parse(text) : undefined
      })
      if (typeof made.answer === 'number') response.writeHead(made.answer).end()
      else made.answer(response)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  made.port = (server.address() as AddressInfo).port
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return made
}
