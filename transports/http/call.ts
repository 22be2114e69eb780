/** From a routed request to the registry and back. */
import type { Core, Credentials } from '../../core/method.js'
import { ApiError, fail } from '../../core/errors.js'
import type { Registry } from '../../core/registry.js'
import { mediaType, parseJson, readText } from './body.js'
import { clientAddress } from './client-address.js'
import type { Http } from './context.js'
import { hasBody, paramsFor, type ParamsOf } from './params.js'
import { reply } from './reply.js'
import { firstOf } from './query.js'
import { setCookie } from './cookie.js'
import type { Route } from './routes.js'

/** A route, ready to be called. */
export interface Target extends Route {
  readonly paramsOf: ParamsOf
  /** Whether the method belongs to the service, not to the user below whom it is reached. */
  readonly isService: boolean
}

/** Calls the method of a route with what the request says. */
export type CallTarget = (
  ctx: Http,
  target: Target,
  ids: Readonly<Record<string, string>> | undefined
) => Promise<void>

/** A function that makes routes ready for being called. */
export function targetsOf(registry: Registry): (route: Route) => Target {
  const methods = new Map(registry.definitions.map(definition => [definition.id, definition]))
  return route => {
    const method = methods.get(route.method)
    return { ...route, paramsOf: paramsFor(route.verb, method), isService: method?.mode === 'service' }
  }
}

/** A function that makes the calls of HTTP requests. */
export function callTarget(registry: Registry): CallTarget {
  const { core } = registry
  const addressOfClient = clientAddress(core.config.http.trustedProxies)
  return async (ctx, target, ids) => {
    const { address, form } = ctx.state
    if (target.isService && address.user !== undefined) mustBeUser(core, address.user)
    const body = hasBody(target.verb) ? (form ? form.body : await readBody(ctx, core)) : undefined
    const outcome = await registry.call({
      ...(address.user === undefined ? {} : { user: address.user }),
      method: target.method,
      params: target.paramsOf(address.query, ids, body),
      credentials: credentialsOf(ctx, addressOfClient(ctx.req))
    })
    if (outcome.ok && target.cookie) setCookie(ctx, core.config, target.cookie)
    if (outcome.ok && target.redirects) redirect(ctx, outcome.members)
    if (outcome.ok && target.text !== undefined) return replyText(ctx, outcome.members, target.text)
    await reply(ctx, core, outcome, target.status)
  }
}

/** Nothing below the root of an unknown user is found. (supplement 1.3) */
export function mustBeUser(core: Core, user: string): void {
  if (!core.accounts.find(user)) fail('unknown-resource', `Unknown user "${user.slice(0, 100)}"`)
}

function credentialsOf(ctx: Http, ip: string): Credentials {
  const { headers } = ctx.req
  const credentials: { -readonly [K in keyof Credentials]: Credentials[K] } = { headers, ip, via: 'http' }
  const authorization = ctx.state.form?.authorization ?? headers.authorization
  const auth = firstOf(ctx.state.address.query, 'auth')
  if (authorization !== undefined) credentials.authorization = authorization
  if (auth !== undefined) credentials.auth = auth
  if (headers.origin !== undefined) credentials.origin = headers.origin
  if (headers.referer !== undefined) credentials.referer = headers.referer
  return credentials
}

/** The JSON body. Callers that name no type, or plain text, mean JSON too. */
async function readBody(ctx: Http, core: Core): Promise<unknown> {
  const type = mediaType(ctx.req)
  if (type === 'multipart/form-data')
    fail('invalid-request-structure', 'This method takes no multipart body.')
  if (type !== 'application/json' && type !== '' && type !== 'text/plain' && !type.endsWith('+json'))
    throw new ApiError('unsupported-content-type', 'The body has to be JSON (application/json).')
  return parseJson(await readText(ctx.req, core.config.limits))
}

/** Answers one member of the result as plain text. */
function replyText(ctx: Http, members: string, name: string): void {
  ctx.type = 'text/plain; charset=utf-8'
  ctx.body = String((JSON.parse(`{${members}}`) as Record<string, unknown>)[name])
}

/** Sends the client to the `server` of the result. (supplement 6.1) */
function redirect(ctx: Http, members: string): void {
  const { server } = JSON.parse(`{${members}}`) as { server: string }
  const username = ctx.state.address.segments[1] ?? ''
  ctx.res.setHeader('Location', `${server}?username=${encodeURIComponent(username)}`)
}
