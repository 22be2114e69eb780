/** Errors of sign-ins at a provider, as kinds that the service's pages translate. (docs/spec/identities.md#problems) */
import { ApiError } from '../errors.js'
import { NoResponse } from '../outgoing/http.js'

/**
 * `unreachable`: the provider does not respond, or has failed; `refused`: the provider or the user declined; `expired`:
 * the sign-in is unknown, was used, took too long, or began in another browser; `group`: the user is in none of the
 * allowed groups; `invalid`: the provider's response is not valid.
 */
type ProblemKind = 'unreachable' | 'refused' | 'expired' | 'group' | 'invalid'

/** Thrown if a sign-in at a provider fails. */
export class SignInProblem extends Error {
  constructor(readonly kind: ProblemKind) {
    super(kind)
  }
}

/** Returns the kind of an error for the user, and a reason for the operator. Errors of callers are rethrown. */
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

/** Returns whether a token was refused because the key that has signed it is not known. */
export function isUnknownKey(error: unknown): boolean {
  return listCauses(error).some(each => getMember(each, 'code') === 'OAUTH_KEY_SELECTION_FAILED')
}

function listCauses(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let each = error; each instanceof Error && chain.length < 5; each = each.cause) chain.push(each)
  return chain
}

function isTimeout(error: unknown): boolean {
  return getMember(error, 'name') === 'TimeoutError' || getMember(error, 'code') === 'OAUTH_TIMEOUT'
}

/** Returns the code and the message of an error; of the provider's response only its code. */
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
