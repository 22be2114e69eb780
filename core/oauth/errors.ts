/** OAuth errors: each is an error of the API, with the code of the protocol beside it. (docs/api/oauth.md#errors) */
import { ApiError, type ErrorId } from '../errors.js'

/** The error ids of the API, by the error codes of OAuth. */
const errorIds = {
  invalid_request: 'invalid-parameter',
  invalid_client: 'invalid-credentials',
  invalid_grant: 'invalid-code',
  invalid_scope: 'invalid-parameter',
  invalid_target: 'invalid-parameter',
  invalid_dpop_proof: 'invalid-parameter',
  invalid_redirect_uri: 'invalid-parameter',
  invalid_client_metadata: 'invalid-parameter',
  unauthorized_client: 'invalid-operation',
  unsupported_grant_type: 'invalid-parameter',
  unsupported_response_type: 'invalid-parameter',
  request_not_supported: 'invalid-parameter',
  request_uri_not_supported: 'invalid-parameter',
  registration_not_supported: 'invalid-parameter',
  login_required: 'invalid-operation',
  access_denied: 'forbidden',
  insufficient_scope: 'forbidden',
  invalid_token: 'invalid-access-token'
} as const satisfies Record<string, ErrorId>

export type OAuthErrorCode = keyof typeof errorIds

/** Codes of the protocol for errors of the API that OAuth methods do not throw themselves. */
const protocolCodes: Partial<Record<ErrorId, string>> = {
  'invalid-access-token': 'invalid_token',
  'invalid-credentials': 'invalid_client',
  'too-many-requests': 'temporarily_unavailable',
  'api-unavailable': 'temporarily_unavailable',
  'insufficient-storage': 'temporarily_unavailable',
  forbidden: 'access_denied'
}

/** Ends the call with an error of the protocol. `accessId`: the access that the call was about, for the audit. */
export function failOAuth(code: OAuthErrorCode, description: string, accessId?: string): never {
  throw new ApiError(errorIds[code], description, {
    data: { error: code },
    ...(accessId !== undefined && { accessId })
  })
}

/**
 * Returns the code and description of an error, as RFC 6749 wants them: printable ASCII without quotes and backslashes,
 * at most {@link maxDescriptionLength} characters. An error without a code gets one by its id, else by its status.
 */
export function toProtocolError({ details, id, message, status }: ApiError): {
  readonly error: string
  readonly error_description: string
} {
  const { error = protocolCodes[id] ?? (status >= 500 ? 'server_error' : 'invalid_request') } = Object(
    details.data
  ) as {
    error?: string
  }
  return {
    error,
    error_description: message
      .replaceAll(/["\\]/g, "'")
      .replaceAll(/[^ -~]/g, '?')
      .slice(0, maxDescriptionLength)
  }
}

/** Maximum length of a description, in characters: it becomes part of URLs. */
const maxDescriptionLength = 500
