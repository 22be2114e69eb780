/** Evaluates queries at equal steps of time. (docs/api/grafana.md#queries) */
import { nextTurn, runInTurns } from '../../storage/steps.js'
import type { Expression, RangeFunction, Selection } from './promql.js'
import type { CellReader, TimedCell } from './cells.js'
import { aggregate, calculate, dropNames, mapValues, type Result, type Row } from './operators.js'
import { refuseUnsupported } from './query-error.js'
import { assertShortLabels, type Series, type SeriesSelector } from './series-list.js'
import { toSpan, type Grid } from './span.js'
import { summariseWindows, type Values } from './windows.js'

/** Time in seconds that a value is valid in queries without a range, unless the step is longer. */
const lookBackSeconds = 300
/** Maximum number of values of all series of a query: they take memory until the response has been sent. */
const maxValues = 1_000_000
/** Maximum number of values that operators handle in a query, each for itself. */
const maxHandled = 2_000_000
/** Longest local day, in seconds. */
const longestDay = 25 * 3600

export class Evaluator {
  /** Cells by the length of windows in seconds: many series have the same. */
  readonly #spans = new Map<number, ReturnType<typeof toSpan>>()
  #values = 0
  /** Values that operators have handled. */
  #handled = 0

  /** `times`: those of the grid. */
  constructor(
    private readonly selector: SeriesSelector,
    private readonly cells: CellReader,
    private readonly grid: Grid,
    private readonly times: readonly number[]
  ) {}

  /**
   * Evaluates an expression at each time of the grid. Throws a `QueryError` if that is not supported, or too
   * much.
   */
  async evaluate(expression: Expression): Promise<Result> {
    switch (expression.is) {
      case 'number':
        this.#reserve()
        return { is: 'scalar', values: this.times.map(() => expression.value) }
      case 'selection':
        return { is: 'vector', rows: await this.#select(expression) }
      case 'negation':
        return await runInTurns(mapValues(await this.#evaluateOperand(expression.of), value => -value))
      case 'aggregation': {
        const of = await this.#evaluateOperand(expression.of)
        if (of.is === 'scalar')
          return refuseUnsupported(`"${expression.function}" needs series, not a number`)
        return { is: 'vector', rows: await runInTurns(aggregate(of.rows, expression)) }
      }
      default: {
        const left = await this.#evaluateOperand(expression.left)
        const right = await this.#evaluateOperand(expression.right)
        return await runInTurns(calculate(left, right, expression.operator))
      }
    }
  }

  async #select({ apply, matchers, windowSeconds }: Selection): Promise<Row[]> {
    const rows: Row[] = []
    const selected = await runInTurns(this.selector.select(matchers))
    await runInTurns(assertShortLabels(selected))
    for (const series of selected) {
      if (apply) assertApplicable(series, apply)
      const values =
        series.shape === 'day'
          ? await this.#evaluateDays(series, windowSeconds, apply)
          : await this.#evaluateSamples(series, windowSeconds, apply)
      if (values?.some(value => value !== undefined)) rows.push({ labels: series.labels, values })
    }
    // As in Prometheus: the last reading is what the metric is.
    return apply && apply !== 'last' ? await runInTurns(dropNames(rows)) : rows
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
    windowSeconds = Math.max(this.grid.step, lookBackSeconds),
    apply?: RangeFunction
  ): Promise<Values | undefined> {
    const span = this.#spans.get(windowSeconds) ?? toSpan(this.grid, windowSeconds)
    this.#spans.set(windowSeconds, span)
    const { before, count, width, window } = span
    const { start } = this.grid
    const summarise = async (by: RangeFunction): Promise<Values | undefined> => {
      const earlier =
        before && (await this.cells.read(series, { from: start - window, ...before }, by === 'last'))
      const range = { from: before ? start : start - window, width, count }
      const cells = [...(earlier ?? []), ...(await this.cells.read(series, range, by === 'last'))]
      if (cells.length === 0) return undefined
      this.#reserve()
      return await runInTurns(summariseWindows(this.times, cells, { apply: by, window }))
    }
    if (apply) return await summarise(apply)
    // What adds up is shown as its total in the time of a point.
    if (addsUp(series)) return await summarise('sum')
    // Words are counted.
    return (
      (await summarise('last')) ?? (series.measure.kind === 'category' ? await summarise('sum') : undefined)
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
  ): Promise<Values | undefined> {
    const { count, start, step } = this.grid
    const window = windowSeconds ?? longestDay
    const days = await this.cells.readDays(series, start - window, start + (count - 1) * step)
    if (days.length === 0) return undefined
    this.#reserve()
    if (windowSeconds !== undefined) {
      const cells = days.map(({ from: end, value }): TimedCell => {
        return { end, count: 1, sum: value, min: value, max: value, last: value }
      })
      return await runInTurns(summariseWindows(this.times, cells, { apply, window }))
    }
    await nextTurn()
    let at = 0
    return this.times.map(time => {
      while (at < days.length && days[at]!.to <= time) at++
      const day = days[at]
      return day && day.from <= time ? day.value : undefined
    })
  }
}

/** Returns whether numbers of a measure, or events without numbers, are added rather than read one by one. */
function addsUp({ measure: { kind } }: Series): boolean {
  return kind !== 'level' && kind !== 'pair' && kind !== 'category'
}

/** Refuses functions that make no sense of a series: the increase of a weight, or the mean of some counts of steps. */
function assertApplicable(series: Series, apply: RangeFunction): void {
  const { measure, shape } = series
  if ((apply === 'rate' || apply === 'increase') && !addsUp(series))
    refuseUnsupported(
      `"${apply}" is for what adds up, such as steps, and "${measure.id}" does not. Use avg_over_time or last_over_time`
    )
  if ((apply === 'avg' || apply === 'min' || apply === 'max') && measure.kind === 'sum' && shape !== 'day')
    refuseUnsupported(
      `"${apply}_over_time" is for readings, and "${measure.id}" adds up. Use sum_over_time, or the metric of its days`
    )
}
