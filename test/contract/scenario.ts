/** A scenario of the contract: a call, its caller, and the expected result. */
import assert from 'node:assert/strict'
import type { ErrorId } from '../../core/errors.js'
import type { Answer } from '../support/coffer.js'
import type { CallerName, World } from './world.js'

/** What a scenario is about. Every method has one of each kind that applies to it. */
export type Kind = 'success' | 'params' | 'caller' | 'unknown' | 'state'

export type Params = object | ((world: World) => object)

export interface Scenario {
  /** Completes the sentence that starts with the method id. */
  readonly name: string
  readonly kind: Kind
  /** The caller: the owner by default. */
  readonly by?: CallerName
  /** Params as in a batch; over HTTP they go where the route has them. */
  readonly params?: Params
  /** Names of files sent with the call; their content is their name. */
  readonly files?: readonly string[]
  /** What the result of a success must match. */
  readonly answer?: object | ((world: World) => object)
  /** The text of a successful response that is not JSON. */
  readonly text?: string
  /** The media type of a successful response that is neither JSON nor text. */
  readonly type?: string
  /** The error id of a refusal. */
  readonly error?: ErrorId
  /** The status over HTTP, if it is not the default. */
  readonly status?: number
  /** What the error must match besides its id. */
  readonly match?: object
  /** Further checks after a success. */
  readonly after?: (world: World, answer: Answer) => Promise<void> | void
  /** The only wire to which it applies. */
  readonly only?: 'http' | 'batch' | 'socket'
  /** Additional headers. */
  readonly headers?: Record<string, string> | ((world: World) => Record<string, string>)
  /** Prepares the world. */
  readonly before?: (world: World) => Promise<void>
}

/** The scenarios of methods, by method id. */
export type Contract = Readonly<Record<string, readonly Scenario[]>>

/** Returns a value that may depend on the world. */
export function given<T extends object>(
  value: T | ((world: World) => T) | undefined,
  world: World
): T | undefined {
  return typeof value === 'function' ? value(world) : value
}

/** Returns the expected refusal of a text that is too long. */
export function tooLong(path: string | RegExp): Pick<Scenario, 'error' | 'match'> {
  return { error: 'invalid-parameters-format', match: { data: [{ code: 'MAX_LENGTH', path }] } }
}

/** Returns a method's scenarios for calls without a token, and with an unknown one. */
export function withoutToken(params: Params = {}): Scenario[] {
  return [
    { name: 'requires a token', kind: 'caller', by: 'nobody', params, error: 'invalid-access-token' },
    {
      name: 'refuses an unknown token',
      kind: 'caller',
      by: 'stranger',
      params,
      error: 'invalid-access-token'
    }
  ]
}

/** Returns the scenarios of a method that refuses apps and shared accesses. */
export function closedToOthers(params: Params = {}): Scenario[] {
  return (['app', 'manager', 'reader', 'sensor'] as const).map(by => ({
    name: `is refused to ${by}`,
    kind: 'caller',
    by,
    params,
    error: 'forbidden'
  }))
}

/** Refusals of accesses that did not create what `before` has created. */
export function refusesStrangers(before: NonNullable<Scenario['before']>, params: Params): Scenario[] {
  return (['reader', 'manager'] as const).map(by => ({
    name: `is refused to ${by}, which did not create it`,
    kind: 'caller',
    by,
    before,
    params,
    error: 'forbidden'
  }))
}

/** The refusal of params that a method with an id does not know. */
export const refusesUnknownParams: Scenario = {
  name: 'refuses unknown params',
  kind: 'params',
  params: { id: 'any', unheardOf: 1 },
  error: 'invalid-parameters-format'
}

/** Asserts that an item lacks these fields. */
export function lacks(item: object, ...fields: readonly string[]): void {
  assert.deepEqual(
    fields.filter(field => field in item),
    []
  )
}
