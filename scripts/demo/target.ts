/** The destination of the sample data: an account in a data directory or in a running service. */
import type { EventParams, EventWithFile } from './person/event-params.js'

/** An API call, as in a batch. */
export interface Call {
  readonly method: string
  readonly params: object
}

/** The result of a call, with `error` if the call was refused. */
export interface CallResult {
  readonly error?: { readonly id: string; readonly message: string }
  readonly access?: { readonly token: string }
  readonly accesses?: readonly { readonly type: string }[]
  readonly streams?: readonly { readonly id: string }[]
}

/** An account to fill. */
export interface Target {
  /** Name of the account. */
  readonly username: string
  /** Returns the time with which calls are dated, in seconds. */
  now(): number
  /** Advances that time (seconds), if calls can be dated. */
  moveTo(time: number): void
  /** Makes calls in order with a token. Returns a result or error for each. Throws {@link DemoError} if the batch is refused. */
  batch(token: string, calls: readonly Call[]): Promise<readonly CallResult[]>
  /** Creates an event with a file. Throws {@link DemoError}. */
  upload(
    token: string,
    event: EventParams & { readonly id: string },
    file: EventWithFile['file']
  ): Promise<void>
}

/** The account cannot be filled. */
export class DemoError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DemoError'
  }
}

/**
 * Makes calls that must succeed, as one batch. Throws {@link DemoError} with the first error; the other calls
 * may have succeeded.
 */
export async function makeCalls(
  target: Target,
  token: string,
  calls: readonly Call[]
): Promise<readonly CallResult[]> {
  if (calls.length === 0) return []
  const answers = await target.batch(token, calls)
  for (const [index, { error }] of answers.entries())
    if (error)
      throw new DemoError(`${target.username}: ${calls[index]!.method} was refused: ${error.message}`)
  return answers
}

/** Throws {@link DemoError} unless an account contains only what every new account has. */
export async function assertEmpty(target: Target, token: string): Promise<void> {
  const [found, granted] = await makeCalls(target, token, [
    { method: 'streams.get', params: { state: 'all' } },
    { method: 'accesses.get', params: {} }
  ])
  if (!isEmpty(found?.streams ?? [], granted?.accesses ?? [])) throwNotEmpty(target.username)
}

/** Returns true if an account with these streams and accesses has not been used yet. */
export function isEmpty(
  streams: readonly { readonly id: string }[],
  accesses: readonly { readonly type: string }[]
): boolean {
  return streams.every(({ id }) => id.startsWith(':')) && accesses.every(({ type }) => type === 'personal')
}

/** Throws the {@link DemoError} for an account that has data. */
export function throwNotEmpty(username: string): never {
  throw new DemoError(
    `The account ${username} already has data. Choose another name, or delete it first with "coffer user delete ${username}"`
  )
}

/** Throws the {@link DemoError} for a password that is given for an existing account. */
export function throwPasswordKept(username: string): never {
  throw new DemoError(`The account ${username} already exists and keeps its password. Leave out --password`)
}
