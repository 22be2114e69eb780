/** Calls of methods, typed by their ids. */
import type { CofferError } from './errors.js'
import type { Methods } from './methods/index.js'
import { repeatable } from './methods/repeatable.js'

/** The id of a method, such as `events.get`. */
export type MethodId = keyof Methods

/** What a method takes. */
export type Params<M extends MethodId> = Methods[M]['params']

/** What a method answers. */
export type Result<M extends MethodId> = Methods[M]['result']

/** A call of any method, as batches take it. Params may be left out where none is required. */
export type Call = {
  [M in MethodId]: Record<string, never> extends Params<M>
    ? { readonly method: M; readonly params?: Params<M> }
    : { readonly method: M; readonly params: Params<M> }
}[MethodId]

/** The results of calls in their order, each of its method or the error that refused it. */
export type Results<C extends readonly Call[]> = {
  -readonly [I in keyof C]: C[I] extends { readonly method: infer M extends MethodId }
    ? Result<M> | CofferError
    : never
}

/** The params of a call, and then its options: the former may be missing if none is required. */
export type Arguments<M extends MethodId, Options> =
  Record<string, never> extends Params<M>
    ? [params?: Params<M>, options?: Options]
    : [params: Params<M>, options?: Options]

/** A call whose types have been checked. */
export interface AnyCall {
  readonly method: string
  readonly params?: object | undefined
}

/** Whether a call may be made twice: it reads, leads to the same state, or creates what the client has named. */
export function isRepeatable(call: AnyCall): boolean {
  return repeatable.test(call.method) || creates(call) !== undefined
}

/** Returns the id of the event that a call creates, if the client has given it. */
export function creates({ method, params }: AnyCall): string | undefined {
  const { id } = { ...params } as { readonly id?: unknown }
  return method === 'events.create' && typeof id === 'string' ? id : undefined
}
