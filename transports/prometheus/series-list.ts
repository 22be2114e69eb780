/** The series that an access can query: each measure over all its sources, by source, and by day. (docs/api/grafana.md#names) */
import { RE2JS } from 're2js'
import { Pauses } from '../../core/measures/pauses.js'
import { findMeasure } from '../../schemas/measures/catalogue.js'
import type { Measure } from '../../schemas/measures/measure.js'
import type { Steps } from '../../storage/steps.js'
import type { UserCalls } from '../user-calls.js'
import type { Matcher } from './promql.js'
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

interface Stream {
  readonly id: string
  readonly name: string
  readonly children?: readonly Stream[]
}

/** Lists all series, in the order of measures. The user's own measures are not among them. */
export async function listSeries(calls: UserCalls): Promise<Series[]> {
  const { facts } = await calls.call<{ facts: readonly Fact[] }>('measures.facts', {})
  const known = facts.flatMap(fact => {
    const measure = findMeasure(fact.measure)
    return measure ? [{ fact, measure }] : []
  })
  if (known.length === 0) return []
  const { streams } = await calls.call<{ streams: readonly Stream[] }>('streams.get', {})
  const places = new Map<string, { name: string; source: string }>()
  const note = (list: readonly Stream[], source?: string): void => {
    for (const { children = [], id, name } of list) {
      places.set(id, { name, source: source ?? name })
      note(children, source ?? name)
    }
  }
  note(streams)
  return known.flatMap(({ fact, measure }) => [
    ...listShape(measure, 'merged'),
    ...listShape(measure, 'day'),
    ...[...new Set(fact.sources.map(({ streamId }) => streamId))].flatMap(streamId =>
      listShape(measure, 'source', { streamId, ...places.get(streamId) })
    )
  ])
}

/** Lists the series of a shape: one, or one for each number of a pair. */
function listShape(
  measure: Measure,
  shape: Shape,
  source?: { readonly streamId: string; readonly name?: string; readonly source?: string }
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

/** Returns the value of a label; `undefined` for a series without it. */
export function findLabel(labels: Series['labels'], name: string): string | undefined {
  return Object.hasOwn(labels, name) ? labels[name] : undefined
}

/** Maximum size of a pattern: its characters, each as often as its repetitions may repeat them. */
const maxPatternSize = 10_000
/** Maximum number of branches of a pattern, times the length of a label: about 40 ms. */
const maxMatchWork = 150_000
/** Longest time that the patterns of a request may take, in milliseconds. */
const maxPatternMs = 500

/** Selects series by the matchers of one request. */
export class SeriesSelector {
  #patternMs = 0

  constructor(private readonly all: readonly Series[]) {}

  /** Returns the series whose labels match all matchers. */
  *select(matchers: readonly Matcher[]): Steps<readonly Series[]> {
    const pauses = new Pauses()
    let found = this.all
    for (const matcher of matchers) {
      const { label, operator, value } = matcher
      const isMatching = operator === '=' || operator === '=~'
      const matches = operator === '=' || operator === '!=' ? undefined : this.#createTest(value)
      const kept: Series[] = []
      const results = new Map<string, boolean>()
      for (const series of found) {
        const text = findLabel(series.labels, label) ?? ''
        let result = results.get(text)
        if (result === undefined) {
          result = matches ? matches(text) : text === value
          results.set(text, result)
          if (matches) yield
        }
        if (result === isMatching) kept.push(series)
        if (pauses.isDue(1)) yield
      }
      found = kept
    }
    return found
  }

  #createTest(value: string): (text: string) => boolean {
    const pattern = this.#time(() => compile(value))
    const branches = countBranches(value)
    return text => {
      if (branches * text.length > maxMatchWork)
        refuseUnsupported(`A regular expression is too large for long labels: "${value.slice(0, 100)}"`)
      return this.#time(() => pattern.matches(text))
    }
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

/**
 * Compiles a pattern of a matcher, which takes time linear in its size and in the length of a label, and matches whole labels.
 */
function compile(pattern: string): RE2JS {
  if (pattern.length * countRepetitions(pattern) > maxPatternSize)
    refuseUnsupported(`A regular expression is too large: repeat less in "${pattern.slice(0, 100)}"`)
  try {
    return RE2JS.compile(pattern)
  } catch {
    return refuseMalformed(`"${pattern.slice(0, 100)}" is not a regular expression of RE2`)
  }
}

/** Returns how often a pattern may repeat its characters. */
function countRepetitions(pattern: string): number {
  let repetitions = 1
  for (const [, least = '', most = ''] of pattern.matchAll(/\{(\d{1,9})(?:,(\d{1,9})?)?\}/g))
    repetitions += Math.max(Number(least), Number(most))
  return repetitions
}

/** Returns an upper bound of the branches of a pattern that are followed at the same time. */
function countBranches(pattern: string): number {
  return (1 + (pattern.match(/[*+?|{]/g)?.length ?? 0)) * countRepetitions(pattern)
}
