/** node:http and nothing around it: the physical work of each row, without tokens, rules, or routes. */
import { readFile } from 'node:fs'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { verify } from '@node-rs/argon2'
import type { ReferenceStore } from './store.js'

/** What the handler serves from. */
export interface BareParts {
  readonly readers: readonly ReferenceStore[]
  readonly inLoop: readonly ReferenceStore[]
  readonly offThread: readonly ReferenceStore[]
  readonly streams: readonly object[]
  readonly passwordHash: string
  /** Path of a file that is sent as it is. */
  readonly file: string
}

/** An answer to an echo: as small as Coffer's smallest. */
export const echo = { ok: 1, meta: { apiVersion: '0', serverTime: 1 } }

type Action = (parts: BareParts, user: number, body: unknown, send: (text: string | Buffer) => void) => void

/** By first part of the path. The second is the number of a user, where there is one. */
const actions: Readonly<Record<string, Action>> = {
  echo: (_parts, _user, _body, send) => send(JSON.stringify(echo)),
  get20: ({ readers }, user, _body, send) => send(readers[user]!.latest(20)),
  get1000: ({ readers }, user, _body, send) => send(readers[user]!.latest(1000)),
  streams: ({ streams }, _user, _body, send) => send(JSON.stringify({ streams, meta: echo.meta })),
  'create-in-loop': ({ inLoop }, user, body, send) => create(inLoop[user]!, body as object, send),
  'create-off-thread': ({ offThread }, user, body, send) => create(offThread[user]!, body as object, send),
  batch: ({ offThread }, user, body, send) => {
    const calls = body as { params: object }[]
    const store = offThread[user]!
    store.write(
      () => calls.map(({ params }) => `{"event":${store.create(params)}}`).join(','),
      text => send(`{"results":[${text}]}`)
    )
  },
  'points-in': ({ offThread }, user, body, send) => {
    const store = offThread[user]!
    const { points } = body as { points: unknown[][] }
    store.write(
      () => {
        store.series.insert(1, points)
        return '{"status":"ok"}'
      },
      text => send(text)
    )
  },
  'points-out': ({ readers }, user, _body, send) => send(readers[user]!.series.all()),
  file: ({ file }, _user, _body, send) => readFile(file, (_error, bytes) => send(bytes)),
  login: ({ passwordHash }, _user, body, send) => {
    const { password } = body as { password: string }
    void verify(passwordHash, password).then(isRight => send(JSON.stringify({ isRight })))
  }
}

export function bareHandler(parts: BareParts): RequestListener {
  return (request, response) => {
    const [, name = '', user] = (request.url ?? '').split('/')
    const action = actions[name]
    if (!action) return reply(response, 404, '{}')
    const send = (text: string | Buffer): void => reply(response, 200, text)
    if (request.method === 'GET') return action(parts, Number(user), undefined, send)
    readJson(request, body => action(parts, Number(user), body, send))
  }
}

function create(store: ReferenceStore, event: object, send: (text: string) => void): void {
  store.write(
    () => `{"event":${store.create(event)}}`,
    text => send(text)
  )
}

export function readJson(request: IncomingMessage, done: (body: unknown) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => done(JSON.parse(Buffer.concat(chunks).toString())))
}

function reply(response: ServerResponse, status: number, text: string | Buffer): void {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  response.writeHead(status, headers).end(text)
}
