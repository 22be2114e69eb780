/** The wires over which a scenario's call reaches the service. */
import { io } from 'socket.io-client'
import { Coffer, CofferError, type MethodId } from '../../client/src/index.js'
import type { Route } from '../../transports/http/route.js'
import { serviceRoutes, userRoutes } from '../../transports/http/routes.js'
import type { Answer } from '../support/coffer.js'
import { given, type Scenario } from './scenario.js'
import type { World } from './world.js'

/** The response: the result's members or `error`, without `meta`; the status where there is one. */
export interface Reply {
  readonly status: number | undefined
  readonly body: Answer
  /** The body of a response that is not JSON. */
  readonly text?: string
  /** Its media type. */
  readonly type?: string
  /** Over HTTP, the whole response with its media type. */
  readonly whole?: { readonly answered: Answer; readonly type: string }
}

export type WireName = 'http' | 'batch' | 'socket' | 'client'

/** Sends a scenario's call over a wire. */
export async function send(wire: WireName, method: string, scenario: Scenario, world: World): Promise<Reply> {
  const params = given(scenario.params, world) ?? {}
  const token = world.token(scenario.by ?? 'owner')
  const headers = {
    ...(token === undefined ? {} : { authorization: token }),
    ...given(scenario.headers, world)
  }
  if (wire === 'client') return await byClient(method, params, token, given(scenario.headers, world), world)
  if (wire === 'socket') return await overSocket(method, params, token, given(scenario.headers, world), world)
  return wire === 'http'
    ? await overHttp(method, params, headers, world, scenario.files)
    : await inBatch(method, params, headers, world)
}

/** Makes a call over its HTTP route. */
async function overHttp(
  method: string,
  params: object,
  headers: Record<string, string>,
  world: World,
  files: readonly string[] = []
): Promise<Reply> {
  const { responseKind: answers, verb, path, isOfUser } = routeOf(method)
  const rest = new Map<string, unknown>(Object.entries(params))
  const filled = path.replace(/:(\w+)/g, (_whole, name: string) => {
    const value = rest.get(name)
    rest.delete(name)
    return encodeURIComponent(String(value))
  })
  const root = isOfUser ? `/${world.owner.username}` : ''
  const {
    status,
    body,
    headers: answered
  } = verb === 'GET' || verb === 'DELETE'
    ? await world.service.http(verb, `${root}${filled}${queryOf(rest)}`, undefined, headers)
    : await world.service.http(
        verb,
        `${root}${filled}`,
        files.length > 0 ? formOf(files) : bodyOf(verb, params, rest),
        headers
      )
  const type = answered.get('content-type') ?? ''
  const whole = { answered: body, type }
  // Some responses are the plain text of one value.
  const name = method.startsWith('registration.') ? 'isValid' : 'isFree'
  if (answers === 'text' && typeof body === 'string')
    return { status, body: { [name]: JSON.parse(body) }, whole }
  return typeof body === 'string'
    ? { status, body: {}, text: body, type, whole }
    : { status, body: withoutMeta(body), whole }
}

/** Makes a call as the only one of a batch. */
async function inBatch(
  method: string,
  params: object,
  headers: Record<string, string>,
  world: World
): Promise<Reply> {
  const { body } = await world.service.http(
    'POST',
    `/${world.owner.username}/`,
    [{ method, params }],
    headers
  )
  // A refused batch has no results.
  return { status: undefined, body: withoutMeta(body.results?.[0] ?? body) }
}

/** Opens a separate socket for each call; a refusal to open it counts as the call's. */
async function overSocket(
  method: string,
  params: object,
  token: string | undefined,
  extraHeaders: Record<string, string> = {},
  { owner, service }: World
): Promise<Reply> {
  const query = token === undefined ? '' : `?auth=${encodeURIComponent(token)}`
  const socket = io(`${service.server.url}/${owner.username}${query}`, {
    transports: ['websocket'],
    forceNew: true,
    reconnection: false,
    extraHeaders
  })
  const body = await new Promise<Answer>(resolve => {
    socket.on('connect_error', error => resolve((error as Answer).data))
    socket.emit(method, params, (error: Answer, result: Answer) => resolve(error ?? result))
  })
  socket.close()
  return { status: undefined, body: withoutMeta(body) }
}

/** Calls by the client library of this repository. */
async function byClient(
  method: string,
  params: object,
  token: string | undefined,
  headers: Record<string, string> = {},
  { owner, service }: World
): Promise<Reply> {
  const root = `${service.server.url}/${owner.username}/`
  const client = new Coffer(root, { token, headers, retries: 0 })
  const body: Answer = await client.call(method as MethodId, params as never).catch((error: unknown) => {
    if (!(error instanceof CofferError)) throw error
    const { data, id, message } = error
    return { error: { id, message, data } }
  })
  return { status: undefined, body }
}

/** Returns whether a scenario applies to a wire: over sockets, a call always has a token. */
export function isFor(wire: WireName, { by, error, only }: Scenario): boolean {
  // The client treats refusals of all methods in the same way.
  if (wire === 'client') return error === undefined && (only === undefined || only === 'batch')
  if (only) return only === wire
  const hasToken = by !== 'nobody' && by !== 'stranger' && by !== 'admin' && by !== 'command'
  return wire !== 'socket' || hasToken || error === 'invalid-access-token'
}

/** Returns the first route of a method. */
function routeOf(method: string): Route & { isOfUser: boolean } {
  const ofUser = userRoutes.find(route => route.method === method)
  const route = ofUser ?? serviceRoutes.find(candidate => candidate.method === method)
  if (!route) throw new Error(`${method} has no route`)
  return { ...route, isOfUser: ofUser !== undefined }
}

/** Returns the status of a success. */
export function statusOf(method: string): number {
  return routeOf(method).status
}

function queryOf(params: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams()
  for (const [name, value] of params)
    if (Array.isArray(value)) for (const item of value) query.append(name, textOf(item))
    else query.append(name, textOf(value))
  return query.size > 0 ? `?${query.toString()}` : ''
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function bodyOf(verb: string, params: object, rest: ReadonlyMap<string, unknown>): unknown {
  if (verb === 'PUT') return rest.get('update')
  return Array.isArray(params) ? params : Object.fromEntries(rest)
}

function formOf(files: readonly string[]): FormData {
  const form = new FormData()
  for (const name of files) form.append(name, new Blob([name], { type: 'text/plain' }), name)
  return form
}

function withoutMeta(body: Answer): Answer {
  if (typeof body !== 'object' || body === null) return body
  const { meta: _meta, ...members } = body
  return members
}
