/** `oauth.authorize`: an OAuth client requests an access. (docs/api/oauth.md#authorization-requests) */
import { Type } from 'typebox'
import { anyone } from '../../auth/allow.js'
import { requestLifetime } from '../../accesses/auth-requests.js'
import { buildOfferPageUrl, buildPageUrls, getDefaultAuthUrl } from '../../accesses/auth-page.js'
import { getClientAddress } from '../../accesses/consent.js'
import { serviceMethod, type ServiceCall } from '../../call/method.js'
import { ApiError } from '../../errors.js'
import { createRequestKey } from '../../ids.js'
import { buildAnswerUrl } from '../../oauth/answer-url.js'
import { toAppRequest, resolveRecipient, getState, type Params } from '../../oauth/authorization.js'
import { toProtocolError, failOAuth } from '../../oauth/errors.js'
import { isLoopbackUri, addQuery } from '../../redirect-uri.js'

/** Names are those of RFC 6749, OpenID Connect and RFC 8707; unknown params are ignored, as the protocol requires. */
const AnyParams = Type.Record(
  Type.String({ maxLength: 1000 }),
  Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 100 })])
)

/**
 * Stores the request, and returns where to redirect the user: to the consent page, or back to the client with
 * an error. An unknown client or redirect URI is an error of the call itself, without a redirect. The same
 * holds for all errors of clients that registered themselves, unless they run on the user's machine, and for
 * errors of the service.
 */
export const authorize = serviceMethod({
  id: 'oauth.authorize',
  summary: 'Request an access by OAuth',
  params: AnyParams,
  result: Type.Object({ redirect: Type.String() }),
  allow: anyone,
  async run(call, given) {
    const params = given as Params
    const { config } = call.services
    if (Buffer.byteLength(JSON.stringify(params)) > config.access.maxRequestBytes)
      failOAuth(
        'invalid_request',
        `The request is larger than the limit of ${config.access.maxRequestBytes} bytes`
      )
    const recipient = await resolveRecipient(call.services, params)
    try {
      return { redirect: await createRequestPage(call, toAppRequest(config, recipient, params)) }
    } catch (error) {
      if (!(error instanceof ApiError) || error.id === 'too-many-requests' || error.status >= 500) throw error
      const { client, redirectUri } = recipient
      // The client's owner is unknown: a link to this service must not redirect to the client before the user was asked. (RFC
      // 9700, 4.11.2)
      if (client.isSelfRegistered && !isLoopbackUri(redirectUri)) throw error
      return {
        redirect: buildAnswerUrl(config, { redirectUri, ...toStateMember(params) }, toProtocolError(error))
      }
    }
  }
})

/** Stores a request for access. Returns the address of the page where the user decides on it. */
async function createRequestPage(
  { credentials, now, services }: ServiceCall,
  request: ReturnType<typeof toAppRequest>
): Promise<string> {
  const { config } = services
  services.throttle.ask(credentials.ip)
  const page = getDefaultAuthUrl(config)
  const asker = { ip: getClientAddress(config, credentials) }
  const open = { key: createRequestKey(), expires: now + requestLifetime, request, page, asker }
  await services.platform.change('askForAccess', open, now, config.access.maxRequests)
  if (request.oauth?.offer !== undefined) return buildOfferPageUrl(config, open.key, request.lang)
  return addQuery(buildPageUrls(config, open.key, page, request).authUrl, {
    username: request.oauth?.loginHint
  })
}

function toStateMember(params: Params): { readonly state?: string } {
  const state = getState(params)
  return state === undefined ? {} : { state }
}
