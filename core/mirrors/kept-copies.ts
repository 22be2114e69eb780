/** What servers report that keep copies of this account. (docs/api/mirrors.md#reports) */
import type { Access } from '../../schemas/access.js'
import type { CopyRead, CopyReport } from '../../schemas/mirrors/kept-copy.js'
import { formatWireId } from '../access-ids.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { getCounterparty } from '../permissions/peer-access.js'
import { truncateText } from '../truncate-text.js'

/** Maximum number of days and readers of one report that are recorded one by one, and of streams of a record. */
const maxRecords = 50
const maxStreams = 20
const maxIdLength = 100
const daySeconds = 86_400

/**
 * Returns the calling access, of a person to whom the account has granted something. Error: `forbidden` for
 * other accesses.
 */
export function requireGrant({ caller }: Call): Access {
  const { access } = caller
  if (!access || getCounterparty(access)?.acceptEventId === undefined)
    fail('forbidden', 'Only the person to whom the data was granted reports on a copy')
  return access
}

/** Returns the access that had a token, and whose holder keeps a copy. Error: `forbidden`. */
export function requireFormerGrant({ store }: Call, token: string): Access {
  const id = token === '' ? undefined : store.mirrors.findKeptByToken(token)
  return (
    (id === undefined ? undefined : store.accesses.findEver(id)) ??
    fail('forbidden', 'No copy is kept with this token')
  )
}

/**
 * Records a report, once, with its reads in the audit. A repeated report changes nothing, unless it says for
 * the first time that the copy is erased.
 */
export function receiveReport(
  call: Call,
  access: Access,
  { number, reads, receipt, state }: CopyReport
): void {
  const { now, store } = call
  const before = store.mirrors.findKept(access.id)
  const isErased = state === 'erased'
  // The answer to a report may have been lost, and the copy been erased before the report was repeated.
  const isRepeated = before !== undefined && number <= before.number
  if (isRepeated && !(isErased && number === before.number && before.state === 'live')) return
  store.mirrors.putKept({
    accessId: access.id,
    number,
    state,
    lastContact: now,
    ...(isErased && { erased: now, ...(receipt !== undefined && { receipt }) })
  })
  const groups = isRepeated ? [] : groupReads(reads)
  for (const group of groups.slice(0, maxRecords)) recordInAudit(call, access, 'mirrors.copyRead', group)
  if (isErased) recordInAudit(call, access, 'mirrors.copyErased')
}

/** Groups reads by day and reader. */
function groupReads(reads: readonly CopyRead[]): CopyRead[][] {
  const groups = new Map<string, CopyRead[]>()
  for (const read of reads) {
    const key = `${read.day} ${read.reader}`
    const group = groups.get(key)
    if (group) group.push(read)
    else groups.set(key, [read])
  }
  return [...groups.values()]
}

/** Records in the audit what has happened at another server, by its own account. */
function recordInAudit(
  { credentials, now, services, store }: Call,
  access: Access,
  action: string,
  reads: readonly CopyRead[] = []
): void {
  if (!services.config.audit.active) return
  const peer = getCounterparty(access)?.counterparty
  const [first] = reads
  const ids = [...new Set(reads.flatMap(({ streamId }) => (streamId === '' ? [] : [streamId])))]
  store.record({
    time: now,
    access: formatWireId(access),
    action,
    via: credentials.via,
    ip: credentials.ip,
    status: 200,
    query: {
      ...(peer && { peer: `${peer.username}@${peer.host}` }),
      ...(first && first.reader !== '' && { reader: first.reader }),
      ...(first && { calls: String(reads.reduce((sum, { calls }) => sum + calls, 0)) })
    },
    ...(first && {
      auditScope: {
        streamIds: ids.slice(0, maxStreams).map(id => truncateText(id, maxIdLength)),
        isTruncated: ids.length > maxStreams,
        streamCount: ids.length,
        from: first.day * daySeconds,
        to: (first.day + 1) * daySeconds - 1,
        count: reads.reduce((sum, { events }) => sum + events, 0),
        isOpen: false
      }
    })
  })
}
