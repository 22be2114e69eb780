/** What is known of a request while it is answered. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ParameterizedContext } from 'koa'
import type { Address } from './request/address.js'
import type { FormCall } from './request/form.js'
import type { Ticket } from '../../core/security/intake.js'
import type { Headers } from './answer/headers.js'

export interface State {
  /** What every answer has. */
  headers: Headers
  address: Address
  /** The call that the request's form stands for, if it is one. */
  form?: FormCall
  /** The room that its body takes, if that is large, until the call has been made. */
  ticket?: Ticket
}

/** A request to the API and the answer to it. Koa's contexts are exchanges too. */
export interface Exchange {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  /** Upper case: the request's verb, or that of its form. */
  method: string
  readonly state: State
}

/** A request for anything else, such as a page. */
export type Http = ParameterizedContext<State>
