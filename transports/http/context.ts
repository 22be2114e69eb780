/** What the middleware of a request hands on to the next. */
import type { ParameterizedContext } from 'koa'
import type { Address } from './address.js'
import type { FormCall } from './form.js'

export interface State {
  address: Address
  /** The call that the request's form stands for, if it is one. */
  form?: FormCall
}

export type Http = ParameterizedContext<State>
