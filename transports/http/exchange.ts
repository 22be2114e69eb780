/** A request, its response, and what has been determined about it so far. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ParameterizedContext } from 'koa'
import { ApiError } from '../../core/errors.js'
import type { Address } from './request/address.js'
import type { FormCall } from './request/form-call.js'
import type { BodyReservation } from '../../core/security/body-reservation.js'
import type { Headers } from './answer/headers.js'

export interface ExchangeState {
  /** Headers that every response has. */
  headers: Headers
  address: Address
  /** The call that the request represents, if it is a form. */
  form?: FormCall
  /** The memory reserved for a large body, until the call has been made. */
  reservation?: BodyReservation
}

/** A request to the API and its response. Koa's contexts are exchanges, too. */
export interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** The HTTP method in upper case, or the method that a form names. */
  method: string
  readonly state: ExchangeState
}

/** Returns a signal that aborts once no response is expected any more. Its reason is an error that is not logged as a failure. */
export function watchClient({ res }: Pick<Exchange, 'res'>): AbortSignal {
  const controller = new AbortController()
  const abort = (): void =>
    controller.abort(new ApiError('api-unavailable', 'The client has disconnected', { status: 499 }))
  if (res.closed) abort()
  else res.once('close', abort)
  return controller.signal
}

/** The context of any other request, such as for a page. */
export type PageContext = ParameterizedContext<ExchangeState>
