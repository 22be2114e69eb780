/** The transports for hostile params of a method: as JSON text, never as values of this program. */
import { Agent, request } from 'node:http'
import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Route } from '../../transports/http/route.js'
import { serviceRoutes, userRoutes } from '../../transports/http/routes.js'
import type { Answer } from '../support/coffer.js'
import type { HostileParams } from '../support/hostile-calls.js'
import { percentEncoded } from '../support/oddities.js'

/** The response; without a status if the transport has none, without a body if the connection broke. */
export interface Reply {
  readonly status?: number
  readonly body?: Answer
}

/** A call of a user's method. */
export interface Attack {
  readonly url: string
  readonly username: string
  readonly headers: Record<string, string>
  readonly method: string
  readonly params: HostileParams
}

/** All requests share a few connections: thousands of connections would exhaust the ports. */
const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends one request over HTTP. Broken connections return nothing. */
export async function ask(
  base: string,
  verb: string,
  path: string,
  headers: Record<string, string>,
  body?: string
): Promise<Reply> {
  const { hostname, port } = new URL(base)
  for (let attempt = 1; ; attempt++)
    try {
      const outgoing = request({ hostname, port, path, method: verb, headers, agent })
      outgoing.end(body)
      const [response] = await once(outgoing, 'response')
      let text = ''
      for await (const chunk of response.setEncoding('utf8')) text += chunk
      const isJson = /[/+]json/.test(String(response.headers['content-type']))
      return { status: response.statusCode, body: isJson && text !== '' ? JSON.parse(text) : text }
    } catch (error) {
      // A kept-alive connection may be closed by the other side at this moment.
      if (attempt === 3) throw error
    }
}

/** Returns the routes of a method. */
export function routesOf(method: string): { route: Route; isOfUser: boolean }[] {
  return [
    ...userRoutes.map(route => ({ route, isOfUser: true })),
    ...serviceRoutes.map(route => ({ route, isOfUser: false }))
  ].filter(({ route }) => route.method === method)
}

/** Sends it as a request of a route. */
export async function overHttp(
  { headers, params, url, username }: Attack,
  route: Route,
  isOfUser: boolean
): Promise<Reply> {
  const { text } = params
  const rest = new Map(params.members)
  const path = route.path.replace(/:(\w+)/g, (_whole, name: string) => {
    const value = rest.get(name) ?? text
    rest.delete(name)
    return percentEncoded(value)
  })
  const query = [...rest].map(
    ([name, value]) => `${percentEncoded(JSON.stringify(name))}=${percentEncoded(value)}`
  )
  const hasBody = route.verb === 'POST' || route.verb === 'PUT'
  const members = [...rest].map(([name, value]) => `${JSON.stringify(name)}:${value}`)
  const whole = params.members ? `{${members.join()}}` : text
  const body = route.verb === 'PUT' ? (rest.get('update') ?? text) : whole
  return await ask(
    url,
    route.verb,
    `${isOfUser ? `/${username}` : ''}${path}${hasBody || query.length === 0 ? '' : `?${query.join('&')}`}`,
    {
      ...headers,
      ...(hasBody
        ? { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) }
        : {})
    },
    hasBody ? body : undefined
  )
}

/** Sends it as the only call of a batch. */
export async function inBatch({ headers, method, params, url, username }: Attack): Promise<Reply> {
  const body = `[{"method":${JSON.stringify(method)},"params":${params.text}}]`
  const reply = await ask(
    url,
    'POST',
    `/${username}/`,
    {
      ...headers,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body))
    },
    body
  )
  const [result] = reply.body?.results ?? []
  return result ? { status: reply.status!, body: { meta: reply.body.meta, ...result } } : reply
}

/** A socket that sends raw text. */
export class RawSocket {
  #count = 0

  private constructor(
    private readonly socket: WebSocket,
    private readonly namespace: string
  ) {}

  /** Opens the namespace of a user; `undefined` if that is refused. */
  static async open(url: string, username: string, token: string): Promise<RawSocket | undefined> {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/socket.io/?EIO=4&transport=websocket`, {
      maxPayload: 2 ** 30
    })
    socket.on('error', () => {})
    await once(socket, 'message')
    const answered = once(socket, 'message')
    socket.send(`40/${username},${JSON.stringify({ auth: token })}`)
    const [answer] = await answered
    if (String(answer).startsWith(`40/${username},`)) return new RawSocket(socket, `/${username},`)
    socket.terminate()
    return undefined
  }

  get isOpen(): boolean {
    return this.socket.readyState === WebSocket.OPEN
  }

  /** Makes a call; returns nothing if the connection breaks. */
  async call(method: string, params: string): Promise<Reply> {
    const number = this.#count++
    const begin = `43${this.namespace}${number}[`
    return await new Promise(resolve => {
      const hear = (data: Buffer): void => {
        const text = String(data)
        if (text === '2') this.socket.send('3')
        if (!text.startsWith(begin)) return
        end()
        const [error, result] = JSON.parse(text.slice(begin.length - 1)) as [Answer, Answer]
        resolve({ body: error ?? result })
      }
      const cut = (): void => {
        end()
        resolve({})
      }
      const end = (): void => {
        this.socket.off('message', hear).off('close', cut)
      }
      this.socket.on('message', hear).on('close', cut)
      if (!this.isOpen) cut()
      else this.socket.send(`42${this.namespace}${number}[${JSON.stringify(method)},${params}]`)
    })
  }

  close(): void {
    this.socket.terminate()
  }
}
