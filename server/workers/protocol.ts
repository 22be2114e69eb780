/** Messages between the main thread and worker threads, and between nodes: plain data, with results as text. */
import { toSentCredentials } from '../../core/account/older-ids.js'
import type { Config } from '../../core/settings/config.js'
import { ApiError, type ErrorDetails, type ErrorId } from '../../core/errors.js'
import type { Gauges, Readiness } from '../service-state.js'
import type { PrecheckResult, AuthenticatedUser } from '../../core/call/dispatcher.js'
import type { LogFields } from '../../core/log.js'
import type { Preview } from '../../core/previews/previews.js'
import type { Failure, Outcome, Request, Success } from '../../core/call/outcome.js'
import type { ThrottleEvent } from '../../core/security/shared-throttle.js'
import type { Credentials } from '../../core/call/credentials.js'

/** The data that a worker starts with. */
export interface WorkerStart {
  readonly config: Config
  readonly index: number
  readonly count: number
  /** Time of the manual clock, in seconds; without it, the system clock is used. */
  readonly frozenAt?: number
  /** Modules with additional methods. */
  readonly methodModules: readonly string[]
}

/** An error from another thread. Its cause has been logged where it occurred. */
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

/** The members of a success that are sent unchanged. */
type SentMembers = Pick<
  Success,
  'ok' | 'members' | 'validator' | 'isUnchanged' | 'isList' | 'cut' | 'facts' | 'accessId'
>

export interface SentSuccess extends SentMembers {
  /** Number by which the remainder of the result is requested. */
  readonly remainder?: number
}

/** The requests that a worker answers. */
export interface Operations {
  /**
   * Makes a call. The remainder of a long result is kept until it is read by {@link pull} or released by {@link
   * drop}.
   */
  call(request: Request): Promise<SentSuccess | SentFailure>
  /** Returns the next text of a result, and whether it was the last text. */
  pull(remainder: number): Promise<readonly [text: string, isDone: boolean]>
  /** Releases the remainder of a result. Unknown numbers are ignored. */
  drop(remainder: number): void
  /** Checks, before the body is read, whether a call may be made. */
  precheck(request: Omit<Request, 'params'>): Promise<PrecheckResult | SentFailure>
  /** Returns an error if the caller may no longer read the rest of a response. */
  recheck(request: Request): Promise<SentFailure | undefined>
  /** Authenticates a subscriber, and returns its account. Rejects like any call. */
  admit(username: string, credentials: Credentials): Promise<AuthenticatedUser['account']>
  /**
   * Returns whether the subscriber has joined: the access may have ended in the meantime, or too many have
   * joined. Throws if the credentials are no longer valid.
   */
  join(username: string, credentials: Credentials, subscriberId: number): boolean | Promise<boolean>
  /** Runs a subscription method; returns `{}` if the subscriber has left. Throws like any method. */
  subscribing(subscriberId: number, method: string, params: unknown): object
  /** Ends a subscription. Unknown ids are ignored. */
  leave(subscriberId: number): void
  /** Passes on the outcome of a call that this worker has forwarded. */
  forwarded(id: number, outcome: SentSuccess | SentFailure): void
  throttled(note: ThrottleEvent): void
  /** Advances the clock, if it is a manual one; otherwise ignored. */
  advance(seconds: number): void
  /** Returns the current load. */
  gauges(): Gauges
  /** Runs the readiness checks. */
  readiness(): Promise<Readiness>
  /** Returns the image of a preview. */
  previewBytes(account: AuthenticatedUser['account'], preview: Preview): Promise<Uint8Array>
  /** Completes background work that is otherwise up to a second behind. */
  settle(): Promise<void>
  /** Stops background work and notifications. Calls are still answered. */
  drain(): Promise<void>
  /** Closes everything. No call may be in progress. */
  close(): Promise<void>
}

