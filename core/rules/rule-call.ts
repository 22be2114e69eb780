/** Calls that rules make: with the access of a rule as their caller, whose permissions are those of the moment. */
import type { Rule } from '../../schemas/rule.js'
import { isClientRevoked } from '../auth/oauth-marks.js'
import type { Call } from '../call/method.js'
import { findAccessInForce } from '../channels/account-messages.js'
import { Caller } from '../permissions/caller.js'
import { isTrashed } from '../streams/tree.js'
import type { Cause, Episodes } from './episodes.js'

/** What a rule has not seen yet. Times in seconds. */
export interface Unseen {
  /** When the oldest change happened that has not been evaluated. */
  readonly since: number
  /** Times of numbers that changed nothing, and were not evaluated when they were written. */
  readonly passed: readonly number[]
}

/** What an evaluation covers. */
export interface Span extends Unseen {
  /** In seconds. */
  readonly now: number
}

/** Watches what one rule asks for, as its access sees it now. */
export interface Watcher {
  /** Returns whether the rule's access can still read what has caused an episode. */
  isReadable(cause: Cause): boolean
  /** Adds what has happened to the episodes; if that is very much, only a part, until the time of `seenTo`. */
  feed(episodes: Episodes, span: Span): void
  /** Whether the last {@link feed} has left a part for the next one. */
  readonly hasMore?: boolean
}

/** A call made by the access of a rule. */
export type RuleCall = Call

/** Returns the call with the access of a rule as its caller; `undefined` if the access has ended. */
export function createRuleCall(call: Call, { accessId }: Pick<Rule, 'accessId'>): RuleCall | undefined {
  const { services, store } = call
  const access = findAccessInForce(call, accessId)
  if (!access || isClientRevoked(services, store, access)) return undefined
  return { ...call, caller: new Caller(store, access) }
}

/** Returns the call as the user could make it: tells what is hidden from what is gone. */
export function asUser(call: RuleCall): RuleCall {
  const access = { ...call.caller.access!, type: 'personal' as const }
  return { ...call, caller: new Caller(call.store, access) }
}

/** Returns whether a caller can read all of these streams now: they may have been deleted, such as copies that have ended. */
export function mayReadAll({ caller, store }: RuleCall, streamIds: readonly string[] = []): boolean {
  return streamIds.every(id => {
    const node = store.streams.find(id)
    return node !== undefined && !isTrashed(node) && caller.may('read', id)
  })
}
