/** Writes what was read from a file, batch by batch, or only compares it with what is there. */
import type { Batch, EventDraft, PointsDraft, StreamDraft } from '../../imports/protocol.js'
import type { Holder } from '../../storage/repositories/series.js'
import type { ImportAttempt } from '../../storage/imports/import-repository.js'
import { runSteps } from '../../storage/steps.js'
import type { Call } from '../call/method.js'
import { ApiError, fail } from '../errors.js'
import { runAtOnce } from '../dispatch/run-write.js'
import { mayReadAt } from '../events/event-permissions.js'
import { requireWritableHolder } from '../series/holder.js'
import { planColumns } from '../series/column-plan.js'
import type { Footprint } from './footprint.js'
import { compared, halves, spanOf, type Compared } from './merge.js'
import { keepJob, type KeptJob } from './job.js'
import type { Presence, Writers } from './present.js'
import { noteRange, within } from './ranges.js'
import { reasons, Tallies, type Settled } from './tallies.js'

/** Chunks that the points of one write may lie in: some milliseconds. */
const mostChunks = 6
/** Ids that a comparison remembers, to find records that are there twice. */
const mostRemembered = 100_000
/** Streams of one name that are tried. */
const mostOfOneName = 100

export class ImportWriter {
  readonly tally = new Tallies()
  /** Ids of events with files that were not brought in, and are not here. */
  readonly refused = new Set<string>()
  readonly #seen = new Set<string>()
  readonly by: ImportAttempt

  /** Without `footprint` nothing is written. `job` is replaced when it makes streams. */
  constructor(
    private job: KeptJob,
    private readonly presence: Presence,
    private readonly writers: Writers,
    readonly footprint: Footprint | undefined
  ) {
    this.by = { import: job.number, attempt: job.attempt }
  }

  get isDry(): boolean {
    return this.footprint === undefined
  }

  /** The job with the streams made so far. */
  get present(): KeptJob {
    return this.job
  }

  /** Deals with a batch in transactions of a few milliseconds. Throws what ends the import. */
  async take({ events, points }: Batch): Promise<void> {
    if (events.length > 0) await this.within(call => this.#events(call, events))
    for (const draft of points) await this.#points(draft)
  }

  /** Runs one transaction, or a read of one state. */
  async within<T>(work: (call: Call) => T): Promise<T> {
    const { footprint, job } = this
    if (!footprint) {
      const call = this.presence.call()
      return call.store.read(() => work(call))
    }
    try {
      return await this.presence.commit(this.writers.createEvent, call => {
        if (call.store.imports.getState(job.id) !== job.state)
          fail('invalid-operation', 'The import was stopped')
        return footprint.own(call.store, () => work(call))
      })
    } catch (error) {
      this.job = job
      throw error
    }
  }

  #events(call: Call, drafts: readonly EventDraft[]): void {
    for (const draft of drafts) {
      const settled = this.#event(call, draft)
      this.note(draft.type, settled, 1)
      if (draft.hasFiles && settled === 'unfit') this.refused.add(draft.id)
    }
  }

  /** Counts what became of records of a type. */
  note(type: string, settled: Settled, count: number): void {
    if (settled === 'broughtIn' || settled === 'known') this.tally.add(settled, type, count)
    else this.tally.add('leftOut', reasons[settled], count)
  }

  #event(call: Call, draft: EventDraft): Settled {
    const { store } = call
    const there = this.#whetherThere(call, draft.id)
    if (there) return there
    if (this.isDry) return this.#isFit(call, draft) ? 'broughtIn' : 'unfit'
    const streamId = this.#stream(call, draft.path)
    const { also, clientData, content, description, duration, id, time, type } = draft
    const streamIds = [...new Set([streamId, ...also.map(path => this.#stream(call, path))])]
    const settled = this.#tried(call, () =>
      runAtOnce(this.writers.createEvent, call, {
        id,
        streamIds,
        type,
        time,
        content,
        ...(duration !== undefined && { duration }),
        ...(description !== undefined && { description }),
        clientData: { ...clientData, 'coffer:import': this.job.id }
      })
    )
    if (settled === 'broughtIn') store.imports.addEvent(id, this.by)
    return settled
  }

  /** What is to be said of an id that is taken; nothing if it is free. */
  #whetherThere({ store }: Call, id: string): Settled | undefined {
    if (this.isDry) {
      if (this.#seen.has(id)) return 'twice'
      if (this.#seen.size < mostRemembered) this.#seen.add(id)
    }
    const bringing = store.imports.findAttempt(id)
    if (store.series.findHolder(id)) {
      if (!bringing) this.footprint?.spoil()
      if (bringing?.import !== this.by.import) return 'known'
      return bringing.attempt === this.by.attempt && !this.isDry ? 'twice' : 'broughtIn'
    }
    if (!store.history.findDeletion(id)) return undefined
    // The person has thrown it away; an import that is taken out as a whole leaves no such mark.
    if (bringing) return 'deleted'
    if (!this.isDry) store.history.removeDeletion(id)
    return undefined
  }

  #isFit({ services }: Call, { content, type }: EventDraft): boolean {
    try {
      services.eventTypes.check(type, content)
      return true
    } catch {
      return false
    }
  }

  /** Makes a part of a transaction, which leaves nothing behind if it is refused. */
  #tried({ store }: Call, work: () => void): Settled {
    try {
      store.savepoint(work)
      return 'broughtIn'
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (error.id === 'invalid-parameters-format' || error.id === 'invalid-event-type') return 'unfit'
      if (error.id === 'invalid-operation') return 'trashed'
      if (error.id === 'item-already-exists') return 'known'
      throw error
    }
  }

  /** The stream at the end of a path, made with those above it where they are missing. */
  #stream(call: Call, path: readonly StreamDraft[]): string {
    const { streams } = call.store
    const last = path.at(-1)!.id
    if (streams.find(last)) return last
    let parentId = this.job.parentId
    for (const { id, name } of path) {
      if (!streams.find(id)) this.#make(call, { id, name, parentId })
      parentId = id
    }
    return last
  }

