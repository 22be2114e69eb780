/** The answers to authorization requests: redirects to the client, with a code or an error. (RFC 6749, 4.1.2) */
import type { OAuthRequest } from '../../schemas/oauth.js'
import { withQuery } from '../redirect-uri.js'
import type { Config } from '../settings/config.js'
import { issuerOf } from './metadata.js'

/** Where to send the person. `iss` tells the client whose answer it is, so that none is mixed up with another's. (RFC 9207) */
export function answerUrl(
  config: Config,
  { redirectUri, state }: Pick<OAuthRequest, 'redirectUri' | 'state'>,
  answer: { readonly code: string } | { readonly error: string; readonly error_description: string }
): string {
  return withQuery(redirectUri, { ...answer, state, iss: issuerOf(config) })
}
