/** Methods as functions: `events.get(…)` instead of `call('events.get', …)`. */
import type { Arguments, MethodId, Result } from './calls.js'
import type { CallOptions } from './coffer.js'

type Resource = MethodId extends infer M ? (M extends `${infer R}.${string}` ? R : never) : never

/** Methods grouped by resource, and methods without a resource. */
export type MethodCalls = {
  readonly [R in Resource]: {
    readonly [M in MethodId as M extends `${R}.${infer Action}` ? Action : never]: (
      ...parameters: Arguments<M, CallOptions>
    ) => Promise<Result<M>>
  }
} & {
  readonly [M in MethodId as M extends `${string}.${string}` ? never : M]: (
    ...parameters: Arguments<M, CallOptions>
  ) => Promise<Result<M>>
}

/** A `Coffer` or a `Socket`. */
interface Caller {
  call<M extends MethodId>(method: M, ...parameters: Arguments<M, CallOptions>): Promise<Result<M>>
}

/** Returns the methods of an account as functions: `const { events, streams } = methodsOf(coffer)`. */
export function methodsOf(caller: Caller): MethodCalls {
  return createProxy('', caller) as MethodCalls
}

function createProxy(prefix: string, caller: Caller): unknown {
  const call = caller.call.bind(caller) as (method: string, ...parameters: unknown[]) => Promise<unknown>
  return new Proxy(() => undefined, {
    // `await` reads `then` first.
    get: (_target, name) =>
      typeof name === 'symbol' || name === 'then'
        ? undefined
        : createProxy(prefix === '' ? name : `${prefix}.${name}`, caller),
    apply: async (_target, _self, parameters: unknown[]) => await call(prefix, ...parameters)
  })
}
