/** Types of method calls, by method id. */
import type { CofferError } from './errors.js'
import type { Methods } from './methods/index.js'
import { repeatable } from './methods/repeatable.js'

/** The id of a method, such as `events.get`. */
export type MethodId = keyof Methods

/** The params of a method. */
export type Params<M extends MethodId> = Methods[M]['params']

/** The result of a method. */
export type Result<M extends MethodId> = Methods[M]['result']

/** A call of any method, as `Coffer.batch` accepts it. `params` is optional if no param is required. */
export type Call = {
  [M in MethodId]: Record<string, never> extends Params<M>
    ? { readonly method: M; readonly params?: Params<M> }
    : { readonly method: M; readonly params: Params<M> }
}[MethodId]

/** The results of a batch, in order: the method's result, or the error with which the call was refused. */
export type Results<C extends readonly Call[]> = {
  -readonly [I in keyof C]: C[I] extends { readonly method: infer M extends MethodId }
    ? Result<M> | CofferError
    : never
}

/** Arguments of a call: params, which are optional if no param is required, then options. */
export type Arguments<M extends MethodId, Options> =
  Record<string, never> extends Params<M>
    ? [params?: Params<M>, options?: Options]
    : [params: Params<M>, options?: Options]

/** A call whose param types are no longer known, because they were checked before. */
export interface UntypedCall {
  readonly method: string
  readonly params?: object | undefined
}

/** Returns whether a call is idempotent: it reads, leads to the same state, or creates an event with an id from the client. */
export function isRepeatable(call: UntypedCall): boolean {
  return repeatable.test(call.method) || getCreatedEventId(call) !== undefined
}

/** Returns the id of the event that a call creates, if the client has given it. */
export function getCreatedEventId({ method, params }: UntypedCall): string | undefined {
  const { id } = { ...params } as { readonly id?: unknown }
  return method === 'events.create' && typeof id === 'string' ? id : undefined
}
