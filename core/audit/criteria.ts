/** Streams queries on the audit: permissions, and translation into criteria. (docs/spec/audit.md#reading) */
import type { AuditCriteria, AuditNumbers } from '../../storage/audit/criteria.js'
import type { AuditWords } from '../../storage/audit/words.js'
import { getBaseId } from '../access-ids.js'
import type { Caller } from '../permissions/caller.js'
import { fail } from '../errors.js'
import type { StreamsQuery, RequestedStream } from '../events/streams-query.js'
import { auditAccesses, auditActions, getAuditedAccess, auditRoot, isAuditedAction } from '../audit-ids.js'
import type { Reader } from '../call/reader.js'

/**
 * Translates queries into criteria, without those that no record can match. Errors: `forbidden` for accesses whose
 * calls the caller may not see, and for all streams outside the audit unless the caller is personal;
 * `unknown-referenced-resource` for streams that are not part of the audit. `maySee` decides whether the calls of an
 * access may be seen.
 */
export function toAuditCriteria(
  { caller, store }: Reader,
  queries: readonly StreamsQuery[],
  maySee: (accessId: string) => boolean = id => caller.mayAudit(id)
): AuditCriteria[] {
  const { words } = store.audit
  return queries.flatMap(({ any, all, not }) => {
    const wanted = any === '*' ? [] : any
    for (const { id } of wanted) assertMaySee(caller, id, maySee)
    const excluded = findWordNumbers(words, not)
    const every = all.map(one => findWordNumbers(words, [one]))
    const some = findWordNumbers(words, wanted)
    const isImpossible = excluded === undefined || [some, ...every].some(set => set?.size === 0)
    return isImpossible ? [] : [{ any: some, all: every, not: excluded }]
  })
}

function assertMaySee(caller: Caller, id: string, maySee: (accessId: string) => boolean): void {
  const access = getAuditedAccess(id)
  if (access === undefined ? !caller.isPersonal : !maySee(getBaseId(access))) fail('forbidden')
  if (access === undefined && !isAuditParent(id) && !isAuditedAction(id))
    fail('unknown-referenced-resource', `Unknown streams: ${id.slice(0, 100)}`, { streams: [id] })
}

/** Returns the numbers of streams; those without records are omitted. `undefined` means all records. */
function findWordNumbers(words: AuditWords, wanted: readonly RequestedStream[]): AuditNumbers {
  const numbers = new Set<number>()
  for (const { id, withBelow } of wanted) {
    if (isAuditParent(id)) {
      // Records are in the streams below.
      if (withBelow) return undefined
      continue
    }
    for (const number of words.findAll(id.slice(auditRoot.length))) numbers.add(number)
  }
  return numbers
}

function isAuditParent(id: string): boolean {
  return id === auditRoot || id === auditAccesses || id === auditActions
}
