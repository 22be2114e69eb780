/** What goes wrong at a provider, in the words that our pages translate. (docs/spec/identities.md#problems) */
import { ApiError } from '../errors.js'
import { NoResponse } from '../outgoing/http.js'

/**
 * `unreachable`: the provider does not answer, or has failed; `refused`: it, or the person there, said no; `expired`: the
 * sign-in is unknown here, was used, took too long, or was begun in another browser; `group`: they are in none of the groups
 * that may; `invalid`: what the provider said does not hold.
 */
export type ProblemKind = 'unreachable' | 'refused' | 'expired' | 'group' | 'invalid'

export class SignInProblem extends Error {
  constructor(readonly kind: ProblemKind) {
    super(kind)
  }
}

/** Returns what to tell people about an error, and what to tell the operator. Errors of callers are thrown on. */
export function toProblem(error: unknown): { readonly kind: ProblemKind; readonly reason?: string } {
  if (error instanceof ApiError) throw error
  if (error instanceof SignInProblem) return { kind: error.kind }
  const chain = listCauses(error)
  const reason = chain.map(describeError).join(': ')
  if (chain.some(each => each instanceof NoResponse || isTimeout(each)))
    return { kind: 'unreachable', reason }
  const answered = getMember(error, 'error')
  if (answered === 'access_denied') return { kind: 'refused' }
  if (answered === 'server_error' || answered === 'temporarily_unavailable')
    return { kind: 'unreachable', reason }
  return { kind: 'invalid', reason }
}

function listCauses(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let each = error; each instanceof Error && chain.length < 5; each = each.cause) chain.push(each)
  return chain
}

function isTimeout(error: unknown): boolean {
  return getMember(error, 'name') === 'TimeoutError' || getMember(error, 'code') === 'OAUTH_TIMEOUT'
}

/** The code and the message of an error; nothing of what the provider has sent but its code. */
function describeError(error: unknown): string {
  const words = [getMember(error, 'error'), getMember(error, 'code'), getMember(error, 'message')]
  return words
    .filter(word => typeof word === 'string')
    .join(' ')
    .slice(0, 300)
}

function getMember(error: unknown, name: string): unknown {
  return (Object(error) as Record<string, unknown>)[name]
}
