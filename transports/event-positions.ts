/** Reads long lists of events page by page, so that what changes in between neither hides events nor makes later pages slower. */
import type { Event } from '../schemas/event.js'
import { readEvents, type UserCalls } from './user-calls.js'

/** Events to read, in order of time. Times in seconds. */
export interface EventList {
  /** Further params of `events.get`. */
  readonly params: Readonly<Record<string, unknown>>
  readonly order: 'ascending' | 'descending'
  /** Some part of each event is between these times. */
  readonly from: number
  readonly to: number
}

/** A position in a list: the events after it are read next. */
export interface Position {
  /** Number of events to skip from the time of the last one on, in the order of the list. */
  readonly skip: number
  /** The last of these, by which it is found again after changes; absent: the list is read from its beginning. */
  readonly last?: Pick<Event, 'id' | 'time'> | undefined
}

/** The beginning of a list. */
export const listBeginning: Position = { skip: 0 }

/** Events after a position. `limit`: the number of events that were asked for in the end. */
interface ReadEvents {
  readonly events: readonly Event[]
  readonly limit: number
  /** The position before these events, as it is now. */
  readonly position: Position
}

/** Maximum number of events of the same time among which the last one is looked for, and where it is expected among them. */
const [lookedAt, expectedAt] = [1000, 900]

/** Returns the position after an event that follows a position. */
export function advance(position: Position, event: Event, list: Pick<EventList, 'from'>): Position {
  const last = { id: event.id, time: event.time }
  const isSameTime = getStart(list, position) === getStart(list, { last })
  return { skip: isSameTime ? position.skip + 1 : 1, last }
}

/** Returns the time from which the events after a position are read; `undefined`: the beginning of the list. */
function getStart({ from }: Pick<EventList, 'from'>, { last }: Pick<Position, 'last'>): number | undefined {
  // Events that begin before the list and reach it are read together, as if at its beginning.
  return last && Math.max(last.time, from)
}

/**
 * Reads the events after a position. Fewer than `limit` of `events` in the result than of its own `limit`: there are no more.
 * If the last event was deleted or moved, all events of its time are read again. Errors: the errors of `events.get`.
 */
export async function readEventsAfter(
  calls: UserCalls,
  list: EventList,
  position: Position,
  limit: number
): Promise<ReadEvents> {
  const { last, skip } = position
  if (last && skip > 0) {
    // Together with the last event, to see whether the list is as it was.
    const read = await readEvents(calls, toParams(list, { ...position, skip: skip - 1 }, limit + 1))
    if (!isSame(read.events[0], last)) {
      const moved = await findAgain(calls, list, position, last)
      return { ...(await readEvents(calls, toParams(list, moved, limit))), position: moved }
    }
    if (read.limit > 1) return { events: read.events.slice(1), limit: read.limit - 1, position }
  }
  const isLarge = last !== undefined && skip > 0
  return { ...(await readEvents(calls, toParams(list, position, isLarge ? 1 : limit))), position }
}

/** Returns whether an event is the last one, at the time at which it was: others may be before it where it has moved to. */
function isSame(event: Event | undefined, last: Pick<Event, 'id' | 'time'>): boolean {
  return event?.id === last.id && event.time === last.time
}

/** Finds the position after an event in a list that has changed; of other events of its time if it is not there any more. */
async function findAgain(
  calls: UserCalls,
  list: EventList,
  position: Position,
  last: Pick<Event, 'id' | 'time'>
): Promise<Position> {
  const read = async (skip: number, limit = 1): Promise<readonly Event[]> =>
    (await readEvents(calls, toParams(list, { ...position, skip }, limit))).events
  const isBefore = async (index: number): Promise<boolean> => {
    const [event] = await read(index)
    return (
      event !== undefined && (list.order === 'ascending' ? event.time < last.time : event.time > last.time)
    )
  }
  // The events before index `first` are before its time; the one at `end` is not.
  let [first, end] = [0, 0]
  while (await isBefore(end)) [first, end] = [end + 1, end * 2 + 1]
  while (first < end) {
    const middle = Math.floor((first + end) / 2)
    if (await isBefore(middle)) first = middle + 1
    else end = middle
  }
  const [expected] = await read(first + position.skip - 1)
  if (isSame(expected, last)) return { ...position, skip: first + position.skip }
  const start = first + Math.max(0, position.skip - expectedAt)
  const at = (await read(start, lookedAt)).findIndex(event => isSame(event, last))
  return { ...position, skip: at < 0 ? first : start + at + 1 }
}

/** Returns the params with which the events after a position are read. */
function toParams(
  list: EventList,
  position: Position,
  limit: number
): Readonly<Record<string, unknown>> & { readonly limit: number } {
  const { from, order, params, to } = list
  const time = getStart(list, position)
  const isAscending = order === 'ascending'
  const range = {
    fromTime: isAscending ? (time ?? from) : from,
    toTime: isAscending ? to : (time ?? to)
  }
  const isAll = range.fromTime === -Number.MAX_VALUE && range.toTime === Number.MAX_VALUE
  return { ...params, sortAscending: isAscending, skip: position.skip, limit, ...(!isAll && range) }
}
