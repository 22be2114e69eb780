/** Runs methods that write, with all that belongs into the same transaction. */
import type { Call, Result, UserMethod } from './method.js'
import { withinQuota } from './quota.js'
import { owe } from './webhooks/owe.js'

/** Runs a method within the transaction of its call: as far as the quota allows, and noted for webhooks. */
export function runWrite(definition: UserMethod, call: Call, params: unknown, prepared: unknown): Result {
  call.store.audit.lastWritten.clear()
  const result = withinQuota(definition, call, () => definition.run(call, params, prepared))
  owe(call)
  return result
}
