/** Removes what an import has created: points, events and streams. */
import type { Event } from '../../schemas/event.js'
import type { Call } from '../call/method.js'
import { applyValueDeletion } from '../account/value-events.js'
import { runMethod } from '../dispatch/run-write.js'
import { getStreamIds } from '../events/event-permissions.js'
import { createRemovalWork } from '../streams/removal-work.js'
import type { StoredJob } from './job.js'
import type { ImportCaller, WriteMethods } from './import-caller.js'
import { listOwnTimes } from './ranges.js'
import { nextTurn, type Steps } from '../../storage/steps.js'

/** Maximum number of ranges, and of events, removed per transaction. */
const maxRanges = 4
const maxEvents = 50

/** Name under which the streams are stored that imports created and could not remove. */
const leftStreamsName = 'streams'

/** Undoes an import, in transactions of a few milliseconds. */
export class ImportRemoval {
  constructor(
    private readonly job: StoredJob,
    private readonly presence: ImportCaller,
    private readonly writers: WriteMethods,
    private readonly isStopped: () => boolean
  ) {}

  /**
   * Removes everything that the caller may change, except data that others have added to. Streams that are
   * not empty stay, for later removals. Resolves with false if it was stopped before the end.
   */
  async run(): Promise<boolean> {
    const { number, streams } = this.job
    const { party } = this.presence
    while ((await this.#commit(call => this.#removeRanges(call, number))) && !this.isStopped())
      await nextTurn(party)
    for (let after = ''; !this.isStopped();) {
      const last: string | undefined = await this.presence.commitSteps({ mayExceedQuota: true }, call =>
        this.#removeEvents(call, number, after)
      )
      if (last === undefined) break
      after = last
      await nextTurn(party)
    }
    if (this.isStopped()) return false
    // Streams that earlier imports could not remove, because they contained other data, may be empty now.
    const created = [...this.#listLeftStreams(this.presence.createCall()), ...streams]
    const remaining: string[] = []
    for (const id of created.toReversed()) if (!(await this.#removeStream(id))) remaining.unshift(id)
    await this.#commit(call => call.store.imports.setMemory(leftStreamsName, JSON.stringify(remaining)))
    return true
  }

  #commit<T>(work: (call: Call) => T): Promise<T> {
    return this.presence.commit({ mayExceedQuota: true }, work)
  }

  /**
   * Removes some ranges of points. Returns true if there may be more. What has been moved out of the caller's
   * reach stays.
   */
  #removeRanges(call: Call, number: number): boolean {
    const { caller, now, store } = call
    const ranges = store.imports.listRanges(number, maxRanges)
    const writing = { writer: caller.signature, written: now }
    for (const range of ranges) {
      const { event, first, last } = range
      store.imports.removeRange(range.number)
      const holder = store.series.findHolder(event)
      if (!holder || !mayChange(call, getStreamIds(store, holder.streams))) continue
      // If others have written points in between, all stay: they cannot be distinguished.
      const ownPoints = listOwnTimes(store, range)
      if (ownPoints) store.series.removeThrough(event, { first, last }, ownPoints, writing)
      store.series.removeIfEmpty(event)
    }
    return ranges.length > 0
  }

  /**
   * Removes some events, or the files that the import has added to events. Returns the id of the last one,
   * also if it stays; `undefined` if there was none. Throws `NeedsSteps` if that takes long, unless the store is a draft.
   */
  *#removeEvents(call: Call, number: number, after: string): Steps<string | undefined> {
    const { store } = call
    const ids = store.imports.listEvents(number, after, maxEvents)
    const addWork = createRemovalWork(store)
    for (const id of ids) {
      yield
      addWork(id)
      const event = store.events.find(id)
      if (event && mayChange(call, event.streamIds) && !this.#keepForOthers(call, event)) {
        applyValueDeletion(call, event)
        call.changes.addEvent(event)
        yield* store.events.remove(id, store.stamp(call.now), event)
      } else this.#removeFile(call, number, id)
      if (store.imports.findAttempt(id)?.import === number) store.imports.removeEvent(id)
    }
    return ids.at(-1)
  }

  /** Removes a file from an event that the import has not created; other files are removed with their event. */
  #removeFile(call: Call, number: number, id: string): void {
    const { caller, changes, now, store } = call
    const owner = store.attachments.findEventId(id)
    const event = owner === undefined ? undefined : store.events.find(owner)
    if (!event || store.imports.findAttempt(event.id)?.import === number) return
    if (!mayChange(call, event.streamIds)) return
    const attachments = (event.attachments ?? []).filter(each => each.id !== id)
    changes.addEvent(event)
    store.events.update({
      ...event,
      attachments,
      modified: store.stamp(now),
      modifiedBy: caller.signature
    })
  }

  /** Returns true if a holder event has points of others. If they belong to another import, it takes over the event. */
  #keepForOthers({ store }: Call, { id, type }: Event): boolean {
    if (!type.startsWith('series:')) return false
    const holder = store.series.findHolder(id)!
    if (!store.series.getBounds(holder.number)) return false
    const other = store.imports.findOtherAttempt(holder.number, this.job.number)
    if (other) store.imports.addEvent(id, other)
    return true
  }

  #listLeftStreams({ store }: Call): string[] {
    return JSON.parse(store.imports.getMemory(leftStreamsName) ?? '[]') as string[]
  }

  /**
   * Removes a stream if it is empty. Resolves with true if it no longer exists. One that has events or children, or
   * that the caller may not manage, stays.
   */
  async #removeStream(id: string): Promise<boolean> {
    return await this.presence.commitSteps({ mayExceedQuota: true }, call => this.#deleteStream(call, id))
  }

  *#deleteStream(call: Call, id: string): Steps<boolean> {
    const { events, streams } = call.store
    const node = streams.find(id)
    if (!node) return true
    if (node.children.size > 0 || events.hasIn([node.number])) return false
    if (!call.caller.may('manage', id)) return false
    if (!node.stream.trashed) yield* runMethod(this.writers.deleteStream, call, { id })
    yield* runMethod(this.writers.deleteStream, call, { id })
    return true
  }
}

/** Returns true if the caller may change an event in these streams: it may have been moved since it was imported. */
function mayChange({ caller }: Call, streamIds: readonly string[]): boolean {
  return caller.mayReadEvent(streamIds) && streamIds.some(id => caller.may('contribute', id))
}
