/** What an access has read, from the audit: for the assessment of a data breach. (docs/spec/administration.md#breach-scope) */
import { Type, type Static } from 'typebox'
import { Timestamp } from '../../schemas/scalars.js'
import type { TimeRange } from '../../storage/audit/blocks.js'
import type { AuditCriteria } from '../../storage/audit/criteria.js'
import type { AuditRecord } from '../../storage/audit/record.js'
import type { AuditScope } from '../../storage/audit/scope.js'
import type { Steps } from '../../storage/steps.js'
import type { CreatedAccess } from '../../storage/repositories/accesses.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { auditRoot, getAuditStreamId } from '../audit-ids.js'
import { isCreatedBy } from '../permissions/access.js'

const TimeOrNull = Type.Union([Timestamp, Type.Null()])

/** Calls, and when the first and the last of them were made. */
const Use = { calls: Type.Integer(), first: Timestamp, last: Timestamp }

/** `recordCount` is the number of items that the calls returned; of a call on several streams, it counts for each. */
export const BreachScope = Type.Object({
  /** The requested times of calls. */
  since: TimeOrNull,
  until: TimeOrNull,
  /** Time of the earliest record that the audit of the account still has. */
  recordedSince: TimeOrNull,
  calls: Type.Integer(),
  refused: Type.Integer(),
  first: TimeOrNull,
  last: TimeOrNull,
  recordCount: Type.Integer(),
  /** True if the audit does not have everything: some of the numbers are then too small. */
  isIncomplete: Type.Boolean(),
  methods: Type.Array(
    Type.Object({ method: Type.String(), ...Use, refused: Type.Integer(), recordCount: Type.Integer() })
  ),
  streams: Type.Array(
    Type.Object({
      /** `*`: all streams of the account. */
      id: Type.String(),
      /** `null`: a stream that does not exist (any more). */
      name: Type.Union([Type.String(), Type.Null()]),
      kinds: Type.Array(Type.String()),
      ...Use,
      recordCount: Type.Integer(),
      /** Times of the data; `null` if a call set no limit. */
      fromTime: TimeOrNull,
      toTime: TimeOrNull,
      addresses: Type.Array(Type.String())
    })
  ),
  addresses: Type.Array(Type.Object({ ip: Type.String(), ...Use, refused: Type.Integer() })),
  /** Accesses that the app has shared, whose calls count, too. */
  shares: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), deleted: Type.Optional(Timestamp) })
  )
})
export type BreachScope = Static<typeof BreachScope>
type Method = BreachScope['methods'][number]
type Stream = BreachScope['streams'][number]
type Address = BreachScope['addresses'][number]

/** Maximum numbers of streams and of addresses, also per stream: a thief can make any number of calls. */
const [maxStreams, maxAddresses, maxStreamAddresses, maxShares] = [10_000, 1000, 100, 10_000]

/** Kinds of data by method. For any other method, the kind is the part of its id before the first dot. */
const kinds: Readonly<Record<string, string>> = {
  'account.export': 'account',
  'events.getAttachment': 'attachments',
  'events.sample': 'summaries',
  'measures.days': 'summaries',
  'measures.facts': 'summaries',
  'measures.sample': 'summaries',
  'previews.get': 'attachments',
  'series.get': 'series',
  'hfs.get': 'series',
  'streams.facts': 'summaries'
}

/** An archive of the account contains all of its data, although its record has no scope. */
const wholeAccount: AuditScope = {
  streamIds: ['*'],
  isTruncated: false,
  streamCount: 1,
  from: undefined,
  to: undefined,
  count: 0,
  isOpen: false
}

/**
 * Computes what an access has read, with the calls of all its versions, in steps. Writes the records that are
 * still in memory first. `base`: its id without serial. Times in seconds, both inclusive. Other work runs
 * between the steps, and may close the file.
 */
export function* computeBreachScope(
  getStore: () => UserStore,
  base: string,
  { since, until }: { readonly since: number | undefined; readonly until: number | undefined }
): Steps<BreachScope> {
  getStore().completeAudit()
  const tally = new Tally()
  const store = getStore()
  const shares = store.read(() => listShares(store, base))
  const counted = shares.slice(0, maxShares)
  if (shares.length > counted.length) tally.noteIncomplete()
  const words = store.read(
    () => new Set([base, ...counted.map(({ id }) => id)].flatMap(id => listWords(store, id)))
  )
  const criteria: AuditCriteria[] = [{ any: words, all: [], not: new Set() }]
  let rest: TimeRange | undefined = {
    since: Math.ceil(Math.max((since ?? 0) * 1e6, 0)),
    until: Math.min(Math.floor((until ?? Infinity) * 1e6), store.audit.last)
  }
  while (words.size > 0 && rest) {
    const range: TimeRange = rest
    const current = getStore()
    rest = current.read(() => {
      const found = current.audit.next(range, true, criteria)
      for (const record of found.records) tally.add(record)
      return found.rest
    })
    yield
  }
  const last = getStore()
  const { first: recordedSince } = last.audit
  return last.read(() => ({
    since: since ?? null,
    until: until ?? null,
    recordedSince: recordedSince ?? null,
    ...tally.summarize(id => last.streams.find(id)?.stream.name ?? null),
    shares: counted.map(({ deleted, id, name }) => ({ id, name, ...(deleted !== null && { deleted }) }))
  }))
}

