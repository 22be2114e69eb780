/** Evaluates queries at equal steps of time. (docs/api/grafana.md#queries) */
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Aggregation, Expression, Operator, RangeFunction } from './promql.js'
import type { Cell, CellReader } from './cells.js'
import { refuseUnsupported } from './query-error.js'
import type { Series, SeriesSelector } from './series-list.js'
import { toSpan, type Grid } from './span.js'

export type Labels = Readonly<Record<string, string>>

/** A series of results: a value for each time; `undefined` where there is none. */
export interface Row {
  readonly labels: Labels
  readonly values: readonly (number | undefined)[]
}

/** One number for each time, or series of them. */
export type Result =
  | { readonly is: 'scalar'; readonly values: readonly number[] }
  | { readonly is: 'vector'; readonly rows: readonly Row[] }

/** Time in seconds that a value is valid in queries without a range, unless the step is longer. */
const lookBackSeconds = 300
/** Maximum number of values of all series of a query: they take memory until the response has been sent. */
const maxValues = 1_000_000
/** Maximum number of values that operators handle in a query, each for itself. */
const maxHandled = 2_000_000
/** Maximum number of cells that all windows of a query cover. */
const maxVisited = 5_000_000
/** Longest local day, in seconds. */
const longestDay = 25 * 3600
/** Tolerance in seconds where times are compared that have been computed in steps. */
const margin = 0.0005

export class Evaluator {
  #visited = 0
  #values = 0
  /** Values that operators have handled. */
  #handled = 0

  constructor(
    private readonly selector: SeriesSelector,
    private readonly cells: CellReader,
    private readonly grid: Grid
  ) {}

  /**
   * Evaluates an expression at each time of the grid. Throws a `QueryError` if that is not supported, or too
   * much.
   */
  async evaluate(expression: Expression): Promise<Result> {
    switch (expression.is) {
      case 'number':
        this.#reserve()
        return { is: 'scalar', values: this.#times().map(() => expression.value) }
      case 'selection':
        return { is: 'vector', rows: await this.#select(expression) }
      case 'negation':
        return mapValues(await this.#evaluateOperand(expression.of), value => -value)
      case 'aggregation': {
        const of = await this.#evaluateOperand(expression.of)
        if (of.is === 'scalar')
          return refuseUnsupported(`"${expression.function}" needs series, not a number`)
        return { is: 'vector', rows: aggregate(of.rows, expression) }
      }
      default: {
        const left = await this.#evaluateOperand(expression.left)
        const right = await this.#evaluateOperand(expression.right)
        return calculate(left, right, expression.operator)
      }
    }
  }

  async #select({
    apply,
    matchers,
    windowSeconds
  }: Extract<Expression, { is: 'selection' }>): Promise<Row[]> {
    const windowOf = windowSeconds ?? Math.max(this.grid.step, lookBackSeconds)
    const rows: Row[] = []
    for (const series of this.selector.select(matchers)) {
      const values =
        series.shape === 'day'
          ? await this.#evaluateDays(series, windowSeconds, apply)
          : await this.#evaluateSamples(series, windowOf, apply)
      const { __name__: _name, ...others } = series.labels
      if (values?.some(value => value !== undefined))
        rows.push({ labels: apply ? others : series.labels, values })
    }
    return rows
  }

  /** Evaluates an operand, and counts its values: operators may be nested. Other work has its turn before the operator. */
  async #evaluateOperand(expression: Expression): Promise<Result> {
    const result = await this.evaluate(expression)
    this.#handled += this.grid.count * (result.is === 'scalar' ? 1 : result.rows.length)
    if (this.#handled > maxHandled) refuseUnsupported('The query has too many operators for that many values')
    await nextTurn()
    return result
  }

  /** Counts the values of one more series. Throws a `QueryError` if there are too many. */
  #reserve(): void {
    this.#values += this.grid.count
    if (this.#values > maxValues)
      refuseUnsupported(
        `The query has more than ${maxValues} values. Select fewer series, or use a longer step`
      )
  }

  /** Evaluates a series of samples: each value summarises the window that ends at its time; `undefined` if there are none. */
  async #evaluateSamples(
    series: Series,
    windowSeconds: number,
    apply?: RangeFunction
  ): Promise<(number | undefined)[] | undefined> {
    const { start } = this.grid
    const { count, width, window } = toSpan(this.grid, windowSeconds)
    const from = start - window
    const cells = await this.cells.read(series, { from, width, count })
    // What adds up is shown as its total in the time of a point.
    const used = apply ?? (series.measure.kind === 'sum' ? 'sum' : 'last')
    const latest = series.measure.kind === 'sum' ? undefined : series.latest
    if (cells.length === 0 && !latest) return undefined
    this.#reserve()
    return this.#slide(
      cells.map(({ at, ...cell }) => ({ ...cell, from: from + (at + 1) * width })),
      window,
      { apply: used, latest }
    )
  }

  /**
   * Evaluates a series of days: each value is that of the day, or summarises the days that begin in the window; `undefined` if
   * there are none.
   */
  async #evaluateDays(
    series: Series,
    windowSeconds: number | undefined,
    apply: RangeFunction = 'last'
  ): Promise<(number | undefined)[] | undefined> {
    const { count, start, step } = this.grid
    const window = windowSeconds ?? longestDay
    const days = await this.cells.readDays(series, start - window, start + (count - 1) * step)
    if (days.length === 0) return undefined
    this.#reserve()
    if (windowSeconds !== undefined) return this.#slide(days, window, { apply })
    let at = 0
    return this.#times().map(time => {
      while (at < days.length && days[at]!.to <= time) at++
      const day = days[at]
      return day && day.from <= time ? day.mean : undefined
    })
  }

  /** Summarises, for each time, the cells whose `from` is in the window before it. Cells are in order of time. */
  #slide(
    cells: readonly (Cell & { readonly from: number })[],
    window: number,
    { apply, latest }: { readonly apply: RangeFunction; readonly latest?: Series['latest'] | undefined }
  ): (number | undefined)[] {
    let [low, high] = [0, 0]
    return this.#times().map(time => {
      while (high < cells.length && cells[high]!.from <= time + margin) high++
      while (low < high && cells[low]!.from <= time - window + margin) low++
      if (apply === 'last') {
        if (latest && latest.time <= time && latest.time > time - window) return latest.value
        return low < high ? getMean(cells[high - 1]!) : undefined
      }
      this.#visited += high - low
      if (this.#visited > maxVisited)
        refuseUnsupported('The ranges of the query are too long for its steps. Use a longer step')
      return summarise(cells.slice(low, high), apply, window)
    })
  }

  #times(): number[] {
    const { count, start, step } = this.grid
    return Array.from({ length: count }, (_, at) => start + at * step)
  }
}

