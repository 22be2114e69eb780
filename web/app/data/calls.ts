/** The calls of an access, from the audit log: what it read, wrote or was denied. (docs/api/audit.md) */
import type { Client } from './client.js'

/** The data that a call read. Times are in seconds. (docs/spec/audit.md#what-was-read) */
export interface ReadData {
  readonly streamIds: readonly string[]
  readonly from?: number
  readonly to?: number
  readonly count?: number
  /** True if the response was still being sent when the call was recorded: the count is what had been sent. */
  readonly hasMore?: true
}

export type CallKind = 'look' | 'add' | 'refused' | 'other'

export interface Call {
  readonly id: string
  readonly time: number
  /** Id of the method. */
  readonly method: string
  readonly kind: CallKind
  readonly status: number
  readonly read?: ReadData
  /** Id of the event that was written. */
  readonly eventId?: string
  /** Network address. */
  readonly ip?: string
}

interface AuditRecord {
  readonly id: string
  readonly type: string
  readonly time: number
  readonly content: {
    readonly action: string
    readonly status: number
    readonly source?: { readonly ip?: string }
    readonly query?: { readonly streams?: unknown }
    readonly read?: ReadData
    readonly record?: { readonly key: string }
  }
}

interface CallQuery {
  readonly accessId: string
  readonly from?: number
  readonly to: number
  readonly skip?: number
  readonly limit: number
  /** Types of audit records; failed calls have their own. */
  readonly types?: readonly string[]
}

/** Reads the latest calls within a time range, latest first. Rejects with a `Refusal`. */
export async function readCalls(client: Client, query: CallQuery): Promise<Call[]> {
  return (await readRecords(client, query)).map(toCall)
}

/** Calls that a lane reads first; number of parts in which it samples older ones; calls per part; maximum failed calls. */
const maxLatest = 400
const partCount = 48
const maxPerPart = 3
const maxErrors = 100

/**
 * Reads calls for a lane, latest first: all in the range, or, if there are many, the latest, failed ones, and
 * a sample of each earlier part, so that the cost does not depend on the number of calls. Rejects with a
 * `Refusal`.
 */
export async function readLaneCalls(
  client: Client,
  accessId: string,
  from: number,
  to: number
): Promise<Call[]> {
  const records = await readRecords(client, { accessId, from, to, limit: maxLatest })
  const latest = records.map(toCall)
  if (latest.length < maxLatest) return latest
  const type = `${records[0]!.type.replace(/-error$/, '')}-error`
  const failedCalls = readCalls(client, { accessId, from, to, limit: maxErrors, types: [type] })
  const before = latest.at(-1)!.time
  const length = (before - from) / partCount
  const samples = await Promise.all(
    Array.from(
      { length: partCount },
      async (_, index) =>
        await readCalls(client, {
          accessId,
          from: from + index * length,
          to: from + (index + 1) * length - 0.001,
          limit: maxPerPart
        })
    )
  )
  const all = [...latest, ...samples.toReversed().flat(), ...(await failedCalls)]
  return [...new Map(all.map(call => [call.id, call])).values()].toSorted((a, b) => b.time - a.time)
}

async function readRecords(client: Client, query: CallQuery): Promise<readonly AuditRecord[]> {
  return (await client.call<{ events: readonly AuditRecord[] }>('events.get', toParams(query))).events
}

function toParams({ accessId, from, to, skip, limit, types }: CallQuery): object {
  return {
    streams: [`:_audit:access-${accessId}`],
    ...(from === undefined ? {} : { fromTime: from }),
    toTime: to,
    ...(types ? { types } : {}),
    ...(skip === undefined ? {} : { skip }),
    limit
  }
}

/** Converts an audit record to a call. For a denied call, `read` is what it asked for. */
function toCall({ id, time, content }: AuditRecord): Call {
  const { action, query, read, record, source, status } = content
  const requestedIds = [query?.streams].flat().filter(each => typeof each === 'string')
  const data = read ?? (status >= 400 && requestedIds.length > 0 ? { streamIds: requestedIds } : undefined)
  const eventId = record?.key.startsWith('EVENT:') ? record.key.split(':')[2] : undefined
  return {
    id,
    time,
    method: action,
    status,
    kind: getKind(action, status, read),
    ...(data ? { read: data } : {}),
    ...(eventId === undefined ? {} : { eventId }),
    ...(source?.ip === undefined ? {} : { ip: source.ip })
  }
}

const writeMethods = /^(?:events|hfs|streams)\.(?:create|add|update|delete)\w*$/

/** As in letters and alerts, whatever reads data is a look: charts and daily values, too. */
function getKind(method: string, status: number, read: ReadData | undefined): CallKind {
  if (status >= 400) return [401, 402, 403, 429].includes(status) ? 'refused' : 'other'
  return read ? 'look' : writeMethods.test(method) ? 'add' : 'other'
}
