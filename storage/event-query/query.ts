/** What can be asked of a user's events, in the terms of storage: numbers instead of ids. (docs/spec/events.md#reading-a-list) */
import type { ContentCondition } from './content.js'
import type { Order } from './position.js'

/** Streams that an event has to be in, and those that it must not be in. */
export interface StreamsCriteria {
  /** In one of these; absent: in whatever streams. */
  readonly any?: ReadonlySet<number>
  /** Without the values of account fields: the numbers of their streams are below 0, and their events are in no others. */
  readonly isOwn?: boolean
  /** In one of each of these. */
  readonly all: readonly ReadonlySet<number>[]
  /** In none of these. */
  readonly not: ReadonlySet<number>
}

export interface EventQuery {
  /** At least one of these criteria has to hold; absent: none does. */
  readonly streams?: readonly StreamsCriteria[] | undefined
  /** Numbers of types; absent: whatever type. */
  readonly types?: ReadonlySet<number> | undefined
  /** The event ends then or later. */
  readonly from?: number | undefined
  /** The event begins then or earlier. */
  readonly to?: number | undefined
  /** Conditions on what is within the event, all of which have to hold. */
  readonly contents?: readonly ContentCondition[] | undefined
  /** Only events without an end; `from` is not looked at. */
  readonly isRunning: boolean
  /** Modified later than that. */
  readonly modifiedSince?: number | undefined
  /** In the trash (1), outside of it (0), or both. */
  readonly trashed: readonly (0 | 1)[]
  readonly order: Order
  readonly skip: number
  readonly limit: number
  /** What becomes of the text of an event that is not answered as it is stored. */
  readonly present: (body: string) => string
}

/** Whether an event with these streams and this type is wanted; `undefined` if every one is. */
export type RowTest = (stream: number, others: string | null, type: number) => boolean

/** The part of a query that is decided row by row. */
export function rowTest({ streams, types }: Pick<EventQuery, 'streams' | 'types'>): RowTest | undefined {
  if (!streams) return types && ((_stream, _others, type) => types.has(type))
  const meets = streams.length === 1 ? single(streams[0]!) : several(streams)
  if (!types) return (stream, others) => meets(stream, others)
  return (stream, others, type) => types.has(type) && meets(stream, others)
}

type StreamsTest = (stream: number, others: string | null) => boolean

function single({ any, all, isOwn, not }: StreamsCriteria): StreamsTest {
  const meets = (stream: number): boolean =>
    (!any || any.has(stream)) && !not.has(stream) && all.every(set => set.has(stream))
  const meetTogether = (streams: readonly number[]): boolean => {
    const hits = (set: ReadonlySet<number>): boolean => streams.some(number => set.has(number))
    return (!any || hits(any)) && !hits(not) && all.every(hits)
  }
  return (stream, others) =>
    !(isOwn && stream < 0) &&
    (others === null ? meets(stream) : meetTogether([stream, ...(JSON.parse(others) as number[])]))
}

function several(criteria: readonly StreamsCriteria[]): StreamsTest {
  const tests = criteria.map(single)
  return (stream, others) => tests.some(test => test(stream, others))
}
