/** Aggregates the numbers of a measure into parts of a time range, over all its sources. (docs/api/measure-methods.md#samples) */
import { Type, type Static } from 'typebox'
import { closed, Identifier, orNull, Timestamp } from '../../../schemas/scalars.js'
import type { TimeGrid } from '../../../storage/measures/time-grid.js'
import { describeMergedScope } from '../../audit/read-scope.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { createPartGrid, createSlotGrid, LargeGrid, listDaysWithin } from '../../measures/grids.js'
import { KnownMeasures, TypeName, type MeasureForm } from '../../measures/known-measures.js'
import { describeHiddenState } from '../../measures/order-sources.js'
import {
  addCounts,
  listFigures,
  mergeLasts,
  mergeLevels,
  toFinite,
  type MergedLevel
} from '../../measures/merge-levels.js'
import { mergeSums } from '../../measures/merge-sums.js'
import { assertNoAudit, assertUnit, MeasureId } from '../../measures/params.js'
import { RunListing, type Items } from '../../measures/run-listing.js'
import { isNumeric, startValues, type OrderedSource } from '../../measures/values.js'
import { refuseParams } from '../../validation/params.js'
import { assertZone } from '../../validation/zones.js'
import { omitNulls, type WithoutNulls } from '../../validation/omit-nulls.js'

const Params = Type.Object(
  {
    measure: MeasureId,
    /** See core/events/streams-query.ts. */
    streams: Type.Optional(Type.Unknown()),
    fromTime: Timestamp,
    toTime: Timestamp,
    parts: Type.Integer({ minimum: 1, maximum: 4000 }),
    merge: orNull(Type.Enum(['preferred', 'each'])),
    /** True for the last numbers instead. */
    last: orNull(Type.Boolean()),
    unit: orNull(TypeName),
    /** Time zone of the days whose hours are the slots of sums. */
    zone: orNull(Type.String()),
    /** The token, if it is sent as a parameter; it has been read before. */
    auth: Type.Optional(Type.String())
  },
  closed
)
type Params = WithoutNulls<Static<typeof Params>>

/** A number, or one for each of a pair. */
const Numbers = Type.Union([Type.Number(), Type.Array(Type.Union([Type.Number(), Type.Null()]))])

const Sample = Type.Object({
  time: Timestamp,
  count: Type.Optional(Type.Integer()),
  min: Type.Optional(Numbers),
  max: Type.Optional(Numbers),
  mean: Type.Optional(Numbers),
  sum: Type.Optional(Type.Number()),
  last: Type.Optional(Numbers),
  source: Type.Optional(Identifier)
})

/** Longest range of sums, in seconds: thirty years. */
const maxSumRange = 10_958 * 86_400
/** Greatest distance of dates from 1970, in seconds: the slots of sums are hours of days. */
const maxDate = 8.6e12

/**
 * Returns the samples that have data, in order of time: with `merge: 'each'` for each source, else one list.
 * A sum has no mean, and its range at most 30 years.
 */
export const sample = method({
  id: 'measures.sample',
  summary: 'Aggregate the numbers of a measure for a chart',
  params: Params,
  result: Type.Object({
    samples: Type.Optional(Type.Array(Sample)),
    sources: Type.Optional(Type.Array(Type.Object({ streamId: Identifier, samples: Type.Array(Sample) })))
  }),
  mode: 'read',
  allow: anyAccess,
  isCacheable: () => true,
  hiddenState: describeHiddenState,
  run(call, all) {
    const params = omitNulls(all)
    const { fromTime: from, merge = 'preferred', streams, toTime: to, unit, zone = 'UTC' } = params
    const [measure] = new KnownMeasures(call).require([params.measure])
    assertZone(zone, '#/zone')
    assertUnit(measure!, unit)
    if (from >= to)
      refuseParams([{ code: 'MINIMUM', message: 'must be later than fromTime', path: '#/toTime' }])
    if (measure!.kind === 'sum') {
      if (to - from > maxSumRange)
        refuseParams([{ code: 'MAXIMUM', message: 'must be within 30 years of fromTime', path: '#/toTime' }])
      if (from < -maxDate || to > maxDate)
        refuseParams([{ code: 'MAXIMUM', message: 'must be a date of a calendar', path: '#/fromTime' }])
    }
    assertNoAudit(streams)
    call.auditScope = describeMergedScope(call.caller, streams, { from, to })
    const sampler = createSampler(params, measure!, zone)
    const listing = new RunListing(call, streams, (reading, scope) => {
      const shared = { scope, gridParams: [from, to, params.parts, zone] }
      const { findsLasts = false, grid } = sampler
      const request = { measure: measure!, streams, grid, unit, findsLasts, shared }
      return startValues(reading, request, sources =>
        merge === 'each' ? listSources(sampler, sources) : sampler.list(sources, true)
      )
    })
    return merge === 'each' ? { sources: listing } : { samples: listing }
  }
})

