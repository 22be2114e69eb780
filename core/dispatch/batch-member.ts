/** The calls of a batch and their results. */
import { hasListing, joinMembers } from '../json/json-text.js'
import type { Credentials } from '../call/credentials.js'
import type { Call, Result } from '../call/method.js'
import type { Failure } from '../call/outcome.js'
import type { Changes } from '../changes.js'
import type { ReadAuthorization } from './read-authorization.js'
import { MemberWriter } from './result-writer.js'
import { isLong } from './run-write.js'
import type { Compiled } from './stages.js'
import type { UserStore } from '../../storage/user/user-store.js'
import type { Account } from '../../storage/platform/account.js'
import type { Caller } from '../permissions/caller.js'
import { refuseParams } from '../validation/params.js'

/** A batch: its calls, and the caller that makes them. */
export interface BatchCall {
  readonly account: Account
  readonly caller: Caller
  readonly credentials: Credentials
  readonly calls: readonly unknown[]
  /** Called when the last call has run, within that call's transaction if it has one. */
  onEnd(): void
}

/** A call of a batch; with `error` instead of `compiled` if the call cannot be made. */
export interface BatchMember {
  readonly index: number
  readonly method: string
  /** Not validated yet. */
  readonly params: unknown
  readonly compiled?: Compiled
  readonly error?: unknown
}

/** The text of a result. For a result with lists, `text` is empty and `writer` has written the first page. */
export interface ResultText {
  readonly text: string
  readonly writer: MemberWriter | undefined
}

/** The result of a finished call. */
export interface FinishedCall extends ResultText {
  readonly index: number
  readonly method: string
  /** Authorizes reading the rest; absent for writes, whose result is returned as of that time. */
  readonly reading: ReadAuthorization | undefined
  /** Absent for errors, and for calls that ran alone. */
  readonly changes: Changes | undefined
}

/** Converts a result to text. Of a result with lists, a page is written to the writer that is returned. */
export function toResultText(result: Result, { caller, auditScope: scope, store }: Call): ResultText {
  if (!hasListing(result)) {
    if (scope) scope.isOpen = false
    return { text: `{${joinMembers(result)}}`, writer: undefined }
  }
  const writer = new MemberWriter(result, scope)
  store.read(() => writer.write({ store, caller }))
  return { text: '', writer }
}

/** Creates the result of a finished call from a text, such as that of an error. */
export function createTextResult(index: number, method: string, text: string): FinishedCall {
  return { index, method, text, writer: undefined, reading: undefined, changes: undefined }
}

/** Formats an error in place of a result. */
export function formatError({ error }: Pick<Failure, 'error'>): string {
  return `{${joinMembers({ error })}}`
}

/** Requires the params of a call. Error: `invalid-parameters-format`. */
export function assertCallParams(params: unknown): void {
  if (params === undefined) refuseParams([missingParams])
}

/** Returns true if a call is asynchronous, or runs in steps. */
export function runsAsynchronously(
  { definition }: Compiled,
  params: unknown,
  openStore: () => UserStore,
  caller: Caller
): boolean {
  if (definition.mode === 'service') return true
  if (definition.mode === 'batch') return false
  if (definition.prepare && (definition.needsPreparation?.(caller, params) ?? true)) return true
  try {
    return isLong(definition, openStore(), params)
  } catch {
    // The params have not been validated yet. Errors are reported when the call runs.
    return false
  }
}

const missingParams = {
  code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
  message: 'The call has no "params"',
  path: '#',
  params: ['params']
}
