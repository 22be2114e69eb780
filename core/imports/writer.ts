/** Writes the records of a file batch by batch, or only compares them with the stored data. */
import type { DraftBatch, EventDraft, PointsDraft, StreamDraft } from '../../imports/protocol.js'
import type { Holder } from '../../storage/repositories/series.js'
import type { Row } from '../../storage/series/rows.js'
import type { ImportAttempt } from '../../storage/imports/import-repository.js'
import { runSteps, type Steps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import { fail } from '../errors.js'
import { runUninterrupted } from '../dispatch/run-write.js'
import { mayReadAt } from '../events/event-permissions.js'
import { requireWritableHolder } from '../series/holder.js'
import { planColumns } from '../series/column-plan.js'
import type { ImportFingerprint } from './fingerprint.js'
import { findReceived, isExported } from './received-events.js'
import { createMissingStreams } from './create-streams.js'
import {
  comparePoints,
  getTimeRange,
  omitEmptyColumns,
  splitDraft,
  type PointComparison
} from './compare-points.js'
import { saveJob, type StoredJob } from './job.js'
import type { ImportCaller, WriteMethods } from './import-caller.js'
import { recordRange, createRangeFinder } from './ranges.js'
import { TallyCounter, type RecordResult } from './tally.js'
import { isValidContent, tryWrite } from './try-write.js'

/** Maximum number of chunks per write of points, which takes some milliseconds. */
const maxChunks = 6
/** Maximum number of ids that a comparison keeps to find duplicates. */
const maxSeenIds = 100_000

export class ImportWriter {
  readonly tally = new TallyCounter()
  /** Ids of events with files that were not imported and do not exist. */
  readonly refusedEvents = new Set<string>()
  /** Ids of those that were not imported because this account has the event, with its files, by the id with which it was exported. */
  readonly exportedEvents = new Set<string>()
  readonly #seen = new Set<string>()
  readonly attempt: ImportAttempt

  /** Without `footprint`, nothing is written. `job` is replaced when streams are created. */
  constructor(
    public job: StoredJob,
    private readonly presence: ImportCaller,
    private readonly writers: WriteMethods,
    readonly footprint: ImportFingerprint | undefined
  ) {
    this.attempt = { import: job.number, attempt: job.attempt }
  }

  get isDry(): boolean {
    return this.footprint === undefined
  }

  /** Processes a batch in transactions of a few milliseconds. Throws what ends the import. */
  async writeBatch({ events, points }: DraftBatch): Promise<void> {
    if (events.length > 0) {
      const results = await this.runTransaction(call => this.#writeEvents(call, events))
      for (const [index, result] of results.entries()) this.#countEvent(events[index]!, result)
    }
    for (const draft of points) await this.#writePoints(draft)
  }

  /**
   * Runs one transaction, or without `footprint` a read of one snapshot. Throws `invalid-operation` once the import was stopped.
   * `work` may run twice.
   */
  async runTransaction<T>(work: (call: Call) => Steps<T>): Promise<T> {
    const { footprint, job } = this
    if (!footprint) {
      const call = this.presence.createCall()
      return call.store.read(() => runSteps(work(call)))
    }
    const steps = function* (this: ImportWriter, call: Call): Steps<T> {
      this.job = job
      if (call.store.imports.getState(job.id) !== job.state)
        fail('invalid-operation', 'The import was stopped')
      return yield* footprint.runOwnWrite(call.store, work(call))
    }.bind(this)
    try {
      return await this.presence.commitSteps(this.writers.createEvent, steps)
    } catch (error) {
      this.job = job
      throw error
    }
  }

  *#writeEvents(call: Call, drafts: readonly EventDraft[]): Steps<RecordResult[]> {
    const results: RecordResult[] = []
    for (const draft of drafts) {
      results.push(yield* this.#writeEvent(call, draft))
      yield
    }
    return results
  }

  #countEvent({ fileKeys, id, type }: EventDraft, result: RecordResult): void {
    this.tally.count(type, result, 1)
    if (fileKeys.length > 0 && result === 'unfit') this.refusedEvents.add(id)
  }

  *#writeEvent(call: Call, draft: EventDraft): Steps<RecordResult> {
    const { store } = call
    if (draft.version && this.#hasOtherVersion(call, draft.version)) return 'otherVersion'
    const existing = this.#claimId(call, draft.id)
    if (existing) return existing
    const received = findReceived(store, draft) ?? this.#findExported(call, draft)
    if (received) {
      this.footprint?.markIncomplete()
      return received
    }
    if (this.isDry) return isValidContent(call, draft) ? 'broughtIn' : 'unfit'
    const { otherPaths, path, clientData, content, description, duration, id, time, type, version } = draft
    const streamIds = new Set<string>()
    for (const each of [path, ...otherPaths]) streamIds.add(yield* this.#ensureStream(call, each, type))
    const settled = tryWrite(call, () =>
      runUninterrupted(this.writers.createEvent, call, {
        id,
        streamIds: [...streamIds],
        type,
        time,
        content,
        ...(duration !== undefined && { duration }),
        ...(description !== undefined && { description }),
        clientData: { ...clientData, 'coffer:import': this.job.id }
      })
    )
    const created = version ? [id, version.recordId, version.versionId] : [id]
    if (settled === 'broughtIn') for (const each of created) store.imports.addEvent(each, this.attempt)
    return settled
  }

  /** Returns whether a record was exported from this account, and remembers that its files are known. */
  #findExported(call: Call, draft: EventDraft): 'known' | undefined {
    if (!isExported(call, draft)) return undefined
    if (draft.fileKeys.length > 0) this.exportedEvents.add(draft.id)
    return 'known'
  }

  /** Returns true if another version of a record was imported, also if that was changed or deleted since. A comparison notes this version. */
  #hasOtherVersion(
    { store: { imports } }: Call,
    { recordId, versionId }: NonNullable<EventDraft['version']>
  ): boolean {
    const isKnown = (id: string): boolean => this.#seen.has(id) || imports.findAttempt(id) !== undefined
    const hasOther = isKnown(recordId) && !isKnown(versionId)
    if (this.isDry && this.#seen.size < maxSeenIds) this.#seen.add(recordId).add(versionId)
    return hasOther
  }

  /** Makes an id usable by removing a deletion that no import owns. Returns the result if the event exists, or was deleted by the user. A comparison only notes the id. */
  #claimId({ store }: Call, id: string): RecordResult | undefined {
    if (this.isDry) {
      if (this.#seen.has(id)) return 'twice'
      if (this.#seen.size < maxSeenIds) this.#seen.add(id)
    }
    const attempt = store.imports.findAttempt(id)
    if (store.series.findHolder(id)) {
      if (!attempt) this.footprint?.markIncomplete()
      if (attempt?.import !== this.attempt.import) return 'known'
      return attempt.attempt === this.attempt.attempt && !this.isDry ? 'twice' : 'broughtIn'
    }
    if (!store.history.findDeletion(id)) return undefined
    // The event was deleted by the user: undoing an import leaves no deletion.
    if (attempt) return 'deleted'
    if (!this.isDry) store.history.removeDeletion(id)
    return undefined
  }

  /** Returns the stream at the end of a path. Creates it and its ancestors if they do not exist. */
  *#ensureStream(call: Call, path: readonly StreamDraft[], type: string): Steps<string> {
    const { parentId } = this.job
    const created = yield* createMissingStreams(call, this.writers.createStream, { path, type, parentId })
    if (created.length > 0) {
      this.job = { ...this.job, streams: [...this.job.streams, ...created] }
      saveJob(call.store, this.job)
    }
    return path.at(-1)!.id
  }

  async #writePoints(draft: PointsDraft): Promise<void> {
    const isDone = await this.runTransaction(call => this.#tryWritePoints(call, draft))
    if (isDone) return
    for (const half of splitDraft(draft)) await this.#writePoints(half)
  }

  /** Writes points in one transaction. Returns false, without writing, if they lie in too many chunks. */
  *#tryWritePoints(call: Call, draft: PointsDraft): Steps<boolean> {
    const { series } = call.store
    const rows = draft.cells.length / (draft.columns.length + 1)
    const refusal = this.#claimHolder(call, draft)
    if (refusal) {
      this.tally.count(draft.type, refusal, rows)
      return true
    }
    const known = series.findHolder(draft.seriesId)
    const origin = known?.time ?? draft.origin
    const span = getTimeRange({ ...draft, origin })
    const stored = known ? series.readWithin(known.number, span.from, span.to, maxChunks) : []
    if (!stored) {
      if (rows > 1) return false
      throw new Error('One point lies in many chunks')
    }
    const layout = (known && series.getColumns(known.number)) ?? []
    const type = `series:${draft.type}`
    const result = comparePoints(
      { ...draft, origin },
      planColumns(call.services.eventTypes, type),
      stored,
      layout
    )
    if (!this.isDry && result.fresh.length > 0) {
      const holder = known
        ? requireWritableHolder(call, known.id)
        : yield* this.#createHolder(call, draft, type)
      if (typeof holder === 'string') {
        this.tally.count(draft.type, holder, rows)
        return true
      }
      this.#addPoints(call, holder, draft.columns, result.fresh)
      recordRange(call.store, holder.number, { attempt: this.attempt, fresh: result.fresh, stored })
    }
    this.footprint?.addRange(draft.seriesId, span.from, span.to)
    this.#countPoints(call, draft.type, known, result)
    return true
  }

  #addPoints(call: Call, { number }: Holder, columns: readonly string[], fresh: readonly Row[]): void {
    const writing = { writer: call.caller.signature, written: call.now }
    runSteps(call.store.series.add(number, omitEmptyColumns(columns, fresh), writing))
  }

  #countPoints({ store }: Call, type: string, holder: Holder | undefined, result: PointComparison): void {
    const { early, fresh, known, twice, unfit } = result
    this.tally.add('broughtIn', type, fresh.length)
    this.tally.count(type, 'twice', twice)
    this.tally.count(type, 'unfit', unfit)
    this.tally.count(type, 'early', early)
    if (!holder || known.length === 0) return
    const ranges = store.imports
      .listRangesWithin(holder.number, Math.min(...known), Math.max(...known))
      .filter(range => range.import === this.attempt.import)
    if (ranges.length === 0) {
      this.tally.count(type, 'known', known.length)
      return
    }
    const rangeOf = createRangeFinder(ranges)
    for (const time of known) {
      const ownRange = rangeOf(time)
      if (!ownRange) this.tally.count(type, 'known', 1)
      else
        this.tally.count(
          type,
          ownRange.attempt === this.attempt.attempt && !this.isDry ? 'twice' : 'broughtIn',
          1
        )
    }
  }

  /** Makes the id of a holder event usable like {@link #claimId}. Returns why no points can be added; `undefined` if they can. */
  #claimHolder(call: Call, { seriesId: holder, type }: PointsDraft): RecordResult | undefined {
    const found = call.store.series.findHolder(holder)
    // A comparison must not reveal data that the caller cannot read.
    if (found && !mayReadAt(call, found.streams)) return 'hidden'
    if (found) return found.isTrashed ? 'trashed' : undefined
    if (call.store.history.findDeletion(holder)) {
      if (call.store.imports.findAttempt(holder)) return 'deleted'
      if (!this.isDry) call.store.history.removeDeletion(holder)
    }
    return call.services.eventTypes.isKnown(type) ? undefined : 'unfit'
  }

  /** Creates the holder event of a series, and the streams on its path. Returns why if it is refused. */
  *#createHolder(
    call: Call,
    { description, seriesId: id, origin, path }: PointsDraft,
    type: string
  ): Steps<Holder | RecordResult> {
    const streamId = yield* this.#ensureStream(call, path, type)
    const settled = tryWrite(call, () =>
      runUninterrupted(this.writers.createEvent, call, {
        id,
        streamIds: [streamId],
        type,
        time: origin,
        ...(description !== undefined && { description }),
        clientData: { 'coffer:import': this.job.id }
      })
    )
    if (settled !== 'broughtIn') return settled
    call.store.imports.addEvent(id, this.attempt)
    return call.store.series.findHolder(id)!
  }
}