/** Returns the summary of cells; `undefined` if there are none. */
function summarise(
  cells: readonly Cell[],
  apply: Exclude<RangeFunction, 'last'>,
  seconds: number
): number | undefined {
  if (cells.length === 0) return undefined
  const add = (of: (cell: Cell) => number): number => cells.reduce((total, cell) => total + of(cell), 0)
  switch (apply) {
    case 'count':
      return add(cell => cell.count)
    case 'sum':
    case 'increase':
      return add(getSum)
    case 'rate':
      return add(getSum) / seconds
    case 'avg':
      return add(getSum) / add(cell => cell.count)
    case 'min':
      return cells.reduce((least, cell) => Math.min(least, cell.min ?? getMean(cell)), Infinity)
    default:
      return cells.reduce((greatest, cell) => Math.max(greatest, cell.max ?? getMean(cell)), -Infinity)
  }
}

/** Returns the sum of a cell; the count of one without numbers. */
function getSum({ count, mean, sum }: Cell): number {
  return sum ?? (mean === undefined ? count : mean * count)
}

/** Returns the mean of a cell; the sum of what adds up, and the count of one without numbers. */
function getMean({ count, mean, sum }: Cell): number {
  return mean ?? sum ?? count
}

function aggregate(
  rows: readonly Row[],
  { function: apply, keeps, labels }: Extract<Expression, { is: 'aggregation' }>
): Row[] {
  const groups = new Map<string, { labels: Labels; rows: Row[] }>()
  for (const row of rows) {
    const kept = Object.entries(row.labels).filter(
      ([name]) => name !== '__name__' && labels.includes(name) === keeps
    )
    const key = JSON.stringify(kept)
    const group = groups.get(key) ?? { labels: Object.fromEntries(kept), rows: [] }
    groups.set(key, group)
    group.rows.push(row)
  }
  return [...groups.values()].map(group => ({
    labels: group.labels,
    values: group.rows[0]!.values.map((_, at) =>
      combine(
        group.rows.flatMap(({ values }) => values[at] ?? []),
        apply
      )
    )
  }))
}

function combine(values: readonly number[], apply: Aggregation): number | undefined {
  if (values.length === 0) return undefined
  const total = values.reduce((sum, value) => sum + value, 0)
  switch (apply) {
    case 'sum':
      return total
    case 'avg':
      return total / values.length
    case 'count':
      return values.length
    case 'min':
      return Math.min(...values)
    default:
      return Math.max(...values)
  }
}

function calculate(left: Result, right: Result, operator: Operator): Result {
  if (left.is === 'vector' && right.is === 'vector')
    return refuseUnsupported(`"${operator}" of two series is not supported: one side must be a number`)
  const apply = calculations[operator]
  if (left.is === 'scalar' && right.is === 'scalar')
    return { is: 'scalar', values: left.values.map((value, at) => apply(value, right.values[at]!)) }
  if (left.is === 'scalar') return mapValues(right, (value, at) => apply(left.values[at]!, value))
  return mapValues(left, (value, at) =>
    apply(value, (right as Extract<Result, { is: 'scalar' }>).values[at]!)
  )
}

const calculations: Readonly<Record<Operator, (left: number, right: number) => number>> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right
}

/** Changes each value. The name of a metric goes: it is no longer what the series is. */
function mapValues(result: Result, change: (value: number, at: number) => number): Result {
  if (result.is === 'scalar') return { is: 'scalar', values: result.values.map(change) }
  return {
    is: 'vector',
    rows: result.rows.map(({ labels: { __name__: _name, ...labels }, values }) => ({
      labels,
      values: values.map((value, at) => (value === undefined ? undefined : change(value, at)))
    }))
  }
}
