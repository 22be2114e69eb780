/** Applies operators and aggregations to results. */
import { Pauses } from '../../core/measures/pauses.js'
import type { Steps } from '../../storage/steps.js'
import type { Aggregation, Expression, Operator } from './promql.js'
import { refuseUnsupported } from './query-error.js'
import type { Values } from './windows.js'

export type Labels = Readonly<Record<string, string>>

/** A series of results. */
export interface Row {
  readonly labels: Labels
  readonly values: Values
}

/** One number for each time, or series of them. */
export type Result =
  | { readonly is: 'scalar'; readonly values: readonly number[] }
  | { readonly is: 'vector'; readonly rows: readonly Row[] }

/** Aggregates the rows whose remaining labels are the same. The name of a metric is among them only if it is named to be kept. */
export function* aggregate(
  rows: readonly Row[],
  { function: apply, keeps, labels }: Extract<Expression, { is: 'aggregation' }>
): Steps<Row[]> {
  const pauses = new Pauses()
  const named = new Set(labels)
  const groups = new Map<string, { labels: Labels; rows: Row[] }>()
  for (const row of rows) {
    const kept = Object.entries(row.labels).filter(([name]) =>
      keeps ? named.has(name) : name !== '__name__' && !named.has(name)
    )
    const key = JSON.stringify(kept)
    const group = groups.get(key) ?? { labels: Object.fromEntries(kept), rows: [] }
    groups.set(key, group)
    group.rows.push(row)
    if (pauses.isDue(10)) yield
  }
  const aggregated: Row[] = []
  for (const group of groups.values())
    aggregated.push({ labels: group.labels, values: yield* combine(group.rows, apply, pauses) })
  return aggregated
}

/** Combines rows into one, point by point; points without any value stay `undefined`. `rows` must not be empty. */
function* combine(rows: readonly Row[], apply: Aggregation, pauses: Pauses): Steps<Values> {
  const add = accumulations[apply]
  const totals: (number | undefined)[] = rows[0]!.values.map(() => undefined)
  const counts = new Float64Array(totals.length)
  for (const { values } of rows)
    for (const [at, value] of values.entries()) {
      if (pauses.isDue(1)) yield
      if (value === undefined) continue
      const known = totals[at]
      totals[at] = known === undefined ? value : add(known, value)
      counts[at]!++
    }
  if (apply === 'count') return totals.map((total, at) => (total === undefined ? undefined : counts[at]))
  if (apply === 'avg') return totals.map((total, at) => total && total / counts[at]!)
  return totals
}

const accumulate = (total: number, value: number): number => total + value

const accumulations: Readonly<Record<Aggregation, (total: number, value: number) => number>> = {
  sum: accumulate,
  avg: accumulate,
  count: accumulate,
  // NaN is neither, unless there is nothing else.
  min: (least, value) => (value < least || Number.isNaN(least) ? value : least),
  max: (greatest, value) => (value > greatest || Number.isNaN(greatest) ? value : greatest)
}

/** Calculates with numbers on at least one side. Throws a `QueryError` if both sides are series. */
export function* calculate(left: Result, right: Result, operator: Operator): Steps<Result> {
  const apply = calculations[operator]
  if (right.is === 'scalar') return yield* mapValues(left, (value, at) => apply(value, right.values[at]!))
  if (left.is === 'scalar') return yield* mapValues(right, (value, at) => apply(left.values[at]!, value))
  return refuseUnsupported(`"${operator}" of two series is not supported: one side must be a number`)
}

const calculations: Readonly<Record<Operator, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right
}

/**
 * Returns rows without the names of their metrics, of which the values are no longer. Throws a `QueryError` if rows differ in
 * nothing else: they could not be told apart.
 */
export function* dropNames(rows: readonly Row[]): Steps<Row[]> {
  const pauses = new Pauses()
  const found = new Set<string>()
  const named: Row[] = []
  for (const { labels: all, values } of rows) {
    const { __name__: _name, ...labels } = all
    const key = JSON.stringify(labels)
    if (found.has(key))
      refuseUnsupported(
        `Several series have the labels ${key.slice(0, 200)} without the names of their metrics. Select one name`
      )
    found.add(key)
    named.push({ labels, values })
    if (pauses.isDue(10)) yield
  }
  return named
}

/** Changes each value. The name of a metric goes: it is no longer what the series is. */
export function* mapValues(result: Result, change: (value: number, at: number) => number): Steps<Result> {
  if (result.is === 'scalar') return { is: 'scalar', values: result.values.map(change) }
  const rows: Row[] = []
  for (const { labels, values } of yield* dropNames(result.rows)) {
    rows.push({
      labels,
      values: values.map((value, at) => (value === undefined ? undefined : change(value, at)))
    })
    yield
  }
  return { is: 'vector', rows }
}
