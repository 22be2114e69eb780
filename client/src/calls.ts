/** Types of method calls, by method id. */
import type { CofferError } from './errors.js'
import type { Methods } from './methods/index.js'
import type { Event } from './methods/nouns.js'
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
  return repeatable.test(call.method) || isCreationById(call)
}

/** An event as a client that has given it an id creates it. */
type RequestedEvent = Partial<Event> & Pick<Event, 'id'>

/** Returns whether a call creates an event with an id that the client has given. */
function isCreationById(call: UntypedCall): call is UntypedCall & { readonly params: RequestedEvent } {
  const { params }: { readonly params?: Partial<Event> | undefined } = call
  return call.method === 'events.create' && typeof params?.id === 'string'
}

/** A client that reads events. */
interface EventReader {
  call(
    method: 'events.getOne',
    params: Params<'events.getOne'>,
    options: { readonly signal: AbortSignal | undefined }
  ): Promise<Result<'events.getOne'>>
}

/**
 * Returns the event that an earlier attempt of a call has created, if a later attempt was refused with `error` because of that. `client`
 * reads it.
 */
export async function findCreated(
  client: EventReader,
  call: UntypedCall,
  error: unknown,
  signal: AbortSignal | undefined
): Promise<{ event: Event } | undefined> {
  if (!isCreationById(call) || (error as CofferError | undefined)?.id !== 'item-already-exists')
    return undefined
  const { params } = call
  try {
    const result = await client.call('events.getOne', { id: params.id }, { signal })
    // What is left of a deleted event has no type, so it does not match.
    const { event } = result as { readonly event: Event }
    const isSame = (name: 'content' | 'time' | 'type'): boolean =>
      params[name] === undefined || JSON.stringify(params[name]) === JSON.stringify(event[name])
    return isSame('type') && isSame('time') && isSame('content') ? { event } : undefined
  } catch (refusal) {
    // An access may be allowed to create events that it cannot read.
    if (['forbidden', 'unknown-resource'].includes((refusal as CofferError).id)) return undefined
    throw refusal
  }
}
