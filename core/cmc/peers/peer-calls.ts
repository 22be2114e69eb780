/**
 * Calls to the accounts of peers, with the endpoints that they have given: over HTTP, or directly if the peer has an account on this
 * service. (docs/spec/consent.md#delivery)
 */
import type { Readable } from 'node:stream'
import type { Dispatcher } from '../../call/dispatcher.js'
import type { Services } from '../../call/services.js'
import { createRequest } from '../../call/outcome.js'
import { Outgoing, type Exchange } from '../../outgoing/http.js'
import { isShallow } from '../../json/depth.js'
import { parseWebUrl } from '../../parse-url.js'
import { getAccountUrl } from '../../service-info.js'
import { isObject } from '../../validation/is-object.js'
import { parseAnswer } from './parse-answer.js'
import { PeerPauses } from './peer-pauses.js'

/** An API endpoint: the URL of an account, and a token. */
export interface Endpoint {
  /** Ends in a slash. */
  readonly base: string
  readonly token: string
  /** Without port, in lower case. */
  readonly host: string
}

/** The answer of a peer; `status` is 0 if there is none. */
export interface PeerAnswer {
  readonly status: number
  readonly body: Readonly<Record<string, unknown>>
  /** Seconds. */
  readonly retryAfter?: number | undefined
  /** `too-long` also stands for objects with more keys than this service takes, and for very many objects and arrays. */
  readonly problem?: 'internal' | 'timeout' | 'too-long' | 'unreachable'
}

const maxAnswerBytes = 256 * 1024
const transientStatuses = new Set([402, 408, 425, 429, 500, 502, 503, 504, 507])

/** Returns whether the same call may succeed later. */
export function isTransient(answer: PeerAnswer): boolean {
  const { problem, status } = answer
  if (status !== 0) return transientStatuses.has(status) || isRelocated(answer)
  return problem === 'timeout' || problem === 'unreachable'
}

/** Returns whether the account has moved to another server. */
function isRelocated(answer: PeerAnswer): boolean {
  return answer.status === 301 && getErrorId(answer) === 'user-account-relocated'
}

/** Returns the endpoint of an account that has moved, as its former server tells; `undefined` if it has not. */
export function findNewEndpoint({ token }: Endpoint, answer: PeerAnswer): Endpoint | undefined {
  if (!isRelocated(answer)) return undefined
  const data = isObject(answer.body['error']) ? answer.body['error']['data'] : undefined
  const url = typeof data === 'string' ? parseWebUrl(data) : undefined
  if (!url || url.username !== '' || url.password !== '') return undefined
  url.username = token
  return parseEndpoint(url.href)
}

/** Parses an API endpoint; `undefined` if it is none. */
export function parseEndpoint(text: string): Endpoint | undefined {
  const url = parseWebUrl(text)
  // Tokens need no escaping.
  if (!url || url.username === '' || url.username.includes('%')) return undefined
  if (url.password !== '' || url.search !== '' || url.hash !== '') return undefined
  const path = url.pathname.endsWith('/') ? url.pathname : `${url.pathname}/`
  return {
    base: `${url.protocol}//${url.host}${path}`,
    token: url.username,
    host: url.hostname.toLowerCase()
  }
}

/** The calls that are made to peers. */
type PeerMethod =
  | 'events.get'
  | 'events.create'
  | 'getAccessInfo'
  | 'hfs.get'
  | 'mirrors.report'
  | 'mirrors.reportErasure'
  | 'service.info'
  | 'streams.get'
  | 'webhooks.create'
  | 'webhooks.delete'

/**
 * Calls peers. Endpoints with `http:` are refused with the problem `internal` unless
 * `cmc.allowInternalTargets` is set, except those on this service, which are called directly. A peer that has asked to be left
 * alone for a while is not called: the answer is 429.
 */
export class PeerCalls {
  readonly pauses: PeerPauses
  readonly #outgoing: Outgoing

  constructor(
    private readonly services: Services,
    private readonly dispatcher: Pick<Dispatcher, 'call'>
  ) {
    const { allowInternalTargets, timeoutMs } = services.config.cmc
    this.#outgoing = new Outgoing({ allowInternal: allowInternalTargets, timeoutMs })
    this.pauses = new PeerPauses(services)
  }

