/** Verifies the hash chain of an account's audit log. */
import { computeLinkHash, formatRecordId } from '../../storage/audit/record.js'
import type { UserInspection } from '../../storage/inspection/user-inspection.js'

interface BrokenRecord {
  readonly id?: string
  readonly detail: string
}

/**
 * Yields each record that is not linked to the previous record by its hash, or is not indexed. Calls `count`
 * for each record. Also yields a problem without an id if the last records are missing.
 */
export function* findBrokenRecords(file: UserInspection, count: () => void): Generator<BrokenRecord> {
  const { indexed, ...anchor } = file.auditAnchor()
  let previous = anchor.hash
  let last = anchor.at
  for (const { access, action, at, detail, hash } of file.auditRecords()) {
    count()
    const id = `:_audit:${formatRecordId({ at, hash })}`
    const expected = computeLinkHash(previous, at, access, action, detail)
    if (hash !== expected || at <= last)
      yield {
        id,
        detail: 'is not linked to the previous record. One of them was changed or removed'
      }
    if (at <= indexed && !(file.hasBlock(access, at) && file.hasBlock(action, at)))
      yield { id, detail: 'is missing from the index of accesses and actions' }
    previous = hash
    last = at
  }
  if (last < indexed) yield { detail: 'lacks its last records' }
}
