/** The series that an access can query: each measure over all its sources, by source, and by day. (docs/api/grafana.md#names) */
import { Pauses } from '../../core/measures/pauses.js'
import { findMeasure } from '../../schemas/measures/catalogue.js'
import type { Measure } from '../../schemas/measures/measure.js'
import { runInTurns, type Steps } from '../../storage/steps.js'
import { readStreams, type PlacedStream, type UserCalls } from '../user-calls.js'
import type { Matcher } from './promql.js'
import { compilePattern } from './pattern.js'
import { refuseMalformed, refuseUnsupported } from './query-error.js'

/**
 * What the values are: samples of all sources by the user's order of preference, samples of one source, or one value for each day.
 */
export type Shape = 'merged' | 'source' | 'day'

export interface Series {
  readonly labels: Readonly<Record<string, string>>
  readonly shape: Shape
  readonly measure: Measure
  /** The source, if the shape is `source`. */
  readonly streamId?: string
  /** Which number of a pair. */
  readonly index?: number
}

/** A result of `measures.facts`, as far as it is used. */
interface Fact {
  readonly measure: string
  readonly sources: readonly { readonly streamId: string }[]
}

/** Lists all series, in the order of measures. The user's own measures are not among them. */
export async function listSeries(calls: UserCalls): Promise<Series[]> {
  const { facts } = await calls.call<{ facts: readonly Fact[] }>('measures.facts', {})
  const known = facts.filter(({ measure }) => findMeasure(measure))
  return known.length === 0 ? [] : await runInTurns(listShapes(known, await readStreams(calls)))
}

function* listShapes(facts: readonly Fact[], streams: ReadonlyMap<string, PlacedStream>): Steps<Series[]> {
  const pauses = new Pauses()
  const all: Series[] = []
  for (const { measure: id, sources } of facts) {
    const measure = findMeasure(id)!
    all.push(...listShape(measure, 'merged'), ...listShape(measure, 'day'))
    for (const streamId of new Set(sources.map(source => source.streamId))) {
      const place = streams.get(streamId)
      let top = place
      while (top?.above) top = top.above
      all.push(
        ...listShape(measure, 'source', { streamId, name: place?.stream.name, source: top?.stream.name })
      )
      if (pauses.isDue(10)) yield
    }
  }
  return all
}

/** Lists the series of a shape: one, or one for each number of a pair. */
function listShape(
  measure: Measure,
  shape: Shape,
  source?: {
    readonly streamId: string
    readonly name: string | undefined
    readonly source: string | undefined
  }
): Series[] {
  if (shape === 'source' && !isNumeric(measure)) return []
  const own = {
    measure: measure.id,
    ...(isNumeric(measure) && { unit: measure.types[0]! }),
    ...(source && {
      stream: source.streamId,
      stream_name: source.name ?? source.streamId,
      source: source.source ?? source.streamId
    })
  }
  const base = getBaseName(measure, shape)
  return listFields(measure).map((field, index) => ({
    labels: { __name__: field === undefined ? base : `${base}_${toName(field)}`, ...own },
    shape,
    measure,
    ...(source && { streamId: source.streamId }),
    ...(field !== undefined && { index })
  }))
}

/** Returns whether samples of a measure have numbers besides their count. */
export function isNumeric({ kind, types }: Measure): boolean {
  return (kind === 'level' || kind === 'pair' || kind === 'sum') && types.length > 0
}

/** Lists the numbers of a measure by name; `undefined` for the only one. */
function listFields({ fields, kind }: Measure): (string | undefined)[] {
  if (kind !== 'pair') return [undefined]
  return (fields ?? ['first', 'second']).map(path => path.split('.').at(-1)!)
}

function getBaseName({ id, types }: Measure, shape: Shape): string {
  if (shape === 'merged') return `coffer_measure_${toName(id)}`
  if (shape === 'day') return `coffer_daily_${toName(id)}`
  return `coffer_${toName(types[0]!)}`
}

/** Returns a name with the characters that names of metrics may have. */
function toName(text: string): string {
  return text.replaceAll(/[^a-zA-Z0-9_]/g, '_')
}

