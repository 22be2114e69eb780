/** Answers the requests of the query API of Prometheus. Loaded on the first request, with the libraries that parse queries. */
import { Pauses } from '../../core/measures/pauses.js'
import { isZone } from '../../schemas/zones.js'
import { version } from '../../core/version.js'
import { runInTurns, type Steps } from '../../storage/steps.js'
import { plainForm, writeJson } from '../../core/json/writer.js'
import type { ReadRequest } from '../endpoints.js'
import { CellReader } from './cells.js'
import { Evaluator } from './evaluate.js'
import type { Result, Row } from './operators.js'
import { parseDuration, parseTime, resolution } from './parse-time.js'
import { hasSelection, parseQuery, parseSelector, type Matcher } from './promql.js'
import { refuseMalformed } from './query-error.js'
import { assertShortLabels, describeMetrics, listSeries, SeriesSelector, type Series } from './series-list.js'
import type { Grid } from './span.js'

/** Maximum number of steps of a range, as in Prometheus: a series has one value more. */
const maxSteps = 11_000

/** Greatest distance of times from 1970, in seconds. */
const maxTime = 250_000 * 365.25 * 86_400

/** Answers one request. */
export class QueryApi {
  /** True once items are missing because of the `limit` of the request. */
  isTruncated = false

  constructor(
    private readonly request: ReadRequest,
    private readonly now: number,
    /**
     * Does work once it is its turn, and only for an access. Lists of series are read only then: they take much memory, and so may
     * their values.
     */
    private readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>
  ) {}

  /**
   * Returns the data of the response as JSON; `undefined` for an unknown path. Throws a `QueryError`, or the
   * `ApiError` of a call.
   */
  async answer(path: readonly string[]): Promise<string | undefined> {
    const [only, ...others] = path
    if (only === 'query' && others.length === 0) return await this.#query()
    if (only === 'query_range' && others.length === 0) return await this.#queryRange()
    const described = await this.#describe(path)
    if (described === undefined) return undefined
    const chunks: string[] = []
    await runInTurns(writeJson(described, plainForm, chunk => chunks.push(chunk)))
    return chunks.join('')
  }

