/** Calls of operators: who they are, and the record of what they did. (docs/spec/administration.md#operators) */
import { AccountElsewhere } from '../../storage/errors.js'
import type { Account } from '../../storage/platform/account.js'
import { matchesAdminKey } from '../auth/admin.js'
import { authenticateOperator } from '../auth/operators.js'
import type { Credentials } from '../call/credentials.js'
import type { Result, ServiceCall, ServiceMethod } from '../call/method.js'
import { toApiError } from '../call/outcome.js'
import { ApiError } from '../errors.js'

/**
 * Returns the credentials of a call with the operator whose session they are, if they are one's. Errors are those of an ended
 * session, and of too many calls; somebody who is no operator is left to the method.
 */
export async function withOperator(
  call: ServiceCall,
  { allow }: Pick<ServiceMethod, 'allow'>
): Promise<Credentials> {
  const { credentials } = call
  const { operator: known, pageUser } = credentials
  if (known || pageUser === undefined || !allow.isForOperators) return credentials
  try {
    const operator = await operatorWherever(call, pageUser)
    return { ...credentials, operator }
  } catch (error) {
    if (toApiError(error).id !== 'unknown-resource') throw error
    return credentials
  }
}

/** Asks the thread that has the operator's file. */
async function operatorWherever(
  call: ServiceCall,
  username: string
): Promise<Pick<Account, 'id' | 'username'>> {
  const { credentials, services } = call
  try {
    return await authenticateOperator(call, username)
  } catch (error) {
    const { peers } = services.shard
    if (!(error instanceof AccountElsewhere) || !peers) throw error
    const request = {
      method: 'system.getOperator',
      params: { username },
      credentials,
      isWhole: true
    } as const
    const outcome = await peers.forward(username, request)
    if (!outcome.ok) throw outcome.error
    const account = services.platform.find(username)
    if (!account) throw new ApiError('unknown-resource')
    return { id: account.id, username }
  }
}

/** Runs a method, and records it among the deeds of operators if it is one. */
export async function runRecorded(
  definition: ServiceMethod,
  call: ServiceCall,
  params: unknown
): Promise<Result> {
  if (!definition.deed?.(params)) return await definition.run(call, params)
  const { platform } = call.services
  const { username } = params as { readonly username?: string }
  const findTarget = (): string | undefined =>
    username === undefined ? undefined : platform.find(username.toLowerCase())?.id
  // Of an account that is deleted, nothing is left to be found afterwards.
  const target = findTarget()
  try {
    const result = await definition.run(call, params)
    await record(definition, call, params, target ?? findTarget(), null)
    return result
  } catch (error) {
    // The thread that has the account's file records it.
    if (!(error instanceof AccountElsewhere))
      await record(definition, call, params, target, toApiError(error).id)
    throw error
  }
}

/**
 * Records that a call was refused before it ran, if it would have been a deed of an operator. What its params ask for is not
 * recorded: they have not been checked.
 */
export async function recordRefused(
  definition: ServiceMethod,
  call: ServiceCall,
  params: unknown,
  error: unknown
): Promise<void> {
  if (!definition.deed) return
  const { username } = Object(params) as { readonly username?: unknown }
  const target =
    typeof username === 'string' ? call.services.platform.find(username.toLowerCase()) : undefined
  await record({ id: definition.id }, call, params, target?.id, toApiError(error).id)
}

async function record(
  definition: Pick<ServiceMethod, 'deed' | 'id'>,
  { credentials, now, services }: ServiceCall,
  params: unknown,
  target: string | undefined,
  error: string | null
): Promise<void> {
  const { ip, operator } = credentials
  if (!operator && !matchesAdminKey(services, credentials)) return
  try {
    await services.platform.change('addDeed', {
      time: now,
      method: definition.id,
      operator: operator?.id ?? null,
      target: target ?? null,
      detail: definition.deed?.(params) ?? {},
      error,
      ip
    })
  } catch (cause) {
    // It has been done: to say that it failed would be wrong.
    services.log.error('an action of an operator could not be recorded', { method: definition.id, cause })
  }
}
