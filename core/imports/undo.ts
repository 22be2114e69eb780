/** Takes out what an import has brought in: its points, its events, the streams that it made. */
import type { Event } from '../../schemas/event.js'
import type { Call } from '../call/method.js'
import { applyValueDeletion } from '../account/value-events.js'
import { runAtOnce } from '../dispatch/run-write.js'
import { getStreamIds } from '../events/event-permissions.js'
import type { KeptJob } from './job.js'
import type { Presence, Writers } from './present.js'
import { ownTimes } from './ranges.js'
import { nextTurn } from '../../storage/steps.js'

/** Ranges, and events, that one transaction takes out. */
const rangesAtOnce = 4
const eventsAtOnce = 50

/** Name under which streams are remembered that imports made and could not remove. */
const leftName = 'streams'

export class ImportRemoval {
  constructor(
    private readonly job: KeptJob,
    private readonly presence: Presence,
    private readonly writers: Writers,
    private readonly isStopped: () => boolean
  ) {}

  /** Removes everything; resolves with false if it was stopped on the way. */
  async run(): Promise<boolean> {
    const { number, streams } = this.job
    const { party } = this.presence
    while ((await this.#within(call => this.#ranges(call, number))) && !this.isStopped())
      await nextTurn(party)
    for (let after = ''; !this.isStopped();) {
      const last = await this.#within(call => this.#events(call, number, after))
      if (last === undefined) break
      after = last
      await nextTurn(party)
    }
    if (this.isStopped()) return false
    // Streams that earlier imports had to leave, as others had data in them, may be empty now.
    const made = [...this.#left(this.presence.call()), ...streams]
    const kept: string[] = []
    for (const id of made.toReversed())
      if (!(await this.#within(call => this.#stream(call, id)))) kept.unshift(id)
    await this.#within(call => call.store.imports.setMemory(leftName, JSON.stringify(kept)))
    return true
  }

  #within<T>(work: (call: Call) => T): Promise<T> {
    return this.presence.commit({ mayExceedQuota: true }, work)
  }

  /** Takes out some ranges of points; returns whether there may be more. */
  #ranges(call: Call, number: number): boolean {
    const { caller, now, store } = call
    const ranges = store.imports.listRanges(number, rangesAtOnce)
    const writing = { writer: caller.signature, written: now }
    for (const range of ranges) {
      const { event, first, last } = range
      store.imports.removeRange(range.number)
      const holder = store.series.findHolder(event)
      if (!holder || !mayChange(call, getStreamIds(store, holder.streams))) continue
      // If somebody else has written points in between, all stay: they cannot be told apart.
      const own = ownTimes(store, range)
      if (own) store.series.removeThrough(event, { first, last }, own, writing)
      store.series.removeIfEmpty(event)
    }
    return ranges.length > 0
  }

  /** Takes out some events; returns the id of the last one, `undefined` if there was none. */
  #events(call: Call, number: number, after: string): string | undefined {
    const { store } = call
    const ids = store.imports.listEvents(number, after, eventsAtOnce)
    for (const id of ids) {
      const event = store.events.find(id)
      if (event && mayChange(call, event.streamIds) && !this.#isNeeded(call, event)) {
        applyValueDeletion(call, event)
        call.changes.add('events', event.streamIds)
        store.events.remove(id, store.stamp(call.now), event)
      } else this.#file(call, number, id)
      if (store.imports.findAttempt(id)?.import === number) store.imports.removeEvent(id)
    }
    return ids.at(-1)
  }

  /** Takes a file out of an event that something else has brought in: others go with theirs. */
  #file(call: Call, number: number, id: string): void {
    const { caller, changes, now, store } = call
    const owner = store.attachments.findEventId(id)
    const event = owner === undefined ? undefined : store.events.find(owner)
    if (!event || store.imports.findAttempt(event.id)?.import === number) return
    if (!mayChange(call, event.streamIds)) return
    const attachments = (event.attachments ?? []).filter(each => each.id !== id)
    changes.add('events', event.streamIds)
    store.events.update({
      ...event,
      attachments,
      modified: store.stamp(now),
      modifiedBy: caller.signature
    })
  }

  /** Whether points of others are below a holder. If they are another import's, that has it from now on. */
  #isNeeded({ store }: Call, { id, type }: Event): boolean {
    if (!type.startsWith('series:')) return false
    const holder = store.series.findHolder(id)!
    if (!store.series.getBounds(holder.number)) return false
    const other = store.imports.findOtherAttempt(holder.number, this.job.number)
    if (other) store.imports.addEvent(id, other)
    return true
  }

  #left({ store }: Call): string[] {
    return JSON.parse(store.imports.getMemory(leftName) ?? '[]') as string[]
  }

  /** Removes a stream that nothing is in any more; returns whether it is gone. */
  #stream(call: Call, id: string): boolean {
    const { events, streams } = call.store
    const node = streams.find(id)
    if (!node) return true
    if (node.children.size > 0 || events.hasIn([node.number])) return false
    if (!call.caller.may('manage', id)) return false
    if (!node.stream.trashed) runAtOnce(this.writers.deleteStream, call, { id })
    runAtOnce(this.writers.deleteStream, call, { id })
    return true
  }
}

/** Whether the caller may change what is in these streams now: it may have been moved since it was brought in. */
function mayChange({ caller }: Call, streamIds: readonly string[]): boolean {
  return caller.mayReadEvent(streamIds) && streamIds.some(id => caller.may('contribute', id))
}
