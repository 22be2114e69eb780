/** A plain `node:http` server that does only the physical work of each row: no tokens, rules or routes. */
import { createHash } from 'node:crypto'
import { createWriteStream, readFile } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { verify } from '@node-rs/argon2'
import busboy from 'busboy'
import { sampleAccessInfo } from './echo-server.js'
import type { BareStore } from './store.js'

/** The data that the handler serves. */
interface BareData {
  /**
   * Stores by user, of three kinds: stores to read from, stores that sync in the event loop, and stores that sync in
   * the thread pool.
   */
  readonly readers: readonly BareStore[]
  readonly inLoop: readonly BareStore[]
  readonly offThread: readonly BareStore[]
  /** A response of `streams.get` as JSON text. */
  readonly streams: string
  readonly passwordHash: string
  /** Path of a small file to send. */
  readonly file: string
  /** Folder for uploaded files. */
  readonly directory: string
}

/** A request. `user` and `size` are the second and third part of its path. */
interface Call {
  readonly parts: BareData
  readonly user: number
  readonly size: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
}

/** Number of uploaded files after which the oldest is overwritten. */
const keptFiles = 64
let uploads = 0

/** Request handlers by the first part of the path. */
const actions: Readonly<Record<string, (call: Call) => unknown>> = {
  latest: ({ parts, response, size, user }) => reply(response, parts.readers[user]!.listLatest(Number(size))),
  'in-stream': ({ parts, response, size, user }) =>
    reply(response, parts.readers[user]!.listInStream(Number(size))),
  one: ({ parts, response, size, user }) => reply(response, parts.readers[user]!.getEvent(Number(size))),
  access: ({ response }) => reply(response, JSON.stringify(sampleAccessInfo)),
  streams: ({ parts, response }) => reply(response, parts.streams),
  'points-out': ({ parts, response, user }) => parts.readers[user]!.series.sendAll(response),
  file: ({ parts, response }) => readFile(parts.file, (_error, bytes) => reply(response, bytes)),
  'create-in-loop': ({ parts, user, ...call }) => create(parts.inLoop[user]!, call),
  'create-off-thread': ({ parts, user, ...call }) => create(parts.offThread[user]!, call),
  async batch({ parts, request, response, user }) {
    const calls = (await readJson(request)) as { params: object }[]
    const store = parts.offThread[user]!
    const text = await store.write(() =>
      calls.map(({ params }) => `{"event":${store.create(params)}}`).join(',')
    )
    reply(response, `{"results":[${text}]}`)
  },
  async 'points-in'({ parts, request, response, user }) {
    const { points } = (await readJson(request)) as { points: unknown[][] }
    const store = parts.offThread[user]!
    await store.write(() => store.series.insert(1, points))
    reply(response, '{"status":"ok"}')
  },
  async login({ parts, request, response }) {
    const { password } = (await readJson(request)) as { password: string }
    reply(response, JSON.stringify({ isRight: await verify(parts.passwordHash, password) }))
  },
  async upload({ parts, request, response, user }) {
    const hash = createHash('sha256')
    const form = busboy({ headers: request.headers })
    const path = join(parts.directory, `bare-upload-${uploads++ % keptFiles}`)
    const event: { content?: string } = {}
    const written = new Promise<void>((resolve, reject) => {
      form.on('field', (_name, text) => (event.content = text))
      form.on('file', (_name, source) => {
        source.on('data', (chunk: Buffer) => hash.update(chunk))
        const file = createWriteStream(path, { flush: true, highWaterMark: 256 * 1024 })
        pipeline(source, file).then(resolve, reject)
      })
    })
    request.pipe(form)
    await written
    const store = parts.offThread[user]!
    const posted = { ...(JSON.parse(event.content ?? '{}') as object), integrity: hash.digest('base64') }
    reply(response, await store.write(() => `{"event":${store.create(posted)}}`))
  }
}

/** Returns the handler of all requests. */
export function createBareHandler(parts: BareData): RequestListener {
  return (request, response) => {
    const [, name = '', user, size = ''] = (request.url ?? '').split('/')
    void actions[name]!({ parts, user: Number(user), size, request, response })
  }
}

async function create(
  store: BareStore,
  { request, response }: Pick<Call, 'request' | 'response'>
): Promise<void> {
  const event = (await readJson(request)) as object
  reply(response, await store.write(() => `{"event":${store.create(event)}}`))
}

function readJson(request: IncomingMessage): Promise<unknown> {
  return new Promise(resolve => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString())))
  })
}

function reply(response: ServerResponse, text: string | Buffer): void {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  response.writeHead(200, headers).end(text)
}
