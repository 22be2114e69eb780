/** `accesses.getReceipt`: a signed record of what an access allows, and why. (docs/spec/receipts.md) */
import { Type } from 'typebox'
import type { Access } from '../../../schemas/access.js'
import { closed, Identifier } from '../../../schemas/scalars.js'
import { parseWireId } from '../../access-ids.js'
import { mayManage } from '../../accesses/public-access.js'
import { anyAccess } from '../../auth/allow.js'
import { method, type Call } from '../../call/method.js'
import { fail, quoteText } from '../../errors.js'
import { ensureSigningKey } from '../../oauth/keys.js'
import { signToken } from '../../oauth/jwt.js'
import { getCapability } from '../../permissions/peer-access.js'
import { buildReceipt, Receipt } from '../../receipts/receipt.js'

/** The media type of a signed receipt. */
const type = 'consent-receipt+jwt'

/**
 * Returns the receipt of an access in its current version, and the same signed by the service. Throws
 * `unknown-resource` for former versions and accesses of others, `invalid-operation` for sessions and the
 * links of offers.
 */
export const getReceipt = method({
  id: 'accesses.getReceipt',
  summary: 'Get the consent receipt of an access',
  params: Type.Object({ id: Identifier }, closed),
  result: Type.Object({ receipt: Receipt, jws: Type.String() }),
  mode: 'read',
  allow: anyAccess,
  prepare: async ({ services, now }) => await ensureSigningKey(services, now),
  run(call, { id }, key) {
    const receipt = buildReceipt(call, requireAccessWithReceipt(call, id))
    const { issuer, ...claims } = receipt
    const jws = signToken(key, type, { iss: issuer, iat: Math.floor(call.now), ...claims, issuer })
    return { receipt, jws }
  }
})

/**
 * Returns an access that the caller holds or manages, in its current version. Error: `invalid-operation` for sessions
 * and the links of offers: with them, no consent was given that a receipt could record.
 */
function requireAccessWithReceipt(call: Call, id: string): Access {
  const { caller, store } = call
  const asked = parseWireId(id)
  const access = asked && store.accesses.find(asked.base)
  const isCurrent = asked?.serial === undefined || asked.serial === access?.serial
  if (!access || !isCurrent || !(access.id === caller.accessId || mayManage(call, access)))
    fail('unknown-resource', `Unknown access ${quoteText(id)}`)
  if (access.type === 'personal' || getCapability(access))
    fail('invalid-operation', 'A session, or the link of an offer, has no receipt')
  return access
}