  /** Returns what there is, as opposed to values. */
  async #describe([first = '', second, third, ...rest]: readonly string[]): Promise<unknown> {
    if (rest.length > 0) return undefined
    if (first === 'label' && second !== undefined && third === 'values')
      return await this.#listLabelValues(second)
    if (second === undefined) return await this.#answerOne(first)
    if (first === 'status' && second === 'buildinfo' && third === undefined) {
      await this.#checkAccess()
      return {
        version: '2.55.0',
        revision: '',
        branch: '',
        buildUser: '',
        buildDate: '',
        goVersion: '',
        // Without "features": Grafana takes a service that has any for Mimir.
        application: `Coffer ${version}`
      }
    }
    return undefined
  }

  /**
   * Answers a request that has no query; `undefined` for an unknown one. Lists that are always empty still check the
   * token.
   */
  async #answerOne(name: string): Promise<unknown> {
    switch (name) {
      case 'series': {
        const limit = this.#limit()
        return await this.#match(async found => {
          const listed = this.#truncate([...found], limit)
          await runInTurns(assertShortLabels(listed))
          return listed.map(({ labels }) => labels)
        })
      }
      case 'labels': {
        const limit = this.#limit()
        const names = await this.#match(found => runInTurns(collect(found, Object.keys)))
        return this.#truncate(names, limit)
      }
      case 'metadata':
        return await this.#describeMetrics()
      case 'rules':
        await this.#checkAccess()
        return { groups: [] }
      case 'alerts':
        await this.#checkAccess()
        return { alerts: [] }
      case 'query_exemplars':
        await this.#checkAccess()
        return []
      default:
        return undefined
    }
  }

  /** Evaluates a query at one time. */
  async #query(): Promise<string> {
    const time = this.#time('time', this.now)
    return await this.#evaluate({ start: time, step: 0, count: 1 }, async result => {
      if (result.is === 'scalar')
        return `{"resultType":"scalar","result":${formatPoint(time, result.values[0]!)}}`
      return `{"resultType":"vector","result":[${await runInTurns(formatVector(result.rows, time))}]}`
    })
  }

  /** Evaluates a query at equal steps. */
  async #queryRange(): Promise<string> {
    const start = this.#time('start')
    const end = this.#time('end')
    const step = parseDuration(this.#require('step'))
    if (step === undefined || step < resolution)
      refuseMalformed('"step" must be a number of seconds, or a duration such as 1h30m, of at least 1 ms')
    if (end < start) refuseMalformed('"end" must not be before "start"')
    // In milliseconds, which are whole.
    const [startMs, endMs, stepMs] = [start, end, step].map(time => Math.round(time * 1000)) as [
      number,
      number,
      number
    ]
    const steps = Math.floor((endMs - startMs) / stepMs)
    if (steps > maxSteps) refuseMalformed(`The range has more than ${maxSteps} steps. Use a longer "step"`)
    return await this.#evaluate({ start, step, count: steps + 1 }, async (result, times) => {
      const rows = result.is === 'scalar' ? [{ labels: {}, values: result.values }] : result.rows
      return `{"resultType":"matrix","result":[${await runInTurns(formatRows(rows, times))}]}`
    })
  }

  /** Evaluates the query, and returns the result as `format` does, which gets the times of the grid. */
  async #evaluate(
    grid: Grid,
    format: (result: Result, times: readonly number[]) => string | Promise<string>
  ): Promise<string> {
    const text = this.#require('query')
    const cells = new CellReader(this.request.calls, this.#zone())
    return await this.inTurn(async () => {
      // Not before the access has been checked: what strangers send may take long to parse.
      const expression = await runInTurns(parseQuery(text))
      if (!hasSelection(expression)) await this.#checkAccess()
      const series = hasSelection(expression) ? await listSeries(this.request.calls) : []
      const times = listTimes(grid)
      const evaluator = new Evaluator(new SeriesSelector(series), cells, grid, times)
      return await format(await evaluator.evaluate(expression), times)
    })
  }

  /** Makes a call only to check the access, for what reads no data: Grafana tests a data source with `1+1`. */
  async #checkAccess(): Promise<void> {
    await this.request.calls.call('getAccessInfo', {})
  }

  /** Returns what `take` makes of the series that match one of the selectors, or of all series. */
  async #match<T>(take: (found: Iterable<Labelled>) => T | Promise<T>): Promise<T> {
    const texts = this.request.params.get('match') ?? []
    return await this.inTurn(async () => {
      // Not before the access has been checked: strangers could send a thousand.
      const selectors: (readonly Matcher[])[] = []
      for (const text of texts) selectors.push(await runInTurns(parseSelector(text)))
      const all = await listSeries(this.request.calls)
      if (selectors.length === 0) return await take(all)
      const selector = new SeriesSelector(all)
      const found = new Set<Series>()
      for (const matchers of selectors)
        for (const series of await runInTurns(selector.select(matchers))) found.add(series)
      return await take(found.size === all.length ? all : all.filter(series => found.has(series)))
    })
  }

  async #listLabelValues(label: string): Promise<readonly string[]> {
    const limit = this.#limit()
    const values = await this.#match(found =>
      runInTurns(collect(found, labels => (Object.hasOwn(labels, label) ? [labels[label]!] : [])))
    )
    return this.#truncate(values, limit)
  }

  /** Describes the metric that is asked for, or all; as many as the limit allows, of which 0 describes none. */
  async #describeMetrics(): Promise<object> {
    const limit = this.#limit({ mayBeNegative: true }) ?? -1
    const metric = this.#first('metric') ?? ''
    const described = await this.inTurn(
      async () => await runInTurns(describeMetrics(await listSeries(this.request.calls)))
    )
    const named = Object.entries(described).filter(([name]) => metric === '' || name === metric)
    return Object.fromEntries(limit < 0 ? named : named.slice(0, limit))
  }

  /** Returns the first items, and notes whether there are more. */
  #truncate<T>(items: readonly T[], limit: number | undefined): readonly T[] {
    // As in Prometheus, 0 is no limit.
    if (!limit || items.length <= limit) return items
    this.isTruncated = true
    return items.slice(0, limit)
  }

  /** Returns the maximum number of items, if the request has one. */
  #limit({ mayBeNegative = false } = {}): number | undefined {
    const text = this.#first('limit') ?? ''
    if (text === '') return undefined
    const limit = /^[+-]?\d{1,15}$/.test(text) ? Number(text) : undefined
    if (limit === undefined || (limit < 0 && !mayBeNegative))
      return refuseMalformed('"limit" must be a whole number')
    return limit
  }

  #zone(): string {
    const zone = this.#first('zone') || 'UTC'
    return isZone(zone)
      ? zone
      : refuseMalformed('"zone" must be the name of a time zone, such as Europe/Zurich')
  }

  #time(name: string, fallback?: number): number {
    const text = this.#first(name)
    if ((text === undefined || text === '') && fallback !== undefined) return fallback
    const time = parseTime(text ?? '')
    if (time === undefined) return refuseMalformed(`"${name}" must be a time: Unix seconds, or RFC 3339`)
    // Beyond this, a date has no calendar.
    if (Math.abs(time) > maxTime) refuseMalformed(`"${name}" must be a time within 250,000 years of 1970`)
    return time
  }

  #require(name: string): string {
    return this.#first(name) || refuseMalformed(`"${name}" is missing`)
  }

  #first(name: string): string | undefined {
    return this.request.params.get(name)?.[0]
  }
}