  /**
   * Returns the present user name of the account of an endpoint, which may have a former one; `undefined` if
   * the account is not on this service.
   */
  findLocalUser({ base }: Endpoint): string | undefined {
    const [before = '', after = ''] = getAccountUrl(this.services.config, '\n').split('\n')
    if (!base.startsWith(before) || !base.endsWith(after)) return undefined
    const username = base.slice(before.length, base.length - after.length)
    return this.services.accounts.find(username)?.username
  }

  /**
   * Makes a call, and reads its answer up to a number of bytes. If the account has moved, calls it where it is now, as its former server
   * says. Never rejects.
   */
  async call(
    endpoint: Endpoint,
    method: PeerMethod,
    params: object = {},
    maxBytes = maxAnswerBytes
  ): Promise<PeerAnswer> {
    const answer = await this.callOnce(endpoint, method, params, maxBytes)
    const moved = findNewEndpoint(endpoint, answer)
    return moved ? await this.callOnce(moved, method, params, maxBytes) : answer
  }

  /** Makes a call like {@link call}, but only at this endpoint, even if the account has moved. */
  async callOnce(
    endpoint: Endpoint,
    method: PeerMethod,
    params: object = {},
    maxBytes = maxAnswerBytes
  ): Promise<PeerAnswer> {
    const user = this.findLocalUser(endpoint)
    if (user === undefined || method === 'service.info')
      return await this.#callRemote(endpoint, method, { params, maxBytes })
    const credentials = { authorization: endpoint.token, ip: '127.0.0.1', via: 'http' } as const
    const request = createRequest({ user, method, credentials }, params)
    const outcome = await this.dispatcher.call({ ...request, isWhole: true, maxLength: maxBytes })
    if (outcome.ok) return await this.#toAnswer({ status: 200, text: `{${outcome.members}}` })
    const { error } = outcome
    if (error.id === 'too-many-results') return { status: 0, body: {}, problem: 'too-long' }
    const body = { error: JSON.parse(JSON.stringify(error)) as unknown }
    return { status: error.status, body, retryAfter: error.details.retryAfter }
  }

  /**
   * Reads a file of an event, and passes its bytes to `receive`: up to `maxBytes`, within `timeoutMs`. Returns what that returns, or the
   * answer if there is no file. Rejects only as `receive` does for its own reasons.
   */
  async readFile<T>(
    endpoint: Endpoint,
    { eventId, fileId }: { readonly eventId: string; readonly fileId: string },
    limits: { readonly maxBytes: number; readonly timeoutMs: number },
    receive: (source: Readable) => Promise<T>
  ): Promise<{ readonly received: T } | PeerAnswer> {
    const user = this.findLocalUser(endpoint)
    if (user === undefined) {
      const found = await this.#downloadRemote(endpoint, { eventId, fileId }, limits, receive)
      const moved = 'received' in found ? undefined : findNewEndpoint(endpoint, found)
      return moved ? await this.#downloadRemote(moved, { eventId, fileId }, limits, receive) : found
    }
    const credentials = { authorization: endpoint.token, ip: '127.0.0.1', via: 'http' } as const
    const request = createRequest(
      { user, method: 'events.getAttachment', credentials },
      { id: eventId, fileId }
    )
    const outcome = await this.dispatcher.call({ ...request, isWhole: true })
    if (!outcome.ok) return { status: outcome.error.status, body: {} }
    const account = this.services.accounts.find(user)
    const source = account && (await this.services.attachments.get(account.id, fileId))
    return source ? { received: await receive(source) } : { status: 404, body: {} }
  }

