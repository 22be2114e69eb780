/** Checks of names and addresses that older clients post. (docs/spec/compatibility.md#older-registration-routes) */
import { Type, type TSchema } from 'typebox'
import type { Credentials } from '../call/credentials.js'
import type { Services } from '../call/services.js'
import { fail } from '../errors.js'
import { createChecker } from '../validation/params.js'

/**
 * Returns the common part of these methods: `isFree` as plain text. They fail as removed unless users have their own
 * host names, and only then check the param. Each call counts as a look-up of its address: `too-many-requests` after too many.
 */
export function createOlderCheck(
  field: string,
  schema: TSchema,
  isTaken: (services: Services, value: string) => unknown
) {
  const check = createChecker(Type.Object({ [field]: schema }))
  return {
    params: Type.Unknown(),
    result: Type.Object({ isFree: Type.Boolean() }),
    mode: 'service' as const,
    facts: ({ isFree }: { isFree: boolean }) => ({ text: String(isFree) }),
    run({ services, credentials }: { services: Services; credentials: Credentials }, params: unknown) {
      if (services.config.domain === '') fail('removed-method')
      check(params)
      services.throttle.lookUp(credentials.ip)
      return { isFree: !isTaken(services, (params as Record<string, string>)[field]!) }
    }
  }
}
