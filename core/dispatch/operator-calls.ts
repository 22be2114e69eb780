/** Authenticates operators, and records their actions. (docs/spec/administration.md#operators) */
import { AccountElsewhere } from '../../storage/errors.js'
import type { Account } from '../../storage/platform/account.js'
import { matchesAdminKey } from '../auth/admin.js'
import { authenticateOperator } from '../auth/operators.js'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import type { Result, ServiceCall, ServiceMethod } from '../call/method.js'
import { toApiError } from '../call/outcome.js'
import { ApiError } from '../errors.js'

/**
 * Returns the credentials of a call, with `operator` if they are the session of an operator. Errors: the errors of a
 * call with an ended session, or of too many calls. A user who is not an operator is refused by the method.
 */
export async function addOperator(
  call: ServiceCall,
  { allow }: Pick<ServiceMethod, 'allow'>
): Promise<Credentials> {
  const { credentials } = call
  const { operator: given, pageUser } = credentials
  if (given || pageUser === undefined || !allow.isForOperators) return credentials
  try {
    const operator = await findOperator(call, pageUser)
    return { ...credentials, operator }
  } catch (error) {
    if (toApiError(error).id !== 'unknown-resource') throw error
    return credentials
  }
}

/** Authenticates an operator on the thread or node that serves the operator's account. */
async function findOperator(call: ServiceCall, username: string): Promise<Pick<Account, 'id' | 'username'>> {
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

/**
 * Runs a method, and records it in the operators' activity log if it is an action of an operator. Calls that
 * fail are recorded with their error.
 */
export async function runAndRecord(
  definition: ServiceMethod,
  call: ServiceCall,
  params: unknown
): Promise<Result> {
  if (!definition.describeAction?.(params)) return await definition.run(call, params)
  const { platform } = call.services
  const { username } = params as { readonly username?: string }
  const findTarget = (): string | undefined =>
    username === undefined ? undefined : platform.find(username.toLowerCase())?.id
  // Before the method runs, since it may delete the account.
  const target = findTarget()
  try {
    const result = await definition.run(call, params)
    await recordAction(definition, call, params, target ?? findTarget(), null)
    return result
  } catch (error) {
    // Such a call is recorded by the thread that serves the account.
    if (!(error instanceof AccountElsewhere))
      await recordAction(definition, call, params, target, toApiError(error).id)
    throw error
  }
}

/** Records a call that was refused before it ran, if it is an action of an operator. Its params are not recorded: they are not valid. */
export async function recordRefusedAction(
  definition: ServiceMethod,
  call: ServiceCall,
  params: unknown,
  error: unknown
): Promise<void> {
  if (!definition.describeAction) return
  const { username } = Object(params) as { readonly username?: unknown }
  const target =
    typeof username === 'string' ? call.services.platform.find(username.toLowerCase()) : undefined
  await recordAction({ id: definition.id }, call, params, target?.id, toApiError(error).id)
}

/** Adds a call to the activity log if an operator made it, or a caller with the admin key. `error`: id of its error. */
async function recordAction(
  definition: Partial<ServiceMethod> & { readonly id: string },
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
      detail: definition.describeAction?.(params) ?? {},
      error,
      ip
    })
  } catch (cause) {
    // The action has taken effect, so an error would be wrong.
    services.log.error('an action of an operator could not be recorded', { method: definition.id, cause })
  }
}

/**
 * Returns the account whose username, current or former, is in the params of a method of the service;
 * `undefined` if no account that is served here has it.
 */
export function findAccountInParams({ accounts }: Services, params: unknown): Account | undefined {
  const { username } = Object(params) as { username?: unknown }
  return typeof username === 'string' ? accounts.findServed(username.toLowerCase()) : undefined
}
