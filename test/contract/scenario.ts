/** What a scenario of the contract is: a call, who makes it, and what has to come of it. */
import assert from 'node:assert/strict'
import type { ErrorId } from '../../core/errors.js'
import type { Answer } from '../support/coffer.js'
import type { CallerName, World } from './world.js'

/** What a scenario is about. Every method has one of each kind that can happen to it. */
export type Kind = 'success' | 'params' | 'caller' | 'unknown' | 'state'

export type Params = object | ((world: World) => object)

export interface Scenario {
  /** Finishes the sentence that the method id begins. */
  readonly name: string
  readonly kind: Kind
  /** The owner unless told otherwise. */
  readonly by?: CallerName
  /** Params as in a batch; over HTTP they go where the route has them. */
  readonly params?: Params
  /** Names of files that come with the call; their text is their name. */
  readonly files?: readonly string[]
  /** What a successful answer matches. */
  readonly answer?: object | ((world: World) => object)
  /** The text that a successful answer is, where it is no JSON. */
  readonly text?: string
  /** The media type of a successful answer, where it is not a string either. */
  readonly type?: string
  /** The error that refuses the call. */
  readonly error?: ErrorId
  /** The status over HTTP, where it is not the usual one. */
  readonly status?: number
  /** What the error matches beside its id. */
  readonly match?: object
  /** Looks further, after a success. */
  readonly after?: (world: World, answer: Answer) => Promise<void> | void
  /** The wire over which alone it makes sense. */
  readonly only?: 'http' | 'batch' | 'socket'
  /** Further headers. */
  readonly headers?: Record<string, string> | ((world: World) => Record<string, string>)
  /** What has to be there first. */
  readonly before?: (world: World) => Promise<void>
}

/** The scenarios of methods, by method id. */
export type Contract = Readonly<Record<string, readonly Scenario[]>>

/** A value that may depend on the world. */
export function given<T extends object>(
  value: T | ((world: World) => T) | undefined,
  world: World
): T | undefined {
  return typeof value === 'function' ? value(world) : value
}

/** How a text that is too long is refused. */
export function tooLong(path: string | RegExp): Pick<Scenario, 'error' | 'match'> {
  return { error: 'invalid-parameters-format', match: { data: [{ code: 'MAX_LENGTH', path }] } }
}

/** A method's scenarios for calls without a token, and with one that does not exist. */
export function withoutToken(params: Params = {}): Scenario[] {
  return [
    { name: 'wants a token', kind: 'caller', by: 'nobody', params, error: 'invalid-access-token' },
    {
      name: 'wants a token that exists',
      kind: 'caller',
      by: 'stranger',
      params,
      error: 'invalid-access-token'
    }
  ]
}

/** Scenarios of a method that is nothing for apps, nor for those with whom something is shared. */
export function closedToOthers(params: Params = {}): Scenario[] {
  return (['app', 'manager', 'reader', 'sensor'] as const).map(by => ({
    name: `is refused to ${by}`,
    kind: 'caller',
    by,
    params,
    error: 'forbidden'
  }))
}

/** Wants an item without these fields. */
export function lacks(item: object, ...fields: readonly string[]): void {
  assert.deepEqual(
    fields.filter(field => field in item),
    []
  )
}
