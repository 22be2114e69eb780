/** What can be asked of a user's events, in the terms of storage: numbers instead of ids. (docs/spec/events.md#reading-a-list) */
import type { ContentCondition } from './content.js'
import type { Order } from './position.js'

/** Streams that an event has to be in, and those that it must not be in. */
export interface StreamsCriteria {
  /** In one of these; absent: in whatever streams. */
  readonly any?: ReadonlySet<number>
  /** Without the values of account fields: the numbers of their streams are below 0, and their events are in no others. */
  readonly excludesAccountFields?: boolean
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
  readonly text?: TextSearch | undefined
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

/** Words that have to be in the texts of an event, each at the beginning of one there. */
export interface TextSearch {
  /** As `EventTexts.soughtWords` makes them: one at least, the longest first. */
  readonly words: readonly string[]
  /**
   * Whether words may lead to events: they do to all that hold them, and how long that takes tells how many these are. For
   * who sees everything.
   */
  readonly mayUseIndex: boolean
}

/** Whether an event with these streams and this type is wanted. */
export interface RowTest {
  readonly matches: (stream: number, others: string | null, type: number) => boolean
  /** What it costs for each event, as `Effort` counts, beyond the list of its streams. */
  readonly work: number
}

/** The part of a query that is decided row by row; `undefined` if every row is wanted. */
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
  const { any, all, excludesAccountFields: isOwn, not } = criteria
  const matches = (stream: number): boolean =>
    (!any || any.has(stream)) && !not.has(stream) && all.every(set => set.has(stream))
  return (stream, others) =>
    !(isOwn && stream < 0) &&
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

/** Streams of an event from which on they are looked up by a set: it may be in ten thousand. */
const minStreamsForSet = 16

/** The streams of an event, read once for all criteria. */
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

/** Whether any of the streams is in a set: takes time by the smaller of the two. */
function intersects(streams: readonly number[] | ReadonlySet<number>, set: ReadonlySet<number>): boolean {
  if (Array.isArray(streams)) return (streams as readonly number[]).some(number => set.has(number))
  const larger = streams as ReadonlySet<number>
  const [fewer, more] = larger.size < set.size ? [larger, set] : [set, larger]
  for (const number of fewer) if (more.has(number)) return true
  return false
}
