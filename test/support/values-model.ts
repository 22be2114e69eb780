/** The expected results of `events.sample` and `streams.facts`, computed naively from those of `events.get`. */
import type { Event } from '../../schemas/event.js'
import type { Answer } from './coffer.js'

export interface Difference {
  readonly what: string
  readonly found: unknown
  readonly expected: unknown
}

/** Returns the difference, if any. */
export function differs(what: string, found: unknown, expected: unknown): Difference | undefined {
  return JSON.stringify(found) === JSON.stringify(expected) ? undefined : { what, found, expected }
}

/** Rounds numbers: means may be summed in another order, so their last digits are not compared. */
export function rounded(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, at: unknown) =>
      name === 'mean' && typeof at === 'number' ? Number(at.toPrecision(9)) : at
    )
  )
}

/** Computes samples of events that are sorted from newest to oldest. */
export function samplesOf(
  events: readonly Event[],
  { from, parts, to }: { from: number; to: number; parts: number },
  path: readonly string[] = []
): object[] {
  const starts = Array.from({ length: parts }, (_, part) => from + part * ((to - from) / parts))
  const inOrder = events.toReversed().map(({ content, time }) => ({
    part: starts.findLastIndex(start => start <= time),
    value: path.reduce<unknown>(
      (at, key) =>
        typeof at === 'object' && at !== null && !Array.isArray(at) ? (at as Answer)[key] : undefined,
      content
    )
  }))
  const withNumbers = inOrder.filter(({ value }) => typeof value === 'number')
  const counted = withNumbers.length > 0 ? withNumbers : inOrder
  return starts.flatMap((time, part) => {
    const values = counted.flatMap(one => (one.part === part ? [one.value as number] : []))
    if (values.length === 0) return []
    if (withNumbers.length === 0) return [{ time, count: values.length }]
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    return [
      {
        time,
        count: values.length,
        min: Math.min(...values),
        max: Math.max(...values),
        mean,
        first: values[0],
        last: values.at(-1)
      }
    ]
  })
}

/** Computes facts of events that are sorted from newest to oldest. */
export function factsOf(streamId: string, events: readonly Event[]): object[] {
  return [...new Set(events.map(({ type }) => type))].map(type => {
    const all = events.filter(event => event.type === type)
    const { content } = all[0]!
    const isShort = content !== undefined && JSON.stringify(content).length <= 256
    return {
      streamId,
      type,
      count: all.length,
      first: all.at(-1)!.time,
      last: all[0]!.time,
      ...(isShort && { latest: content })
    }
  })
}

/** Sorts facts in a fixed order. */
export function sortedFacts(facts: readonly Answer[]): Answer[] {
  return facts.toSorted((a: Answer, b: Answer) => (key(a) < key(b) ? -1 : 1))
}

function key({ streamId, type }: Answer): string {
  return `${streamId} ${type}`
}
