/** The calls of a batch and their results. */
import { hasListing, joinMembers } from '../json/json-text.js'
import type { Credentials } from '../call/credentials.js'
import type { Call, Result } from '../call/method.js'
import type { Failure } from '../call/outcome.js'
import type { Changes } from '../changes.js'
import type { Reading } from './reader.js'
import { MemberWriter } from './result-writer.js'
import { isLong } from './run-write.js'
import type { Compiled } from './stages.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Account } from '../../storage/platform/account.js'
import type { Caller } from '../permissions/caller.js'
import { refuseParams } from '../validation/params.js'

/** The calls of a batch, and who makes them. */
export interface BatchCall {
  readonly account: Account
  readonly caller: Caller
  readonly credentials: Credentials
  readonly calls: readonly unknown[]
  /** Called when the last call has run, within its transaction if it has one. */
  onEnd(): void
}

/** A call of a batch, or the error of one that cannot be made. */
export interface Member {
  readonly index: number
  readonly call: unknown
  readonly compiled?: Compiled
  readonly error?: unknown
}

/** The text of a result; for one with lists what writes it instead, its first page written. */
export interface ResultText {
  readonly text: string
  readonly writer: MemberWriter | undefined
}

/** A finished call: its result, and who may read it. */
export interface Done extends ResultText {
  readonly index: number
  readonly method: string
  /** Absent for writes, whose result is returned as it was at that time. */
  readonly reading: Reading | undefined
  /** Absent for errors, and for calls that were made by themselves. */
  readonly changes: Changes | undefined
}

/** Returns the text of a result, or its first page. */
export function textOf(result: Result, { caller, reach, store }: Call): ResultText {
  if (!hasListing(result)) {
    if (reach) reach.isOpen = false
    return { text: `{${joinMembers(result)}}`, writer: undefined }
  }
  const writer = new MemberWriter(result, reach)
  store.read(() => writer.write({ store, caller }))
  return { text: '', writer }
}

/** Returns a call with a text that takes the place of its result, such as that of an error. */
export function finished(index: number, method: string, text: string): Done {
  return { index, method, text, writer: undefined, reading: undefined, changes: undefined }
}

/** Returns the text of an error that takes the place of a result. */
export function errorText({ error }: Pick<Failure, 'error'>): string {
  return `{${joinMembers({ error })}}`
}

export function methodOf(call: unknown): string {
  return (call as { method: string }).method
}

export function paramsOf(call: unknown): unknown {
  return (call as { params?: unknown }).params
}

/** Throws `invalid-parameters-format` for a call without params. */
export function assertCallParams(call: unknown): void {
  if (paramsOf(call) === undefined) refuseParams([withoutParams])
}

/** Whether a call is asynchronous, or runs in steps. */
export function needsToWait({ definition }: Compiled, params: unknown, storeNow: () => UserStore): boolean {
  if (definition.mode === 'service') return true
  if (definition.mode === 'batch') return false
  if (definition.prepare) return true
  try {
    return isLong(definition, storeNow(), params)
  } catch {
    // Its params have not been checked yet; errors are reported when it runs.
    return false
  }
}

const withoutParams = {
  code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
  message: 'The call has no "params"',
  path: '#',
  params: ['params']
}
