/** The query API of Prometheus, for dashboards: `/{user}/prometheus/api/v1/…`. (docs/api/grafana.md) */
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { ApiError } from '../../core/errors.js'
import type { ReadEndpoint, ReadRequest } from '../read-endpoint.js'
import type { EndpointResponse } from '../user-endpoint.js'
import { UserCalls } from '../user-calls.js'
import { QueryError } from './query-error.js'

export class Prometheus implements ReadEndpoint {
  readonly roots = ['prometheus']

  constructor(private readonly dispatcher: Dispatcher) {}

  async handle(request: ReadRequest): Promise<EndpointResponse> {
    const { credentials, segments, user, verb } = request
    if (verb !== 'GET' && verb !== 'POST') return toFailure(405, 'bad_data', 'Use GET or POST')
    const [, api, v1, ...path] = segments
    if (api !== 'api' || v1 !== 'v1') return toFailure(404, 'not_found', 'The API is at api/v1')
    const { QueryApi } = await import('./query-api.js')
    const query = new QueryApi(
      request,
      new UserCalls(this.dispatcher, user, credentials),
      this.dispatcher.services.clock.now()
    )
    try {
      const data = await query.answer(path)
      if (data === undefined)
        return toFailure(404, 'not_found', `There is no "${path.join('/').slice(0, 100)}"`)
      return toResponse(200, `{"status":"success","data":${data}}`)
    } catch (error) {
      if (error instanceof QueryError) return toFailure(error.status, error.errorType, error.message)
      if (error instanceof ApiError && error.status < 500)
        return toFailure(error.status, toErrorType(error), error.message, error)
      throw error
    }
  }
}

function toErrorType({ status }: ApiError): string {
  if (status === 401) return 'unauthorized'
  if (status === 403) return 'forbidden'
  return status === 404 ? 'not_found' : status === 429 ? 'unavailable' : 'bad_data'
}

function toFailure(status: number, errorType: string, error: string, cause?: ApiError): EndpointResponse {
  const body = { status: 'error', errorType, error, ...(cause && { errorId: cause.id }) }
  return toResponse(status, JSON.stringify(body))
}

function toResponse(status: number, text: string): EndpointResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8' },
    text
  }
}