/** Returns the times of a grid; those after the first are whole milliseconds. */
function listTimes({ count, start, step }: Grid): number[] {
  const [startMs, stepMs] = [Math.round(start * 1000), Math.round(step * 1000)]
  return Array.from({ length: count }, (_, at) => (at === 0 ? start : (startMs + at * stepMs) / 1000))
}

type Labelled = Pick<Series, 'labels'>

/** Collects texts of the labels of series, each once, in order. */
function* collect(
  all: Iterable<Labelled>,
  list: (labels: Series['labels']) => readonly string[]
): Steps<string[]> {
  const pauses = new Pauses()
  const found = new Set<string>()
  for (const { labels } of all) {
    for (const text of list(labels)) found.add(text)
    if (pauses.isDue(1)) yield
  }
  return [...found].toSorted()
}

/** Formats the value of each series as JSON, joined by commas. */
function* formatVector(rows: readonly Row[], time: number): Steps<string> {
  const pauses = new Pauses()
  const texts: string[] = []
  for (const {
    labels,
    values: [value]
  } of rows) {
    if (value !== undefined)
      texts.push(`{"metric":${JSON.stringify(labels)},"value":${formatPoint(time, value)}}`)
    if (pauses.isDue(10)) yield
  }
  return texts.join(',')
}

/** Formats series of values as JSON, in order of time, joined by commas. */
function* formatRows(rows: readonly Row[], times: readonly number[]): Steps<string> {
  const pauses = new Pauses()
  const texts: string[] = []
  for (const { labels, values } of rows) {
    const points: string[] = []
    for (const [at, value] of values.entries()) {
      if (value !== undefined) points.push(formatPoint(times[at]!, value))
      if (pauses.isDue(1)) yield
    }
    texts.push(`{"metric":${JSON.stringify(labels)},"values":[${points.join(',')}]}`)
  }
  return texts.join(',')
}

function formatPoint(time: number, value: number): string {
  return `[${time},"${Number.isFinite(value) ? value : Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf'}"]`
}
