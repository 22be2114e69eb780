/** Watches who reads data: `looked`. What was read is in the audit. (docs/api/rules.md#conditions) */
import type { ConditionOf, Rule, RuleProblem } from '../../schemas/rule.js'
import type { AuditCriteria } from '../../storage/audit/criteria.js'
import type { AuditRecord } from '../../storage/audit/record.js'
import { getBaseId } from '../access-ids.js'
import type { Episodes } from './episodes.js'
import type { RuleCall, Watcher } from './rule-call.js'

/** Maximum number of parts of the audit that one evaluation reads. */
const maxParts = 100
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
      for (const { time } of listLooks(call, rule, { after: state.modifiedTo ?? state.activeFrom, now })) {
        state.modifiedTo = time
        add(episodes, time, now)
      }
    }
  }
}

function add(episodes: Episodes, time: number, now: number): void {
  episodes.happen(time, { now })
}

/** Lists the reads that a rule watches, the first one first. */
export function* listLooks(
  call: RuleCall,
  { accessId: own, condition }: Pick<Rule, 'accessId' | 'condition'>,
  { after, now }: { readonly after: number; readonly now: number }
): Generator<AuditRecord> {
  const { accesses, audit } = call.store
  const wanted = condition.kind === 'looked' ? condition.accessId : undefined
  const isWatched = (access: string): boolean => {
    const id = getBaseId(access)
    if (id === own) return false
    if (wanted !== undefined) return id === wanted
    const found = accesses.findEver(id)
    // The user's own sessions are not others.
    return found !== undefined && found.type !== 'personal'
  }
  let rest: ReturnType<typeof audit.next>['rest'] = {
    since: Math.floor(after * 1e6) + 1,
    until: Math.ceil(now * 1e6)
  }
  for (let part = 0; rest && part < maxParts; part++) {
    const found = audit.next(rest, true, everything)
    for (const record of found.records)
      if (record.auditScope && record.status === 200 && isWatched(record.access)) yield record
    rest = found.rest
  }
}
