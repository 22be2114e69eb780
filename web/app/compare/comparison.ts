/** Reads two measures by day, and how they go together. (docs/api/measure-methods.md#comparing) */
import type { Account } from '../data/account.js'
import type { AnyMeasure, MeasureDay } from '../data/measures.js'

export const ranges = ['quarter', 'year', 'all'] as const
export type RangeName = (typeof ranges)[number]

/** Days of each range, at most thirty years. */
const rangeDays: Readonly<Record<RangeName, number>> = { quarter: 91, year: 365, all: 10_950 }
const dayMs = 86_400_000

/** How both go together if the second is some days later. The correlation is absent if nothing can be said. */
export interface Lag {
  readonly lag: number
  readonly days: number
  readonly rho?: number
  readonly low?: number
  readonly high?: number
}

/** The values of one day and, of the second measure, of another day. */
export interface Pair {
  /** The local date of the first value. */
  readonly day: string
  readonly values: readonly [number, number]
}

export interface Comparison {
  readonly lags: readonly Lag[]
  /** Returns the pairs of values if the second is some days later. */
  pair(lag: number): readonly Pair[]
}

/**
 * Reads a comparison of the days that end today, in the time zone of the browser. Rejects with a `Refusal`.
 */
export async function readComparison(
  { client }: Account,
  [first, second]: readonly [AnyMeasure, AnyMeasure],
  range: RangeName
): Promise<Comparison> {
  const now = (client.serverTime ?? Date.now() / 1000) * 1000
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const days = {
    from: formatDate(now - rangeDays[range] * dayMs),
    to: formatDate(now),
    zone
  }
  const [{ lags }, ...read] = await client.batchStrict<
    [{ lags: readonly Lag[] }, { days: readonly MeasureDay[] }, { days: readonly MeasureDay[] }]
  >([
    { method: 'measures.compare', params: { measure: first.id, other: second.id, ...days } },
    ...[first, second].map(({ id }) => ({
      method: 'measures.days' as const,
      params: { measure: id, ...days }
    }))
  ])
  const [a, b] = read.map(each => toNumbers(each.days))
  return {
    lags,
    pair: lag =>
      [...a!].flatMap(([day, value]) => {
        const other = b!.get(formatDate(Date.parse(day) + lag * dayMs))
        return other === undefined ? [] : [{ day, values: [value, other] as const }]
      })
  }
}

function toNumbers(days: readonly MeasureDay[]): Map<string, number> {
  const numbers = new Map<string, number>()
  for (const { day, value } of days) {
    const number: unknown = Array.isArray(value) ? value[0] : value
    if (typeof number === 'number') numbers.set(day, number)
  }
  return numbers
}

function formatDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10)
}
