/** Stores received records as events. */
import type { Attachment, Event } from '../../schemas/event.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'
import { runUninterrupted } from '../dispatch/run-write.js'
import { ApiError } from '../errors.js'
import { prepareBody } from '../events/writable-event.js'
import { toCanonicalJson } from '../json/canonical.js'
import { connectionKey } from './connection.js'
import type { IntakeContext, ReceivedRecord } from './intake-context.js'

/** What a record says about its event. */
type Draft = Pick<Event, 'content' | 'clientData' | 'description' | 'duration'>

export class EventIntake {
  constructor(
    private readonly context: IntakeContext,
    private readonly files: ReadonlyMap<string, Attachment>
  ) {}

  /**
   * Stores a record, unless it is stored already. A record with an identity whose content has changed becomes a new version, unless
   * the user has edited the event. What the user has deleted stays deleted.
   */
  *store(record: ReceivedRecord): Steps<void> {
    const { call, format, ids } = this.context
    const { store } = call
    const { content, identity } = record
    const dated = record.isUndated ? { ...record, time: 0 } : record
    const ownId = ids.getEventId(format.id, dated, identity ?? JSON.stringify(content ?? null))
    const id = this.#findKnownId(dated) ?? ownId
    try {
      const found = store.events.find(id)
      if (found) {
        if (identity !== undefined) yield* this.#correct(found, record)
      } else if (!store.history.findDeletion(id)) this.#create(id, record)
      if (hasChangingId(record)) store.received.setItem(this.#getItemId(dated), id)
    } catch (error) {
      if (!isRefusal(error)) throw error
      this.context.refuse(record.kind)
    }
  }

  /** Returns the id under which a record was stored before its duration changed. */
  #findKnownId(record: ReceivedRecord): string | undefined {
    return hasChangingId(record)
      ? this.context.call.store.received.findItem(this.#getItemId(record))
      : undefined
  }

  #getItemId(record: ReceivedRecord): string {
    const { format, ids } = this.context
    return ids.getEventId(format.id, { ...record, duration: undefined }, `item:${record.identity}`)
  }

  #create(id: string, record: ReceivedRecord): void {
    const { call, methods, provideStream } = this.context
    const draft = this.#toDraft(record)
    const files = (record.files ?? []).flatMap(({ key }) => this.files.get(key) ?? [])
    const { time, type } = record
    const streamIds = [provideStream(record)]
    runUninterrupted(methods.createEvent, { ...call, files }, { id, streamIds, type, time, ...draft })
  }

  /** Changes an event to what its record says now. */
  *#correct(before: Event, record: ReceivedRecord): Steps<void> {
    const { call } = this.context
    const { caller, changes, now, store } = call
    if (before.trashed || !isUntouched(store, before)) return
    const draft = this.#toDraft(record)
    const event: Event = {
      ...before,
      ...draft,
      ...((before.clientData ?? draft.clientData) && {
        clientData: { ...before.clientData, ...draft.clientData }
      }),
      modified: before.modified,
      modifiedBy: before.modifiedBy
    }
    if (toCanonicalJson(event) === toCanonicalJson(before)) return
    const changed = { ...event, modified: store.stamp(now), modifiedBy: caller.signature }
    store.events.update(changed, yield* prepareBody(call, changed))
    changes.add('events', before.streamIds)
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
 * Returns true if a record keeps its identity when its duration changes, which ids are derived from: a night that goes on, for
 * example.
 */
function hasChangingId({ duration, identity }: ReceivedRecord): boolean {
  return identity !== undefined && duration !== undefined
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

/** Returns true if an event is as a connection or an import has written it. */
function isUntouched(store: UserStore, { created, modified, modifiedBy }: Event): boolean {
  if (modified === created) return true
  const id = modifiedBy.split(' ', 1)[0]!
  const access = store.accesses.find(id) ?? store.accesses.findEver(id)
  // Only users create accesses of apps.
  return access?.type === 'app' && access.clientData?.[connectionKey] !== undefined
}