  async #downloadRemote<T>(
    endpoint: Endpoint,
    { eventId, fileId }: { readonly eventId: string; readonly fileId: string },
    limits: { readonly maxBytes: number; readonly timeoutMs: number },
    receive: (source: Readable) => Promise<T>
  ): Promise<{ readonly received: T } | PeerAnswer> {
    const url = `${endpoint.base}events/${encodeURIComponent(eventId)}/${encodeURIComponent(fileId)}`
    const headers = { authorization: endpoint.token, 'user-agent': this.#userAgent }
    return await this.#ask(endpoint, async () => {
      const found = await this.#outgoing.download(url, headers, limits, receive)
      return 'received' in found ? found : await this.#toAnswer(found)
    })
  }

  /** Makes a call to another server, if that may be called now. */
  async #ask<T extends object>(
    endpoint: Endpoint,
    call: () => Promise<T | PeerAnswer>
  ): Promise<T | PeerAnswer> {
    const mayCall = endpoint.base.startsWith('https:') || this.services.config.cmc.allowInternalTargets
    if (!mayCall) return { status: 0, body: {}, problem: 'internal' }
    const left = this.pauses.getLeft(endpoint)
    if (left > 0) return { status: 429, body: {}, retryAfter: left }
    const answer = await call()
    if ('status' in answer) this.pauses.note(endpoint, answer)
    return answer
  }

  get #userAgent(): string {
    return `Coffer/${this.services.config.apiVersion}`
  }

  /** Aborts calls in progress. */
  async close(): Promise<void> {
    await this.#outgoing.close()
  }

  /**
   * Calls a method of a peer's account over HTTP. Never throws: what went wrong is in the answer, with status 0 if
   * there was no response.
   */
  async #callRemote(
    endpoint: Endpoint,
    method: PeerMethod,
    { maxBytes, params }: { readonly params: object; readonly maxBytes: number }
  ): Promise<PeerAnswer> {
    const { path, verb } = requests[method]
    // In the path.
    const { id = '', ...others } = params as { readonly id?: string }
    const query = verb === 'GET' ? toQuery(others) : ''
    const url = `${endpoint.base}${path.replace(':id', encodeURIComponent(id))}${query}`
    const headers = {
      authorization: endpoint.token,
      accept: 'application/json',
      'user-agent': this.#userAgent,
      ...(verb === 'POST' && { 'content-type': 'application/json' })
    }
    const request = { method: verb, headers, ...(verb === 'POST' && { body: JSON.stringify(params) }) }
    const ask = async () => await this.#toAnswer(await this.#outgoing.exchange(url, request, maxBytes))
    return await this.#ask(endpoint, ask)
  }

  async #toAnswer(exchange: Exchange): Promise<PeerAnswer> {
    if ('problem' in exchange) return { status: 0, body: {}, problem: exchange.problem }
    const { retryAfter, status, text } = exchange
    const body = await parseAnswer(text, this.services.config.limits.jsonKeys)
    if (!body) return { status: 0, body: {}, problem: 'too-long' }
    // Errors are stored and shown as they are.
    return { status, body: status < 300 || isShallow(body, 100) ? body : {}, retryAfter }
  }
}

const requests: Readonly<
  Record<PeerMethod, { readonly verb: 'GET' | 'POST' | 'DELETE'; readonly path: string }>
> = {
  'events.get': { verb: 'GET', path: 'events' },
  'events.create': { verb: 'POST', path: 'events' },
  getAccessInfo: { verb: 'GET', path: 'access-info' },
  'hfs.get': { verb: 'GET', path: 'events/:id/series' },
  'mirrors.reportErasure': { verb: 'POST', path: 'mirrors/erasure' },
  'mirrors.report': { verb: 'POST', path: 'mirrors/report' },
  'service.info': { verb: 'GET', path: 'service/info' },
  'streams.get': { verb: 'GET', path: 'streams' },
  'webhooks.create': { verb: 'POST', path: 'webhooks' },
  'webhooks.delete': { verb: 'DELETE', path: 'webhooks/:id' }
}

function toQuery(params: object): string {
  const query = new URLSearchParams()
  for (const [key, value] of Object.entries(params) as [string, unknown][])
    if (Array.isArray(value)) for (const each of value) query.append(`${key}[]`, String(each))
    else query.append(key, String(value))
  return query.size === 0 ? '' : `?${query.toString()}`
}

/** Returns the parts of an answer that a trigger may show. */
export function describeAnswer({ body, problem, status }: PeerAnswer): object {
  if (problem !== undefined) return { problem }
  const { error } = body
  if (!isObject(error)) return { status }
  const { data, id, message } = error
  return { status, body: { error: { id, message, ...(data !== undefined && { data }) } } }
}

/** Returns the id of the reason that a peer gives for a refusal, if it gives one. */
export function getReason({ body: { error } }: PeerAnswer): string | undefined {
  const data = isObject(error) ? error['data'] : undefined
  const id = isObject(data) ? data['id'] : undefined
  return typeof id === 'string' ? id : undefined
}

/** Returns the id of the error of an answer; `undefined` if it has none. */
export function getErrorId({ body: { error } }: PeerAnswer): string | undefined {
  const id = isObject(error) ? error['id'] : undefined
  return typeof id === 'string' ? id : undefined
}
