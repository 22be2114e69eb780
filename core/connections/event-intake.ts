/** Stores received records as events. */
import { isDeepStrictEqual } from 'node:util'
import type { Attachment, Event } from '../../schemas/event.js'
import type { Steps } from '../../storage/steps.js'
import { runUninterrupted } from '../dispatch/run-write.js'
import { ApiError } from '../errors.js'
import { changeEvent, endOngoing, findInLane, isUntouched, joinEvents } from './adjust-events.js'
import type { IntakeContext, ReceivedRecord } from './intake-context.js'

/** What a record says about its event. */
type Draft = Pick<Event, 'content' | 'clientData' | 'description' | 'duration'>

/** Stores received records as events. `files`: the received files, by their key. */
export class EventIntake {
  constructor(
    private readonly context: IntakeContext,
    private readonly files: ReadonlyMap<string, Attachment>
  ) {}

  /**
   * Stores a record, unless it is stored already. A record with an identity whose content has changed becomes
   * a new version, unless the user has edited the event or moved it to the trash; one that a connection has moved
   * there comes back. What the user has deleted stays deleted. Some records end an ongoing event, or are joined
   * with others. A record that cannot be stored is counted as refused.
   */
  *store(record: ReceivedRecord): Steps<void> {
    const { call, format, ids } = this.context
    const { store } = call
    const { content, identity } = record
    const dated = record.isUndated
      ? { ...record, time: identity === undefined ? getArrivalPeriod(record.time) : 0 }
      : record
    const ownId = ids.getEventId(format.id, dated, identity ?? JSON.stringify(content ?? null))
    const id = this.#findKnownId(dated) ?? ownId
    try {
      if (record.endsOngoing !== undefined) {
        if (!(yield* endOngoing(this.context, record))) this.context.refuse(record.kind)
        return
      }
      if (record.joinWithin !== undefined && (yield* joinEvents(this.context, record))) return
      const found = store.events.find(id) ?? (yield* this.#findSame(record))
      if (found) {
        if (identity !== undefined || record.replaces || found.trashed) yield* this.#correct(found, record)
      } else if (!store.history.findDeletion(id)) yield* this.#create(id, record)
      if (hasChangingId(record)) store.received.setItem(ids.getItemId(format.id, dated), found?.id ?? id)
    } catch (error) {
      if (!isRefusal(error)) throw error
      this.context.refuse(record.kind)
    }
  }

  /** Returns the id under which a record was stored before its duration or its content changed. */
  #findKnownId(record: ReceivedRecord): string | undefined {
    const { call, format, ids } = this.context
    return hasChangingId(record) ? call.store.received.findItem(ids.getItemId(format.id, record)) : undefined
  }

  /** Returns the event of the same time and content with a duration, which files have and apps omit. */
  *#findSame(record: ReceivedRecord): Steps<Event | undefined> {
    if (!record.replaces || record.duration !== undefined) return undefined
    const { content, time } = record
    const found = yield* findInLane(this.context, record, { from: time, to: time })
    return found.find(event => event.time === time && isDeepStrictEqual(event.content, content))
  }

  *#create(id: string, record: ReceivedRecord): Steps<void> {
    const { call, methods, provideStream } = this.context
    const draft = this.#toDraft(record)
    const files = (record.files ?? []).flatMap(({ key }) => this.files.get(key) ?? [])
    const { time, type } = record
    const streamIds = [yield* provideStream(record)]
    runUninterrupted(methods.createEvent, { ...call, files }, { id, streamIds, type, time, ...draft })
  }

  /** Changes an event to what its record says now. An event that a connection has moved to the trash comes back. */
  *#correct(before: Event, record: ReceivedRecord): Steps<void> {
    const { call } = this.context
    if (!isUntouched(call.store, before)) return
    const draft = this.#toDraft(record)
    const { trashed: _trashed, ...kept } = before
    yield* changeEvent(call, before, {
      ...kept,
      ...draft,
      ...((before.clientData ?? draft.clientData) && {
        clientData: { ...before.clientData, ...draft.clientData }
      })
    })
  }

  /** Returns the fields of a record's event. Throws if the content does not conform to its type. */
  #toDraft({ clientData, content, description, duration, type, zone }: ReceivedRecord): Draft {
    const data = zone === undefined ? clientData : { ...clientData, 'coffer:zone': zone }
    return {
      content: this.context.call.services.eventTypes.check(type, content),
      ...(duration !== undefined && { duration }),
      ...(description !== undefined && { description }),
      ...(data && { clientData: { ...data } })
    }
  }
}

/**
 * Returns true if a record keeps its identity when its duration or its content changes, which ids are derived from: a night that
 * goes on, for example.
 */
function hasChangingId({ duration, identity, replaces }: ReceivedRecord): boolean {
  return replaces === true || (identity !== undefined && duration !== undefined)
}

/** Returns true if an error means that a record cannot be stored, as opposed to all records. */
function isRefusal(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    (error.id === 'invalid-parameters-format' ||
      error.id === 'invalid-event-type' ||
      error.id === 'invalid-operation')
  )
}

/** Seconds within which an undated record of the same content is the same one, sent again. */
const arrivalPeriod = 10

/** Returns the start of the period in which a time lies, in seconds. */
function getArrivalPeriod(time: number): number {
  return Math.floor(time / arrivalPeriod) * arrivalPeriod
}
