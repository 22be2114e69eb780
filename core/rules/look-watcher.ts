/** Watches who reads data: `looked`. What was read is in the audit. (docs/api/rules.md#conditions) */
import type { ConditionOf, Rule, RuleProblem } from '../../schemas/rule.js'
import type { AuditCriteria } from '../../storage/audit/criteria.js'
import type { TimeRange } from '../../storage/audit/blocks.js'
import type { AuditRecord } from '../../storage/audit/record.js'
import { getBaseId } from '../access-ids.js'
import type { Episodes } from './episodes.js'
import type { RuleCall, Watcher } from './rule-call.js'

/** Maximum number of parts of the audit that one evaluation reads; the next one continues. */
const maxParts = 20
const everything: readonly AuditCriteria[] = [{ any: undefined, all: [], not: new Set() }]

/** Returns the watcher of reads, or why there is none. */
export function watchLooks(
  call: RuleCall,
  rule: Rule,
  { accessId }: ConditionOf<'looked'>
): Watcher | RuleProblem {
  const { caller } = call
  const mayWatch = accessId === undefined ? caller.isPersonal : caller.mayAudit(accessId)
  if (!mayWatch) return 'forbidden'
  return {
    isReadable: () => mayWatch,
    feed(episodes, { now }) {
      const { state } = episodes
      const after = Math.max(state.modifiedTo ?? -Infinity, state.activeFrom)
      let count = 0
      for (const { last, looks } of listLooks(() => call, rule, { after })) {
        for (const { time } of looks) add(episodes, time, now)
        // Whatever was found: otherwise each evaluation would read all again.
        if (last !== undefined) state.modifiedTo = last
        if (++count >= maxParts) break
      }
    }
  }
}

function add(episodes: Episodes, time: number, now: number): void {
  // Times in the audit go on increasing if the clock is set back.
  episodes.happen(Math.min(time, now), { now })
}

/** A part of the audit that has been read. */
interface Part {
  /** The reads that a rule watches, the first one first. */
  readonly looks: readonly AuditRecord[]
  /** Time of the last record, whatever it was, in seconds. Later ones have later times. */
  readonly last: number | undefined
}

/**
 * Lists the parts of the audit after a time. The rule's own access, the user's sessions and refused calls do
 * not count. `getCall` returns the call of the moment.
 */
export function* listLooks(
  getCall: () => RuleCall,
  { accessId: own, condition }: Pick<Rule, 'accessId' | 'condition'>,
  { after, until = Infinity }: { readonly after: number; readonly until?: number }
): Generator<Part> {
  const wanted = condition.kind === 'looked' ? condition.accessId : undefined
  const isWatched = (access: string): boolean => {
    const id = getBaseId(access)
    if (id === own) return false
    if (wanted !== undefined) return id === wanted
    const found = getCall().store.accesses.findEver(id)
    // The user's own sessions are not others.
    return found !== undefined && found.type !== 'personal'
  }
  // Seconds are rounded: they are not multiples of a microsecond.
  let rest: TimeRange | undefined = {
    since: Math.round(after * 1e6) + 1,
    until: Math.min(Math.ceil(until * 1e6), Number.MAX_SAFE_INTEGER)
  }
  while (rest) {
    const found = getCall().store.audit.next(rest, true, everything)
    rest = found.rest
    yield {
      looks: found.records.filter(
        ({ access, auditScope, status }) => auditScope && status === 200 && isWatched(access)
      ),
      last: found.records.at(-1)?.time
    }
  }
}
