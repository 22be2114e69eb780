/** Responses of the FHIR API, and its errors: OperationOutcomes. */
import { ApiError, type ErrorId } from '../../core/errors.js'
import { cleanForm, replaceInvalidCharacters } from '../../core/exports/fhir-observation.js'
import { writeJson } from '../../core/json/writer.js'
import { runInTurns } from '../../storage/steps.js'
import type { EndpointResponse } from '../endpoints.js'

const mediaType = 'application/fhir+json; charset=utf-8'

/** Codes of issues. (http://hl7.org/fhir/R4/valueset-issue-type.html) */
type IssueCode =
  | 'business-rule'
  | 'conflict'
  | 'deleted'
  | 'exception'
  | 'forbidden'
  | 'invalid'
  | 'login'
  | 'not-found'
  | 'not-supported'
  | 'processing'
  | 'throttled'
  | 'too-costly'
  | 'transient'

/** A refusal with the code of its issue. */
class FhirRefusal extends ApiError {
  constructor(
    readonly issue: IssueCode,
    message: string,
    status: number
  ) {
    super(idsByStatus[status] ?? 'invalid-parameters-format', message, { status })
  }
}

const idsByStatus: Readonly<Record<number, ErrorId>> = {
  403: 'forbidden',
  404: 'unknown-resource',
  405: 'invalid-method',
  410: 'unknown-resource',
  415: 'unsupported-content-type'
}

const issuesByStatus: Readonly<Record<number, IssueCode>> = {
  301: 'processing',
  401: 'login',
  402: 'business-rule',
  403: 'forbidden',
  404: 'not-found',
  409: 'conflict',
  410: 'deleted',
  413: 'too-costly',
  415: 'not-supported',
  429: 'throttled',
  451: 'not-supported',
  503: 'transient',
  507: 'transient'
}

/** Refuses a request. `status`: 400 unless given. */
export function refuse(issue: IssueCode, message: string, status = 400): never {
  throw new FhirRefusal(issue, message, status)
}

/** Returns what is being read; `undefined` if it does not exist, was deleted, or may not be read. Other errors are thrown. */
export async function ifFound<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof ApiError && [403, 404, 410].includes(error.status)) return undefined
    throw error
  }
}

/** Returns the response with a resource. Others have their turn while it is written: it may be large. */
export async function toFhirResponse(resource: object): Promise<EndpointResponse> {
  let text = ''
  await runInTurns(writeJson(resource, cleanForm, chunk => (text += chunk)))
  return { status: 200, headers: { 'content-type': mediaType }, text }
}

/** Returns the response to a refused request. */
export function describeOutcome(error: ApiError): EndpointResponse {
  const { message, status } = error
  const code =
    error instanceof FhirRefusal
      ? error.issue
      : (issuesByStatus[status] ?? (status >= 500 ? 'exception' : 'invalid'))
  return {
    status,
    headers: {
      'content-type': mediaType,
      ...(status === 401 && { 'WWW-Authenticate': 'Bearer realm="FHIR", error="invalid_token"' })
    },
    text: JSON.stringify({
      resourceType: 'OperationOutcome',
      issue: [
        {
          severity: 'error',
          code,
          details: { text: error.id },
          diagnostics: replaceInvalidCharacters(message)
        }
      ]
    })
  }
}