/** What can be requested: the operations, and a call in another form. */
export interface Requests extends Operations {
  /**
   * Makes a call with long params, which are sent as JSON text: values are cloned in one piece, text is written and read in steps.
   * `request.params` has only the name of the user, if the call names one.
   */
  callWithText(request: Request, params: string): ReturnType<Operations['call']>
}
export type Operation = keyof Requests

/** A request to a worker; `id` 0 means that no response is expected. */
export type WorkerRequest = readonly [id: number, operation: Operation, args: readonly unknown[]]

/** Events that a worker emits. */
export interface WorkerEvents {
  /** The worker has started, and answers requests. */
  ready(): void
  /** An error after which the service cannot continue. */
  fatal(error: unknown): void
  /** A message for a subscriber. */
  notify(subscriberId: number, message: string, payload: object | undefined): void
  /** The access of a subscriber has ended: nothing more is sent to it. */
  unsubscribed(subscriberId: number): void
  /** A line of the worker's log. */
  log(level: 'info' | 'warn' | 'error', message: string, fields: LogFields | undefined): void
  /** Requests a call by the worker that owns this user's file; `forwarded` returns its outcome. */
  forward(id: number, username: string, request: Request): void
  throttled(note: ThrottleEvent): void
  /** Tells that an account has changed, so that cached data of it is invalid. */
  forget(username: string): void
}

/** A message from a worker: a response or an event. */
export type WorkerMessage =
  | readonly [id: number, value: unknown, error?: SentError]
  | readonly [name: keyof WorkerEvents, args: readonly unknown[]]

/** Returns an error without its cause, which cannot be sent. */
export function toSentError({ details, id, message }: ApiError): SentError {
  const { cause: _cause, subErrors, ...rest } = details
  return { id, message, details: rest, ...(subErrors && { subErrors: subErrors.map(toSentError) }) }
}

/** Restores an API error that another thread sent. */
export function fromSentError({ details, id, message, subErrors }: SentError): ApiError {
  return new ApiError(id, message, {
    ...details,
    ...(subErrors && { subErrors: subErrors.map(fromSentError) })
  })
}

/** Returns a request with only the headers that the other side needs, and without its signal. */
export function toSentRequest<R extends Omit<Request, 'params'>>(config: Config, request: R): R {
  return { ...request, signal: undefined, credentials: toSentCredentials(config, request.credentials) }
}

/** Converts a failure to a plain object, which can be sent to another thread. */
export function toSentFailure({ accessId, error }: Failure): SentFailure {
  return { ok: false, error: toSentError(error), ...(accessId === undefined ? {} : { accessId }) }
}

/** Restores a failure. */
export function fromSentFailure({ accessId, error }: SentFailure): Failure {
  return { ok: false, error: fromSentError(error), ...(accessId === undefined ? {} : { accessId }) }
}

/** Restores an outcome. `pull` returns the generator that requests its remainder. */
export function fromSentOutcome(
  outcome: SentSuccess | SentFailure,
  pull: (remainder: number) => AsyncGenerator<string, void, undefined>
): Outcome {
  if (!outcome.ok) return fromSentFailure(outcome)
  const { remainder } = outcome
  return { ...pickSentMembers(outcome), ...(remainder === undefined ? {} : { remainder: pull(remainder) }) }
}

/** Returns an outcome that can be sent. `keep` stores the remainder of a long result, and returns its number. */
export function toSentOutcome(
  outcome: Outcome,
  keep: (remainder: AsyncGenerator<string, void, undefined>) => number
): SentSuccess | SentFailure {
  if (!outcome.ok) return toSentFailure(outcome)
  const { remainder } = outcome
  return { ...pickSentMembers(outcome), ...(remainder && { remainder: keep(remainder) }) }
}

/** Returns the members that are sent unchanged, for both directions. */
function pickSentMembers({
  accessId,
  cut,
  facts,
  isList,
  isUnchanged,
  members,
  validator
}: SentMembers): SentMembers {
  return {
    ok: true,
    members,
    validator,
    isUnchanged,
    isList,
    cut,
    facts,
    ...(accessId === undefined ? {} : { accessId })
  }
}
