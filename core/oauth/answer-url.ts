/** The answers to authorization requests: redirects to the client, with a code or an error. (RFC 6749, 4.1.2) */
import type { OAuthRequest } from '../../schemas/oauth.js'
import { addQuery } from '../redirect-uri.js'
import type { Config } from '../settings/config.js'
import { getIssuer } from './metadata.js'

/** Where to send the person. `iss` tells the client whose answer it is, so that none is mixed up with another's. (RFC 9207) */
export function buildAnswerUrl(
  config: Config,
  { redirectUri, state }: Pick<OAuthRequest, 'redirectUri' | 'state'>,
  answer: { readonly code: string } | { readonly error: string; readonly error_description: string }
): string {
  return addQuery(redirectUri, { ...answer, state, iss: getIssuer(config) })
}