const helps: Readonly<Record<Shape, string>> = {
  merged: ', over all sources',
  source: ', by source',
  day: ', by day'
}

/** Describes each metric: what it counts, and its unit. */
export function* describeMetrics(all: readonly Series[]): Steps<object> {
  const pauses = new Pauses()
  const described = new Map<string, object>()
  for (const { labels, measure, shape } of all) {
    if (pauses.isDue(1)) yield
    const name = labels['__name__']!
    if (described.has(name)) continue
    const hasNumbers = isNumeric(measure)
    const counts = !hasNumbers && shape === 'merged' ? ': number of events' : ''
    const help = `${measure.names.en}${counts}${helps[shape]}`
    const unit = hasNumbers ? measure.types[0]!.split('/')[1]! : ''
    described.set(name, [{ type: 'gauge', help, unit }])
  }
  return Object.fromEntries(described)
}

/** Returns the value of a label; `undefined` for a series without it. */
export function findLabel(labels: Series['labels'], name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined
}

/** Maximum number of characters of the labels of selected series, as JSON: each has the name of its topmost stream. */
const maxLabelsLength = 16 * 1024 * 1024

/** Throws a `QueryError` if the labels of series have too many characters together: they take memory until the response has been sent. */
export function* assertShortLabels(found: Iterable<Pick<Series, 'labels'>>): Steps<void> {
  const pauses = new Pauses()
  let length = 0
  for (const { labels } of found) {
    length += JSON.stringify(labels).length
    if (length > maxLabelsLength)
      refuseUnsupported(
        `The labels of the series have more than ${maxLabelsLength} characters. Select fewer series`
      )
    if (pauses.isDue(10)) yield
  }
}

/** Longest time that the patterns of a request may take, in milliseconds. */
const maxPatternMs = 500
/** Maximum number of labels that the matchers of a request are compared with. */
const maxComparisons = 20_000_000

/** Selects series by the matchers of one request. */
export class SeriesSelector {
  #patternMs = 0
  #comparisons = 0

  constructor(private readonly all: readonly Series[]) {}

  /**
   * Returns the series whose labels match all matchers. A label that a series does not have is empty. Throws a `QueryError` if all
   * matchers match what is empty, as in Prometheus: that selects nothing in particular.
   */
  *select(matchers: readonly Matcher[]): Steps<readonly Series[]> {
    const pauses = new Pauses()
    const tests: { readonly label: string; readonly matches: (text: string) => boolean }[] = []
    let selects = false
    for (const matcher of matchers) {
      const matches = this.#createTest(matcher)
      tests.push({ label: matcher.label, matches })
      selects ||= !matches('')
      yield
    }
    if (!selects) refuseMalformed('A selector needs a name, or a label that is not empty')
    let found = this.all
    for (const { label, matches } of tests) {
      const kept: Series[] = []
      const results = new Map<string, boolean>()
      this.#comparisons += found.length
      if (this.#comparisons > maxComparisons)
        refuseUnsupported('The matchers are too many for that many series. Use fewer selectors or matchers')
      for (const series of found) {
        const text = findLabel(series.labels, label) ?? ''
        let result = results.get(text)
        if (result === undefined) {
          result = matches(text)
          results.set(text, result)
          yield
        }
        if (result) kept.push(series)
        if (pauses.isDue(1)) yield
      }
      found = kept
    }
    return found
  }

  #createTest({ operator, value }: Matcher): (text: string) => boolean {
    if (operator === '=') return text => text === value
    if (operator === '!=') return text => text !== value
    const matches = this.#time(() => compilePattern(value))
    return text => this.#time(() => matches(text)) === (operator === '=~')
  }

  /** Does work whose time counts. Throws a `QueryError` once the patterns of the request have taken too long. */
  #time<T>(work: () => T): T {
    const start = performance.now()
    const result = work()
    this.#patternMs += performance.now() - start
    if (this.#patternMs > maxPatternMs)
      refuseUnsupported('The regular expressions of the query take too long. Use simpler ones')
    return result
  }
}
