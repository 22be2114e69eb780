/** A query for a user's events, in terms of storage: numbers instead of ids. (docs/spec/events.md#reading-a-list) */
import type { ContentCondition } from '../../schemas/content-condition.js'
import type { Order } from './position.js'

/** The streams that an event must and must not be in. */
export interface StreamsCriteria {
  /** The event is in one of these streams; absent: in any stream. */
  readonly any?: ReadonlySet<number>
  /** Excludes the values of account fields: the numbers of their streams are below 0, and their events are in no others. */
  readonly excludesAccountFields?: boolean
  /** The event is in a stream of each of these sets. */
  readonly all: readonly ReadonlySet<number>[]
  /** The event is in none of these streams. */
  readonly not: ReadonlySet<number>
}

export interface EventQuery {
  /** Criteria of which at least one must match; absent: no condition. */
  readonly streams?: readonly StreamsCriteria[] | undefined
  /** Numbers of types; absent: any type. */
  readonly types?: ReadonlySet<number> | undefined
  /** The event ends at or after this time. */
  readonly from?: number | undefined
  /** The event begins at or before this time. */
  readonly to?: number | undefined
  /** Conditions on the event's contents, all of which must be met. */
  readonly contents?: readonly ContentCondition[] | undefined
  readonly text?: TextSearch | undefined
  /** Only events without an end; `from` is ignored. */
  readonly isRunning: boolean
  /** Modified after this time. */
  readonly modifiedSince?: number | undefined
  /** Whether to select events in the trash (1), outside of it (0), or both. */
  readonly trashed: readonly (0 | 1)[]
  readonly order: Order
  readonly skip: number
  readonly limit: number
  /** Turns a stored body into what the caller sees. */
  readonly present: (body: string) => string
}

/** Words that the texts of an event must contain, each at the beginning of a word. */
export interface TextSearch {
  /** As `EventTexts.toSearchWords` returns them: at least one, the longest first. */
  readonly words: readonly string[]
  /**
   * Whether the text index may be used: it leads to all events with the words, so the time that a search takes reveals
   * how many events these are. Only for callers that see everything.
   */
  readonly mayUseIndex: boolean
}

/** Tests whether an event with these streams and this type matches. */
export interface RowTest {
  readonly matches: (stream: number, others: string | null, type: number) => boolean
  /** The cost per event, in units of `QueryBudget.work`, beyond the list of its streams. */
  readonly work: number
}

/** Creates the test for the part of a query that is decided row by row; `undefined` if every row matches. */
export function createRowTest({
  streams,
  types
}: Pick<EventQuery, 'streams' | 'types'>): RowTest | undefined {
  if (!streams) return types && { matches: (_stream, _others, type) => types.has(type), work: 1 }
  const matches = streams.length === 1 ? createStreamsTest(streams[0]!) : createAlternativesTest(streams)
  const work = streams.reduce((sum, { all }) => sum + 1 + all.length, 0)
  if (!types) return { matches, work }
  return { matches: (stream, others, type) => types.has(type) && matches(stream, others), work }
}

type StreamsTest = (stream: number, others: string | null) => boolean

function createStreamsTest(criteria: StreamsCriteria): StreamsTest {
  const { any, all, excludesAccountFields, not } = criteria
  const matches = (stream: number): boolean =>
    (!any || any.has(stream)) && !not.has(stream) && all.every(set => set.has(stream))
  return (stream, others) =>
    !(excludesAccountFields && stream < 0) &&
    (others === null ? matches(stream) : matchesCriteria(criteria, parseStreams(stream, others)))
}

function createAlternativesTest(criteria: readonly StreamsCriteria[]): StreamsTest {
  const tests = criteria.map(createStreamsTest)
  return (stream, others) => {
    if (others === null) return tests.some(test => test(stream, others))
    const streams = parseStreams(stream, others)
    return criteria.some(
      alternative =>
        !(alternative.excludesAccountFields && stream < 0) && matchesCriteria(alternative, streams)
    )
  }
}

/** Number of streams of an event from which they are looked up in a set: it may be in ten thousand. */
const minStreamsForSet = 16

/** Parses the streams of an event once for all criteria. */
function parseStreams(stream: number, others: string): readonly number[] | ReadonlySet<number> {
  const streams = [stream, ...(JSON.parse(others) as number[])]
  return streams.length < minStreamsForSet ? streams : new Set(streams)
}

function matchesCriteria(
  { all, any, not }: StreamsCriteria,
  streams: readonly number[] | ReadonlySet<number>
): boolean {
  return (
    (!any || intersects(streams, any)) &&
    !intersects(streams, not) &&
    all.every(set => intersects(streams, set))
  )
}

/** Returns whether any of the streams is in a set, in time proportional to the smaller of the two. */
function intersects(streams: readonly number[] | ReadonlySet<number>, set: ReadonlySet<number>): boolean {
  if (Array.isArray(streams)) return (streams as readonly number[]).some(number => set.has(number))
  const larger = streams as ReadonlySet<number>
  const [fewer, more] = larger.size < set.size ? [larger, set] : [set, larger]
  for (const number of fewer) if (more.has(number)) return true
  return false
}
