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
  return repeatable.test(call.method) || getCreatedEventId(call) !== undefined
}

/** Returns the id of the event that a call creates, if the client has given it. */
function getCreatedEventId({ method, params }: UntypedCall): string | undefined {
  const id = (params as { readonly id?: unknown } | undefined)?.id
  return method === 'events.create' && typeof id === 'string' ? id : undefined
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
  const id = getCreatedEventId(call)
  if (id === undefined || (error as CofferError | undefined)?.id !== 'item-already-exists') return undefined
  // What is left of a deleted event has no type, so it does not match.
  const { event } = (await client.call('events.getOne', { id }, { signal })) as { readonly event: Event }
  return matchesParams(event, call.params as Partial<Event>) ? { event } : undefined
}

/** Returns whether an event has the content with which a call wanted to create it. */
function matchesParams(event: Event, request: Partial<Event>): boolean {
  return (['type', 'time', 'content'] as const).every(
    name => request[name] === undefined || JSON.stringify(request[name]) === JSON.stringify(event[name])
  )
}
