/**
 * Hooks: rules of another module that apply to a method, such as those of consent to the creation of events. A method knows
 * nothing of its hooks. (docs/architecture.md#hooks)
 */
import type { Account } from '../../storage/platform/account.js'
import type { Steps } from '../../storage/steps.js'
import type { Caller } from '../permissions/caller.js'
import type { Call, Result } from './method.js'

/**
 * How a call goes on after {@link MethodHook.before}: with these params, or with this result instead of the method's.
 */
export type HookDecision = { readonly params: unknown } | { readonly result: Result }

/** The rules of a module for one method. All members are optional. */
export interface MethodHook {
  /** Returns whether a call needs {@link prepare}. In a batch, the params have not been validated yet. */
  needsPreparation?(caller: Caller, params: unknown): boolean
  /** Does asynchronous work before the transaction. Its result is the third argument of `before`. */
  prepare?(call: Call, params: unknown): Promise<unknown>
  /** Runs before the method, in its transaction. Throws to refuse the call. What may take long, runs in steps. */
  before?(call: Call, params: unknown, prepared: unknown): HookDecision | Steps<HookDecision>
  /** Runs after the method, in its transaction. Returns the result of the call. */
  after?(call: Call, params: unknown, result: Result): Result
  /** Delays the response to a write that is durable and published. Not for calls of a batch. Must not reject. */
  settle?(account: Account, params: unknown, result: Result): Promise<void> | undefined
}

/** Hooks by method id. */
export type MethodHooks = ReadonlyMap<string, MethodHook>
