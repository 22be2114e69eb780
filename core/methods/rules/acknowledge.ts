/** `rules.acknowledge`: records that someone has seen what a rule tells. (docs/api/rules.md#acknowledging) */
import { Type } from 'typebox'
import { PublicRule } from '../../../schemas/rule.js'
import { closed, Identifier, orNull, Timestamp } from '../../../schemas/scalars.js'
import { method } from '../../call/method.js'
import { anyAccessIfEnabled } from '../../channels/rules.js'
import { fail } from '../../errors.js'
import { requireOwnRule, toPublicRule } from '../../rules/own-rules.js'

/** Less than the difference of two firings, in seconds: clients may round. */
const tolerance = 1e-3

/**
 * Records that the last firing was seen, and returns the rule; the message that waits for it is not sent.
 * What was acknowledged before stays as it is. Throws `invalid-operation` if the rule has not fired, or has
 * fired again since `firedAt`.
 */
export const acknowledge = method({
  id: 'rules.acknowledge',
  summary: 'Acknowledge what a rule has told',
  params: Type.Object(
    {
      id: Identifier,
      /** Only if this is the last firing. */
      firedAt: orNull(Timestamp)
    },
    closed
  ),
  result: Type.Object({ rule: PublicRule }),
  mode: 'write',
  mayExceedQuota: true,
  allow: anyAccessIfEnabled,
  run(call, { firedAt, id }) {
    const { caller, changes, now, store } = call
    const stored = requireOwnRule(call, id)
    const { rule, state } = stored
    if (state.firedAt === undefined) fail('invalid-operation', 'This rule has not fired')
    if (typeof firedAt === 'number' && Math.abs(firedAt - state.firedAt) > tolerance)
      fail('invalid-operation', 'This rule has fired again', { firedAt: state.firedAt })
    if (state.acknowledgedAt !== undefined) return { rule: toPublicRule(stored) }
    const { isOpen, tellAt, ...rest } = state
    const after = {
      ...rest,
      // What has been seen needs no message; moments that follow do.
      ...(tellAt !== undefined && isOpen !== true && { tellAt }),
      acknowledgedAt: now,
      acknowledgedBy: caller.signature
    }
    store.rules.setState(id, after)
    changes.add('timers')
    return { rule: toPublicRule({ rule, state: after }) }
  }
})
