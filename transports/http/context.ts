/** What the middleware of a request hands on to the next. */
import type { ParameterizedContext } from 'koa'
import type { Address } from './address.js'
import type { FormCall } from './form.js'
import type { Headers } from './headers.js'

export interface State {
  /** What every answer has. Koa's answers get them at the end; who answers past it sends them too. */
  headers: Headers
  address: Address
  /** The call that the request's form stands for, if it is one. */
  form?: FormCall
}

export type Http = ParameterizedContext<State>
