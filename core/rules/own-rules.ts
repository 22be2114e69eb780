/** Who may use which rule, and which rules are valid. (docs/api/rules.md#rules-of-apps) */
import type { Condition, PublicRule, Rule } from '../../schemas/rule.js'
import { isZone } from '../../schemas/zones.js'
import type { StoredRule } from '../../storage/rules/rule-repository.js'
import { assertCreator } from '../auth/allow.js'
import type { Call } from '../call/method.js'
import { requireOwnChannel } from '../channels/rules.js'
import { fail, quoteText } from '../errors.js'
import { KnownMeasures } from '../measures/known-measures.js'
import { assertUnit } from '../measures/params.js'
import { isNumeric } from '../measures/values.js'
import { assertOnePerson } from '../permissions/one-person.js'
import { requireStreams } from '../streams/require-streams.js'
import { refuseParams } from '../validation/params.js'
import { findPlausibleRange } from './reading-watcher.js'

/** Returns a rule if the caller created it or is personal. Errors: `unknown-resource`, `forbidden`. */
export function requireOwnRule({ caller, store }: Pick<Call, 'caller' | 'store'>, id: string): StoredRule {
  const stored = store.rules.find(id) ?? fail('unknown-resource', `Unknown rule ${quoteText(id)}`)
  assertCreator(caller, stored.rule.accessId)
  return stored
}

/** What is checked of a rule that is created or changed. */
export type CheckedRule = Pick<
  Rule,
  'accessId' | 'channelIds' | 'condition' | 'evenWhenQuiet' | 'quietHours' | 'urgency' | 'zone'
>

/**
 * Checks a rule. `call`: made by the access of the rule, which has to be able to read what it watches.
 * Errors: those of {@link assertTellingTimes} and {@link assertCondition}.
 */
export function assertRule(call: Call, rule: CheckedRule): void {
  assertTellingTimes(rule)
  assertCondition(call, rule.condition)
}

/** Checks when a rule sends messages, and its time zone. Error: `invalid-parameters-format`. */
export function assertTellingTimes({ evenWhenQuiet, quietHours, urgency, zone }: CheckedRule): void {
  if (!isZone(zone)) refuse('zone', 'must be the name of a time zone')
  if (quietHours?.from === quietHours?.to && quietHours)
    refuse('quietHours', 'must begin and end at different times')
  if (evenWhenQuiet && urgency !== 'high') refuse('evenWhenQuiet', 'needs the urgency "high"')
}

/**
 * Checks that the caller may use channels: those of its own access; the user may use all. Errors: as
 * `requireOwnChannel`.
 */
export function assertChannels(call: Call, ids: readonly string[]): void {
  for (const id of ids) requireOwnChannel(call, id)
}

/**
 * Checks a condition. Errors: `forbidden` for data that the caller cannot read,
 * `unknown-referenced-resource`, `invalid-operation` for measures without such numbers,
 * `invalid-parameters-format`.
 */
export function assertCondition(call: Call, condition: Condition): void {
  if ('measure' in condition) assertMeasure(call, condition)
  if ('streamIds' in condition) assertReadable(call, condition.streamIds)
  switch (condition.kind) {
    case 'above':
    case 'below': {
      const { kind, recoverAt, value } = condition
      if (recoverAt !== undefined && (kind === 'above' ? recoverAt > value : recoverAt < value))
        refuse('condition/recoverAt', `must not be ${kind} the value`)
      return
    }
    case 'missing':
      if ('streamId' in condition) assertReadable(call, [condition.streamId])
      if ('connectionId' in condition) assertConnection(call, condition.connectionId)
      return
    case 'arrived':
      if ('connectionId' in condition) assertConnection(call, condition.connectionId)
      return
    case 'looked': {
      const { accessId } = condition
      if (accessId === undefined ? !call.caller.isPersonal : !call.caller.mayAudit(accessId))
        fail('forbidden')
      return
    }
    default:
  }
}

/** Converts a rule to what the API returns. */
export function toPublicRule({ rule, state }: StoredRule): PublicRule {
  const { acknowledgedAt, acknowledgedBy, firedAt, isFiring, isOpen, problem, recoveredAt, tellAt, toldAt } =
    state
  return {
    ...rule,
    state: {
      isFiring,
      ...(firedAt !== undefined && { firedAt }),
      ...(recoveredAt !== undefined && { recoveredAt }),
      ...(toldAt !== undefined && { toldAt }),
      ...(tellAt !== undefined && { tellAt }),
      ...(isOpen !== undefined && { isOpen }),
      ...(acknowledgedAt !== undefined && { acknowledgedAt }),
      ...(acknowledgedBy !== undefined && { acknowledgedBy }),
      ...(problem !== undefined && { problem })
    }
  }
}

/** Throws `invalid-operation` if the measure of a condition has no such values, totals, units or ranges. */
function assertMeasure(call: Call, condition: Extract<Condition, { readonly measure: string }>): void {
  const [measure] = new KnownMeasures(call).require([condition.measure])
  const { kind } = condition
  if (kind === 'missing') return
  if (kind === 'total' ? measure!.kind !== 'sum' : !isNumeric(measure!))
    fail(
      'invalid-operation',
      `The measure "${measure!.id}" has no ${kind === 'total' ? 'totals' : 'numbers'}`
    )
  if (condition.streamIds === undefined && call.caller.access) assertOnePerson(call.caller.access)
  if ('unit' in condition) assertUnit(measure!, condition.unit)
  if (kind === 'outside' && condition.range === 'usual' && measure!.kind === 'sum')
    fail('invalid-operation', `The measure "${measure!.id}" adds up: single numbers of it are not compared`)
  if (kind === 'outside' && condition.range === 'plausible' && !findPlausibleRange(measure!))
    fail('invalid-operation', `The measure "${measure!.id}" has no plausible range`)
}

function assertReadable({ caller, store }: Call, streamIds: readonly string[] = []): void {
  if (streamIds.length === 0) return
  requireStreams(store, streamIds)
  caller.must('read', ...streamIds)
}

function assertConnection({ caller, store }: Call, id: string): void {
  if (!caller.isPersonal) fail('forbidden', 'Only personal accesses can watch connections')
  if (!store.connections.find(id)) fail('unknown-referenced-resource', `Unknown connection ${quoteText(id)}`)
}

function refuse(path: string, message: string): never {
  refuseParams([{ code: 'INVALID', message, path: `#/${path}` }])
}
