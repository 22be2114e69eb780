/** Finds stored events of streams in a range of times. */
import type { Event } from '../../schemas/event.js'
import type { Steps } from '../../storage/steps.js'
import type { UserStore } from '../../storage/user/user-store.js'

export interface EventRange {
  readonly streamIds: readonly string[]
  /** Any type if absent. */
  readonly type?: string
  /** Seconds, both included: events that end at or after `from`, and begin at or before `to`. */
  readonly from: number
  readonly to: number
}

/** Returns the events of a range that are not in the trash, oldest first. */
export function* findEvents(store: UserStore, { from, streamIds, to, type }: EventRange): Steps<Event[]> {
  const numbers = streamIds.flatMap(id => store.streams.find(id)?.number ?? [])
  const typeNumber = type === undefined ? undefined : store.events.types.find(type)
  if (numbers.length === 0 || (type !== undefined && typeNumber === undefined)) return []
  const run = store.events.query({
    streams: [{ any: new Set(numbers), all: [], not: new Set() }],
    types: typeNumber === undefined ? undefined : new Set([typeNumber]),
    from,
    to,
    isRunning: false,
    trashed: [0],
    order: 'ASC',
    skip: 0,
    limit: Infinity,
    present: body => body
  })
  const texts: string[] = []
  for (;;) {
    const { done, text } = store.events.next(run)
    if (text !== '') texts.push(text)
    if (done) return JSON.parse(`[${texts.join(',')}]`) as Event[]
    yield
  }
}
