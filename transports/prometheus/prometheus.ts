/** The query API of Prometheus, for dashboards: `/{user}/prometheus/api/v1/…`. (docs/api/grafana.md) */
import type { Dispatcher } from '../../core/call/dispatcher.js'
import type { ApiError } from '../../core/errors.js'
import type { EndpointResponse, ReadEndpoint, ReadRequest } from '../endpoints.js'
import { ReadTurns } from '../read-turns.js'
import { QueryError } from './query-error.js'

export class Prometheus implements ReadEndpoint {
  readonly roots = ['prometheus']
  readonly #turns: ReadTurns

  constructor(private readonly dispatcher: Dispatcher) {
    this.#turns = new ReadTurns(dispatcher, 'measures.facts')
  }

  /** Answers a query. Errors of the query become responses in the form of Prometheus; others are thrown. */
  async handle(request: ReadRequest): Promise<EndpointResponse> {
    const { segments, verb } = request
    if (verb !== 'GET' && verb !== 'POST') return toFailure(405, 'bad_data', 'Use GET or POST')
    const [, api, v1, ...path] = segments
    if (api !== 'api' || v1 !== 'v1') return toFailure(404, 'not_found', 'The API is at api/v1')
    const { QueryApi } = await import('./query-api.js')
    const query = new QueryApi(
      request,
      this.dispatcher.services.clock.now(),
      async work => await this.#turns.run(request, work)
    )
    try {
      const data = await query.answer(path)
      if (data === undefined)
        return toFailure(404, 'not_found', `There is no "${path.join('/').slice(0, 100)}"`)
      const warnings = query.isTruncated ? ',"warnings":["results truncated due to limit"]' : ''
      return toResponse(200, `{"status":"success","data":${data}${warnings}}`)
    } catch (error) {
      if (error instanceof QueryError) return toFailure(error.status, error.errorType, error.message)
      throw error
    }
  }

  /** Returns an error in the form of the API of Prometheus. */
  describeError(error: ApiError): EndpointResponse {
    return toFailure(error.status, toErrorType(error), error.message, error)
  }
}

const errorTypes: Readonly<Record<number, string>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  429: 'unavailable',
  503: 'unavailable'
}

function toErrorType({ status }: ApiError): string {
  return errorTypes[status] ?? (status < 500 ? 'bad_data' : 'internal')
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