  #make(call: Call, stream: { id: string; name: string; parentId: string | null }): void {
    for (let at = 1; ; at++) {
      const name = at === 1 ? stream.name : `${stream.name} (${at})`
      try {
        call.store.savepoint(() => runAtOnce(this.writers.createStream, call, { ...stream, name }))
        break
      } catch (error) {
        // Somebody else has given that name.
        if (!(error instanceof ApiError) || error.id !== 'item-already-exists' || at >= mostOfOneName)
          throw error
      }
    }
    this.job = { ...this.job, streams: [...this.job.streams, stream.id] }
    keepJob(call.store, this.job)
  }

  async #points(draft: PointsDraft): Promise<void> {
    const isDone = await this.within(call => this.#pointsAtOnce(call, draft))
    if (isDone) return
    for (const half of halves(draft)) await this.#points(half)
  }

  /** Returns false if it would take long. */
  #pointsAtOnce(call: Call, draft: PointsDraft): boolean {
    const { series } = call.store
    const rows = draft.cells.length / (draft.columns.length + 1)
    const refused = this.#refusal(call, draft)
    if (refused) {
      this.note(draft.type, refused, rows)
      return true
    }
    const known = series.findHolder(draft.holder)
    const origin = known?.time ?? draft.origin
    const span = spanOf({ ...draft, origin })
    const stored = known ? series.readWithin(known.number, span.from, span.to, mostChunks) : []
    if (!stored) {
      if (rows > 1) return false
      throw new Error('One point lies in many chunks')
    }
    const layout = (known && series.getColumns(known.number)) ?? []
    const type = `series:${draft.type}`
    const result = compared({ ...draft, origin }, planColumns(call.services.eventTypes, type), stored, layout)
    if (!this.isDry && result.fresh.length > 0) {
      const holder = known ? requireWritableHolder(call, known.id) : this.#holder(call, draft, type)
      if (typeof holder === 'string') {
        this.note(draft.type, holder, rows)
        return true
      }
      this.#add(call, holder, draft, result.fresh)
      noteRange(call.store, holder.number, result.fresh, stored, this.by)
    }
    this.footprint?.add(draft.holder, span.from, span.to)
    this.#count(call, draft.type, known, result)
    return true
  }

  #add(call: Call, { number }: Holder, { columns }: PointsDraft, fresh: Compared['fresh']): void {
    const used = columns.flatMap((_name, index) =>
      fresh.some(row => row[index + 1] !== null) ? [index] : []
    )
    const rows =
      used.length === columns.length
        ? fresh
        : fresh.map(row => [row[0], ...used.map(index => row[index + 1])] as Compared['fresh'][number])
    const writing = { writer: call.caller.signature, written: call.now }
    runSteps(call.store.series.add(number, { columns: used.map(index => columns[index]!), rows }, writing))
  }

  #count({ store }: Call, type: string, holder: Holder | undefined, result: Compared): void {
    const { early, fresh, known, twice, unfit } = result
    this.tally.add('broughtIn', type, fresh.length)
    this.note(type, 'twice', twice)
    this.note(type, 'unfit', unfit)
    this.note(type, 'early', early)
    if (!holder || known.length === 0) return
    const ranges = store.imports
      .listRangesWithin(holder.number, Math.min(...known), Math.max(...known))
      .filter(range => range.import === this.by.import)
    if (ranges.length === 0) {
      this.note(type, 'known', known.length)
      return
    }
    const rangeOf = within(ranges)
    for (const time of known) {
      const own = rangeOf(time)
      if (!own) this.note(type, 'known', 1)
      else this.note(type, own.attempt === this.by.attempt && !this.isDry ? 'twice' : 'broughtIn', 1)
    }
  }

  /** Why no point may go below a holder. */
  #refusal(call: Call, { holder, type }: PointsDraft): Settled | undefined {
    const found = call.store.series.findHolder(holder)
    // What has been moved out of sight must not be told by comparing.
    if (found && !mayReadAt(call, found.streams)) return 'hidden'
    if (found) return found.isTrashed ? 'trashed' : undefined
    if (call.store.history.findDeletion(holder)) {
      if (call.store.imports.findAttempt(holder)) return 'deleted'
      if (!this.isDry) call.store.history.removeDeletion(holder)
    }
    return call.services.eventTypes.isKnown(type) ? undefined : 'unfit'
  }

  /** Makes the event that holds a series. */
  #holder(call: Call, { holder: id, origin, path }: PointsDraft, type: string): Holder | Settled {
    const streamId = this.#stream(call, path)
    const clientData = { 'coffer:import': this.job.id }
    const settled = this.#tried(call, () =>
      runAtOnce(this.writers.createEvent, call, {
        id,
        streamIds: [streamId],
        type,
        time: origin,
        clientData
      })
    )
    if (settled !== 'broughtIn') return settled
    call.store.imports.addEvent(id, this.by)
    return call.store.series.findHolder(id)!
  }
}
