/** What the main thread and the threads that own users' files say to each other: flat data, results as text. */
import type { Config } from '../../core/settings/config.js'
import { ApiError, type ErrorDetails, type ErrorId } from '../../core/errors.js'
import type { Gauges, Readiness } from '../gauges.js'
import type { Admittance, Admission } from '../../core/call/dispatcher.js'
import type { LogFields } from '../../core/log.js'
import type { Preview } from '../../core/previews/previews.js'
import type { Failure, Outcome, Request, Success } from '../../core/call/outcome.js'
import type { ThrottleNote } from '../../core/security/shared-throttle.js'
import type { Credentials } from '../../core/call/credentials.js'

/** What a worker is started with. */
export interface WorkerStart {
  readonly config: Config
  readonly index: number
  readonly count: number
  /** Seconds at which the clock stands until it is moved; without it the machine's own counts. */
  readonly frozenAt?: number
  /** Modules with methods beside the API's own. */
  readonly methodModules: readonly string[]
}

/** An error that has crossed. Its cause, which is for the log, was logged where it arose. */
export interface SentError {
  readonly id: ErrorId
  readonly message: string
  readonly details: Omit<ErrorDetails, 'subErrors' | 'cause'>
  readonly subErrors?: readonly SentError[]
}

export interface SentFailure {
  readonly ok: false
  readonly error: SentError
  readonly accessId?: string
}

/** What is sent of a success as it is. */
type Sent = Pick<Success, 'ok' | 'members' | 'validator' | 'isUnchanged' | 'cut' | 'facts' | 'accessId'>

export interface SentSuccess extends Sent {
  /** Number by which the rest of the result is pulled. */
  readonly rest?: number
}

/** What a worker does when it is asked. */
export interface Operations {
  call(request: Request, isWhole: boolean): Promise<SentSuccess | SentFailure>
  /** The next text of a result, and whether it was the last one. */
  pull(rest: number): Promise<readonly [text: string, isDone: boolean]>
  drop(rest: number): void
  precheck(request: Omit<Request, 'params'>): SentFailure | undefined
  recheck(request: Request): SentFailure | undefined
  admitUpload(request: Omit<Request, 'params'>): Admittance | SentFailure
  admit(username: string, credentials: Credentials): Promise<Admission['account']>
  /** Whether `ear` now hears: the access may have ended meanwhile. */
  join(username: string, credentials: Credentials, ear: number): boolean
  subscribing(ear: number, method: string, params: unknown): object
  leave(ear: number): void
  /** The outcome of a call that this worker has asked for. */
  forwarded(id: number, outcome: SentSuccess | SentFailure): void
  throttled(note: ThrottleNote): void
  advance(seconds: number): void
  gauges(): Gauges
  readiness(): Promise<Readiness>
  previewBytes(account: Admission['account'], preview: Preview): Promise<Uint8Array>
  settle(): Promise<void>
  quieten(): Promise<void>
  close(): Promise<void>
}
export type Operation = keyof Operations

/** To a worker; `id` 0 wants no answer. */
export type Question = readonly [id: number, operation: Operation, args: readonly unknown[]]

/** What a worker says unasked. */
export interface Tidings {
  ready(): void
  /** The service cannot go on. */
  fatal(error: unknown): void
  hear(ear: number, message: string, payload: object | undefined): void
  cut(ear: number): void
  log(level: 'info' | 'warn' | 'error', message: string, fields: LogFields | undefined): void
  /** Asks for a call by the worker that owns this user's file; `forwarded` brings its outcome. */
  forward(id: number, username: string, request: Request): void
  throttled(note: ThrottleNote): void
  /** Something about the account itself has changed: what is remembered of it counts no longer. */
  forget(username: string): void
}

/** From a worker. */
export type Saying =
  | readonly [id: number, value: unknown, error?: SentError]
  | readonly [name: keyof Tidings, args: readonly unknown[]]

export function sentError({ details, id, message }: ApiError): SentError {
  const { cause: _cause, subErrors, ...rest } = details
  return { id, message, details: rest, ...(subErrors && { subErrors: subErrors.map(sentError) }) }
}

export function receivedError({ details, id, message, subErrors }: SentError): ApiError {
  return new ApiError(id, message, {
    ...details,
    ...(subErrors && { subErrors: subErrors.map(receivedError) })
  })
}

export function sentFailure({ accessId, error }: Failure): SentFailure {
  return { ok: false, error: sentError(error), ...(accessId === undefined ? {} : { accessId }) }
}

export function receivedFailure({ accessId, error }: SentFailure): Failure {
  return { ok: false, error: receivedError(error), ...(accessId === undefined ? {} : { accessId }) }
}

export function receivedOutcome(
  outcome: SentSuccess | SentFailure,
  pull: (rest: number) => AsyncGenerator<string, void, undefined>
): Outcome {
  if (!outcome.ok) return receivedFailure(outcome)
  const { rest } = outcome
  return { ...plain(outcome), ...(rest === undefined ? {} : { remainder: pull(rest) }) }
}

/** An outcome that can be sent; `keep` takes the rest of a long one and answers its number. */
export function sentOutcome(
  outcome: Outcome,
  keep: (rest: AsyncGenerator<string, void, undefined>) => number
): SentSuccess | SentFailure {
  if (!outcome.ok) return sentFailure(outcome)
  const { remainder } = outcome
  return { ...plain(outcome), ...(remainder && { rest: keep(remainder) }) }
}

/** What goes from one thread to the other as it is: named here alone, for both ways. */
function plain({ accessId, cut, facts, isUnchanged, members, validator }: Sent): Sent {
  return {
    ok: true,
    members,
    validator,
    isUnchanged,
    cut,
    facts,
    ...(accessId === undefined ? {} : { accessId })
  }
}
