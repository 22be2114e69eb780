/** Where the data of a demo goes: an account in a data directory, or one of a running service. */
import type { Fact, Filed } from './person/facts.js'

/** A call of the API, as in a batch. */
export interface Call {
  readonly method: string
  readonly params: object
}

/** The result of a call; with `error` if it was refused. */
export interface Answer {
  readonly error?: { readonly id: string; readonly message: string }
  readonly access?: { readonly token: string }
  readonly accesses?: readonly { readonly type: string }[]
  readonly streams?: readonly { readonly id: string }[]
}

/** An account to fill. */
export interface Target {
  /** Name of the account. */
  readonly username: string
  /** The present of calls, seconds. */
  now(): number
  /** Moves the present on to a time (seconds), where calls can be dated. */
  moveTo(time: number): void
  /** Makes calls in order with a token; each has its answer or error in its place. Throws {@link DemoError} if all are refused. */
  batch(token: string, calls: readonly Call[]): Promise<readonly Answer[]>
  /** Creates an event with a file. Throws {@link DemoError}. */
  upload(token: string, event: Fact & { readonly id: string }, file: Filed['file']): Promise<void>
}

/** An account cannot be filled. */
export class DemoError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'DemoError'
  }
}

/** Makes calls that have to succeed. Throws {@link DemoError} with the error of the first one that does not. */
export async function call(
  target: Target,
  token: string,
  calls: readonly Call[]
): Promise<readonly Answer[]> {
  if (calls.length === 0) return []
  const answers = await target.batch(token, calls)
  for (const [index, { error }] of answers.entries())
    if (error)
      throw new DemoError(`${target.username}: ${calls[index]!.method} was refused: ${error.message}`)
  return answers
}

/** Throws {@link DemoError} unless nothing is in an account but what every new one has. */
export async function assertEmpty(target: Target, token: string): Promise<void> {
  const [found, granted] = await call(target, token, [
    { method: 'streams.get', params: { state: 'all' } },
    { method: 'accesses.get', params: {} }
  ])
  if (!isEmpty(found?.streams ?? [], granted?.accesses ?? [])) refuse(target.username)
}

/** Whether these are all that an account has before anybody uses it. */
export function isEmpty(
  streams: readonly { readonly id: string }[],
  accesses: readonly { readonly type: string }[]
): boolean {
  return streams.every(({ id }) => id.startsWith(':')) && accesses.every(({ type }) => type === 'personal')
}

/** Throws the {@link DemoError} for an account that has data. */
export function refuse(username: string): never {
  throw new DemoError(
    `The account ${username} already has data. Choose another name, or delete it first with "coffer user delete ${username}"`
  )
}
