/** `authRequest.create`: an app requests an access. (docs/spec/app-authorization.md#asking) */
import { Type, type Static } from 'typebox'
import type { AuthRequest } from '../../../schemas/auth-request.js'
import { KeyValue, orNull } from '../../../schemas/scalars.js'
import { anyone } from '../../auth/allow.js'
import { resolveAuthPage, assertListedReturnUrl, assertReturnUrl } from '../../accesses/auth-page.js'
import { toAuthState, NeedSignin, requestLifetime } from '../../accesses/auth-requests.js'
import { getClientAddress } from '../../accesses/consent.js'
import { assertNoTagNames } from '../../accesses/granting.js'
import { assertNoServiceData } from '../../accesses/service-data.js'
import { fail } from '../../errors.js'
import { createRequestKey } from '../../ids.js'
import { serviceMethod } from '../../call/method.js'
import { parseUrl } from '../../parse-url.js'
import { refuseParams } from '../../validation/params.js'

/** Further properties are allowed: apps send various properties besides these. */
const Params = Type.Object({
  requestingAppId: Type.String({ minLength: 6, maxLength: 99 }),
  requestedPermissions: Type.Array(KeyValue, { maxItems: 10_000 }),
  languageCode: orNull(Type.String({ pattern: '^[A-Za-z]{2}$' })),
  returnURL: Type.Optional(Type.Union([Type.String(), Type.Boolean(), Type.Null()])),
  authUrl: orNull(Type.String()),
  serviceInfo: orNull(Type.Object({ name: Type.String({ minLength: 1 }) })),
  clientData: orNull(KeyValue),
  deviceName: orNull(Type.String({ minLength: 1, maxLength: 255 })),
  expireAfter: orNull(Type.Number({ minimum: 0 })),
  referer: orNull(Type.String()),
  oauthState: orNull(Type.String())
})
type Params = Static<typeof Params>

/** Maximum number of stored characters of an origin: real origins are far shorter. */
const maxOriginLength = 300

/** Schemes of links that would execute code in the pages that show them. */
const harmfulSchemes: ReadonlySet<string> = new Set(['javascript:', 'data:', 'vbscript:'])

/**
 * Stores the request, and returns its state, `NEED_SIGNIN`, with the page to show and the URL to poll.
 * Requests are throttled by address. Refuses pages and links that are not allowed, and requests that are too
 * large.
 */
export const create = serviceMethod({
  id: 'authRequest.create',
  summary: 'Create an access request for an app',
  params: Params,
  result: NeedSignin,
  allow: anyone,
  async run({ services, credentials, now }, params) {
    const { access } = services.config
    const request = toAuthRequest(params)
    if (typeof request.returnURL === 'string') assertReturnUrl(services.config, request.returnURL)
    assertListedReturnUrl(services.config, request, credentials.origin)
    const page = resolveAuthPage(services.config, params.authUrl ?? undefined)
    assertServiceInfo(request)
    assertNoServiceData(request.clientData)
    assertNoTagNames(services.config, request.requestedPermissions, 'requestedPermissions')
    if (Buffer.byteLength(JSON.stringify(request) + page) > access.maxRequestBytes)
      fail(
        'invalid-request-structure',
        `The request is larger than the limit of ${access.maxRequestBytes} bytes`
      )
    services.throttle.ask(credentials.ip)
    const { origin } = credentials
    const asker = {
      ip: getClientAddress(services.config, credentials),
      ...(origin && { origin: origin.slice(0, maxOriginLength) })
    }
    const open = { key: createRequestKey(), expires: now + requestLifetime, request, page, asker }
    await services.platform.change('askForAccess', open, now, access.maxRequests)
    return toAuthState(services, open, now)
  }
})

/** Returns the request to store: the params that were given. */
function toAuthRequest({ languageCode, returnURL, ...given }: Params): AuthRequest {
  if (returnURL === true)
    refuseParams([{ code: 'INVALID_TYPE', message: 'must be a URL or false', path: '#/returnURL' }])
  const { requestingAppId, requestedPermissions } = given
  const optional = {
    returnURL,
    oauthState: given.oauthState,
    clientData: given.clientData,
    serviceInfo: given.serviceInfo,
    deviceName: given.deviceName,
    expireAfter: given.expireAfter,
    referer: given.referer
  }
  const present = Object.entries(optional).filter(([, value]) => value !== undefined && value !== null)
  return {
    requestingAppId,
    requestedPermissions,
    lang: languageCode ?? 'en',
    ...(Object.fromEntries(present) as Partial<AuthRequest>)
  }
}

function assertServiceInfo({ serviceInfo = {} }: AuthRequest): void {
  const open = Object.entries(serviceInfo).map(([name, value]) => ({ path: `#/serviceInfo/${name}`, value }))
  // The loop also visits the entries that it appends.
  for (const { path, value } of open)
    if (typeof value === 'object' && value !== null)
      for (const [name, inner] of Object.entries(value)) open.push({ path: `${path}/${name}`, value: inner })
    else if (typeof value === 'string' && isHarmfulUrl(value))
      refuseParams([{ code: 'INVALID_SERVICE_INFO_URL', message: 'must not be a script', path }])
}

/** Returns whether text is a harmful URL as browsers read it, ignoring invisible characters. */
function isHarmfulUrl(text: string): boolean {
  return harmfulSchemes.has(parseUrl(text)?.protocol ?? '')
}