/** Lists the accesses that an app has shared, and those shared by these, whether or not they have ended: one more than the limit. */
function listShares({ accesses }: UserStore, base: string): CreatedAccess[] {
  if ((accesses.find(base) ?? accesses.findEver(base))?.type === 'personal') return []
  const found = new Map<string, CreatedAccess>()
  const open = [base]
  // The loop also visits the ids that it appends.
  for (const id of open)
    for (const each of accesses.listEverCreatedBy(id, maxShares + 1))
      if (found.size <= maxShares && !found.has(each.id) && isCreatedBy(each, id)) {
        found.set(each.id, each)
        open.push(each.id)
      }
  return [...found.values()]
}

/** Returns the numbers by which records name an access, with each of its serials. */
function listWords({ audit: { words } }: UserStore, base: string): number[] {
  const word = getAuditStreamId(base).slice(auditRoot.length)
  const texts = [word, ...words.list(`${word}:`)]
  return texts.flatMap(text => words.find(text) ?? [])
}

/** Adds up records, earliest first. */
class Tally {
  readonly #methods = new Map<string, Method>()
  readonly #streams = new Map<string, Stream>()
  readonly #addresses = new Map<string, Address>()
  readonly #total = { calls: 0, refused: 0, recordCount: 0, isIncomplete: false }
  #first: number | null = null
  #last: number | null = null

  /** Counts a record. Successful batches are skipped, since their calls have records of their own. */
  add(record: AuditRecord): void {
    const { action, errorId, ip, message, time } = record
    const isRefused = errorId !== undefined
    // The calls in a batch have records of their own.
    if (action === 'callBatch' && !isRefused) return
    const scope = isRefused
      ? undefined
      : (record.auditScope ?? (action === 'account.export' ? wholeAccount : undefined))
    const recordCount = scope?.count ?? 0
    const total = this.#total
    total.calls++
    if (isRefused) total.refused++
    total.recordCount += recordCount
    this.#first ??= time
    this.#last = time
    // A successful call has a message only if it stands for others that were not recorded.
    total.isIncomplete ||=
      (message !== undefined && !isRefused) || scope?.isOpen === true || scope?.isTruncated === true
    const method = this.#methods.get(action) ?? {
      method: action,
      ...newUse(time),
      refused: 0,
      recordCount: 0
    }
    this.#methods.set(action, method)
    countUse(method, time)
    method.recordCount += recordCount
    if (isRefused) method.refused++
    const address =
      this.#addresses.get(ip) ??
      this.#insert(this.#addresses, ip, { ip, ...newUse(time), refused: 0 }, maxAddresses)
    if (address) countUse(address, time)
    if (address && isRefused) address.refused++
    if (scope) for (const id of scope.streamIds) this.#addToStream(id, scope, record)
  }

  /**
   * Adds a read to the figures of a stream. Marks the result as incomplete if there are too many streams or
   * addresses.
   */
  #addToStream(id: string, { count, from, to }: AuditScope, { action, ip, time }: AuditRecord): void {
    const known = this.#streams.get(id)
    const fresh = {
      id,
      name: null,
      kinds: [],
      ...newUse(time),
      recordCount: 0,
      fromTime: from ?? null,
      toTime: to ?? null,
      addresses: []
    }
    const stream = known ?? this.#insert<Stream>(this.#streams, id, fresh, maxStreams)
    if (!stream) return
    countUse(stream, time)
    stream.recordCount += count
    stream.fromTime = from === undefined || stream.fromTime === null ? null : Math.min(stream.fromTime, from)
    stream.toTime = to === undefined || stream.toTime === null ? null : Math.max(stream.toTime, to)
    const kind = kinds[action] ?? action.split('.', 1)[0]!
    if (!stream.kinds.includes(kind)) stream.kinds.push(kind)
    if (stream.addresses.includes(ip)) return
    if (stream.addresses.length < maxStreamAddresses) stream.addresses.push(ip)
    else this.#total.isIncomplete = true
  }

  /** Inserts a value unless there are too many. */
  #insert<T>(into: Map<string, T>, key: string, value: T, limit: number): T | undefined {
    if (into.size >= limit) {
      this.#total.isIncomplete = true
      return undefined
    }
    into.set(key, value)
    return value
  }

  noteIncomplete(): void {
    this.#total.isIncomplete = true
  }

  summarize(
    getName: (id: string) => string | null
  ): Omit<BreachScope, 'since' | 'until' | 'recordedSince' | 'shares'> {
    return {
      ...this.#total,
      first: this.#first,
      last: this.#last,
      methods: [...this.#methods.values()],
      streams: Array.from(this.#streams.values(), stream => ({ ...stream, name: getName(stream.id) })),
      addresses: [...this.#addresses.values()]
    }
  }
}

function newUse(time: number): { calls: number; first: number; last: number } {
  return { calls: 0, first: time, last: time }
}

function countUse(use: { calls: number; last: number }, time: number): void {
  use.calls++
  use.last = time
}
