/** `hfs.get`: reads the points below a holder event. (docs/spec/series.md#reading-points) */
import { Type } from 'typebox'
import type { Range } from '../../../storage/series/page.js'
import type { SampleOptions, SampledPage, Sampler } from '../../../storage/series/sampler.js'
import type { UserStore } from '../../../storage/user/user-store.js'
import { closed, Identifier, orNull } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { describePointsScope } from '../../audit/read-scope.js'
import { omitNulls } from '../../validation/omit-nulls.js'
import type { Listing } from '../../json/json-text.js'
import { method } from '../../call/method.js'
import { guardListing, requireReadableHolder } from '../../series/holder.js'
import { PointListing, bounds, assertRangeOrder, resolveRange } from '../../series/listing.js'
import { planColumns, timeColumn, listSummaryFields, selectNumericColumns } from '../../series/column-plan.js'
import { refuseParams } from '../../validation/params.js'
import type { Reader } from '../../call/reader.js'

/**
 * Reads points by deltaTime: from `fromDeltaTime` on, up to but not including `toDeltaTime`, by default the
 * present. Beyond the specification: `limit`; `sortAscending: false` for the last points first; `sample` for
 * the extremes of so many equal buckets of the range, with `summary: true` one row of aggregates per bucket;
 * `resolution: 'ns'` for deltaTimes as precise as they were written. A series without points has no fields.
 */
export const get = method({
  id: 'hfs.get',
  summary: 'Get points of a series',
  params: Type.Object(
    {
      id: Identifier,
      ...bounds,
      limit: orNull(Type.Integer({ minimum: 0 })),
      sortAscending: orNull(Type.Boolean()),
      sample: orNull(Type.Integer({ minimum: 1, maximum: 100_000 })),
      summary: orNull(Type.Boolean()),
      resolution: orNull(Type.Enum(['ms', 'ns']))
    },
    closed
  ),
  result: Type.Object({
    format: Type.Literal('flatJSON'),
    fields: Type.Array(Type.String()),
    points: Type.Array(Type.Array(Type.Unknown()))
  }),
  mode: 'read',
  allow: anyAccess,
  run(call, params) {
    const given = omitNulls(params)
    const { id, limit = Infinity, sortAscending, sample, summary = false, resolution } = given
    assertRangeOrder(given)
    if (summary && sample === undefined)
      refuseParams([
        {
          code: 'OBJECT_MISSING_REQUIRED_PROPERTY',
          message: 'requires "sample", the number of parts',
          path: '#/summary'
        }
      ])
    const { services, store, now } = call
    const holder = requireReadableHolder(call, id)
    const { number: event, time, type } = holder
    const range = resolveRange(given, holder, now)
    const until = given.toDeltaTime === undefined ? now : time + range.to
    call.auditScope = describePointsScope(call, holder, { from: time + range.from, to: until })
    const columns = store.series.getColumns(event)
    if (!columns) return { format: 'flatJSON', fields: [], points: [] }
    const form = { event, width: columns.length + 1, isFine: resolution === 'ns' }
    const summed = summary ? selectNumericColumns(planColumns(services.eventTypes, type), columns) : undefined
    const points =
      sample === undefined
        ? new PointListing({ ...form, range, limit, isAscending: sortAscending ?? true, allowsBytes: true })
        : createSampledListing(store, {
            ...form,
            range,
            buckets: sample,
            summedCells: summed?.map(({ place }) => place)
          })
    return {
      format: 'flatJSON',
      fields: summed ? listSummaryFields(summed) : [timeColumn, ...columns],
      points: points ? guardListing(holder, columns, points) : []
    }
  }
})

/**
 * Samples the points in the range, limited to existing points: an open end must not make the buckets endless.
 * Returns `undefined` if there are none.
 */
function createSampledListing(store: UserStore, query: SampleOptions): Listing<Reader> | undefined {
  const ends = store.series.getBounds(query.event)
  const { first, until } = ends ?? { first: 0, until: 0 }
  const range: Range = {
    from: Math.max(query.range.from, first),
    // A millisecond may be too small to change a very large time.
    to: Math.min(query.range.to, until + Math.max(1e-3, until * Number.EPSILON))
  }
  return range.from < range.to
    ? new SampledListing(store.series.createSampler({ ...query, range }))
    : undefined
}

/** A sample of a range, as a list that is read chunk by chunk. */
class SampledListing implements Listing<Reader> {
  constructor(private readonly sampler: Sampler) {}

  next({ store: { series } }: Reader): SampledPage {
    return series.sample(this.sampler)
  }
}
