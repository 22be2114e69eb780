/** The query API of Prometheus, for dashboards: `/{user}/prometheus/api/v1/…`. (docs/api/grafana.md) */
import { getPresentedToken } from '../../core/auth/authenticate.js'
import { getAccountKey } from '../../core/call/account-key.js'
import type { Dispatcher } from '../../core/call/dispatcher.js'
import { ApiError } from '../../core/errors.js'
import { FairScheduler } from '../../core/security/fair-scheduler.js'
import type { EndpointResponse, ReadEndpoint, ReadRequest } from '../endpoints.js'
import { UserCalls } from '../user-calls.js'
import { QueryError } from './query-error.js'

/** Maximum number of queries, also for lists of series, that are answered at a time, one per account. */
const maxConcurrent = 4
/** Maximum number of queries of an access and of an account that wait: no access takes the room of others. */
const [maxWaiting, maxWaitingOfAccount] = [100, 400]
/** `Retry-After` of queries that cannot wait, in seconds. */
const retryAfter = 5

export class Prometheus implements ReadEndpoint {
  readonly roots = ['prometheus']
  readonly #turns = new FairScheduler(maxConcurrent)

  constructor(private readonly dispatcher: Dispatcher) {}

  /** Answers a query. Errors of the query become responses in the form of Prometheus; others are thrown. */
  async handle(request: ReadRequest): Promise<EndpointResponse> {
    const { credentials, segments, signal, user, verb } = request
    if (verb !== 'GET' && verb !== 'POST') return toFailure(405, 'bad_data', 'Use GET or POST')
    const [, api, v1, ...path] = segments
    if (api !== 'api' || v1 !== 'v1') return toFailure(404, 'not_found', 'The API is at api/v1')
    const { QueryApi } = await import('./query-api.js')
    const query = new QueryApi(
      request,
      new UserCalls(this.dispatcher, user, credentials, signal),
      this.dispatcher.services.clock.now(),
      async work => await this.#runInTurn(request, work)
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

  /**
   * Does work of an access once it is its turn. Throws `too-many-requests` if too many wait, and the errors of a call whose access
   * is not valid: only accesses wait.
   */
  async #runInTurn<T>({ credentials, signal, user }: ReadRequest, work: () => Promise<T>): Promise<T> {
    const checked = await this.dispatcher.precheck({ user, method: 'measures.facts', credentials })
    if (!checked.ok) throw checked.error
    // Not the header, which may have the same token in many forms.
    const access = getPresentedToken(credentials) ?? ''
    const account = getAccountKey(this.dispatcher.services, user)
    if (
      this.#turns.countWaiting(account, access) >= maxWaiting ||
      this.#turns.countWaiting(account) >= maxWaitingOfAccount
    )
      throw new ApiError('too-many-requests', 'Too many queries are waiting. Try again later', { retryAfter })
    return await this.#turns.run({ account, access }, work, signal)
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
