/** Finds accesses by the ids that clients send, which name a version. (docs/spec/accesses.md#versions) */
import type { Access } from '../../schemas/access.js'
import { parseWireId } from '../access-ids.js'
import type { Call } from '../call/method.js'
import { fail, quoteText } from '../errors.js'

export { formatWireId, parseWireId, toWireAccess } from '../access-ids.js'

/**
 * Returns the access of which an id names the current version. Errors: `unknown-resource` for a malformed id, and for an
 * access that does not exist or has been deleted; `stale-resource` for any other version, with `provided` and
 * `currentSerial`, which is null for an access that was never updated.
 */
export function requireCurrentAccess({ store }: Pick<Call, 'store'>, wireId: string): Access {
  const asked = parseWireId(wireId)
  const access = asked && store.accesses.find(asked.base)
  if (!access) fail('unknown-resource', `Unknown access ${quoteText(wireId)}`)
  if (asked.serial !== access.serial)
    fail('stale-resource', 'The access has changed since it was read: read it again', {
      provided: wireId,
      currentSerial: access.serial ?? null
    })
  return access
}