/** Lists each source with its samples. */
function* listSources(sampler: Sampler, sources: readonly OrderedSource[]): Items {
  for (const source of sources) {
    const texts: string[] = []
    for (const item of sampler.list([source], false)) {
      if (item) texts.push(item.text)
      yield
    }
    const { streamId } = source
    yield { key: streamId, text: `{"streamId":${JSON.stringify(streamId)},"samples":[${texts.join(',')}]}` }
  }
}

interface Sampler {
  readonly grid: TimeGrid | LargeGrid
  readonly findsLasts?: boolean
  /** Lists the samples of sources in order of preference. */
  list(sources: readonly OrderedSource[], namesSource: boolean): Items
}

function createSampler(params: Params, measure: MeasureForm, zone: string): Sampler {
  if (params.last) return new LastSampler(params, measure)
  return measure.kind === 'sum' ? new SumSampler(params, zone) : new LevelSampler(params, measure)
}

/** The last number of each part, by time, whatever source it is of. */
class LastSampler implements Sampler {
  readonly findsLasts = true
  readonly grid

  constructor(
    { fromTime, parts, toTime }: Params,
    private readonly measure: MeasureForm
  ) {
    this.grid = createPartGrid(fromTime, toTime, parts)
  }

  *list(sources: readonly OrderedSource[], namesSource: boolean): Items {
    const merged = yield* mergeLasts(sources)
    for (const [part, found] of [...merged].toSorted(([a], [b]) => a - b)) {
      const numbers = found.map(each => (each === undefined ? undefined : toFinite(each.value)) ?? null)
      const last = this.measure.kind === 'pair' ? numbers : (numbers[0] ?? undefined)
      const source = namesSource ? found.find(each => each !== undefined)?.streamId : undefined
      yield { key: part, text: JSON.stringify({ time: this.grid.starts[part], last, source }) }
    }
  }
}

/** Samples of sums. */
class SumSampler implements Sampler {
  readonly grid: LargeGrid
  readonly #starts: ArrayLike<number>

  constructor({ fromTime, parts, toTime }: Params, zone: string) {
    const partGrid = createPartGrid(fromTime, toTime, parts)
    this.#starts = partGrid.starts
    this.grid = new LargeGrid(fromTime, toTime, () =>
      createSlotGrid(listDaysWithin(zone, fromTime, toTime), partGrid)
    )
  }

  *list(sources: readonly OrderedSource[], namesSource: boolean): Items {
    const merged = yield* mergeSums(sources, this.grid.get())
    for (const [part, { count, streamId, sum }] of [...merged].toSorted(([a], [b]) => a - b)) {
      const figures = { time: this.#starts[part], count, sum: toFinite(sum) }
      yield { key: part, text: JSON.stringify({ ...figures, ...(namesSource && { source: streamId }) }) }
    }
  }
}

/** Samples of everything else: numbers, or counts. */
class LevelSampler implements Sampler {
  readonly grid

  constructor(
    { fromTime, parts, toTime }: Params,
    private readonly measure: MeasureForm
  ) {
    this.grid = createPartGrid(fromTime, toTime, parts)
  }

  *list(sources: readonly OrderedSource[], namesSource: boolean): Items {
    const hasNumbers = isNumeric(this.measure) || this.measure.kind === 'category'
    const merged = yield* hasNumbers ? mergeLevels(sources) : addCounts(sources)
    for (const [part, level] of [...merged].toSorted(([a], [b]) => a - b))
      yield { key: part, text: this.#format(this.grid.starts[part]!, level, namesSource) }
  }

  #format(time: number, { count, numbers, streamId }: MergedLevel, namesSource: boolean): string {
    const source = namesSource ? streamId : undefined
    if (!numbers) return JSON.stringify({ time, count, source })
    const { max, mean, min } = listFigures(numbers, this.measure.kind === 'pair')
    return JSON.stringify({ time, count, min, max, mean, source })
  }
}
