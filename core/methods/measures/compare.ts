/** Returns how the values of two measures go together, day by day. (docs/api/measure-methods.md#comparing) */
import { Type } from 'typebox'
import { closed, orNull } from '../../../schemas/scalars.js'
import { anyAccess } from '../../auth/allow.js'
import { method } from '../../call/method.js'
import { ComparisonListing } from '../../measures/comparison.js'
import { dateParams, readDateRange } from '../../measures/date-range.js'
import { KnownMeasures } from '../../measures/known-measures.js'
import { describeHiddenState } from '../../measures/order-sources.js'
import { MeasureId } from '../../measures/params.js'
import { refuseParams } from '../../validation/params.js'
import { omitNulls } from '../../validation/omit-nulls.js'

/** The correlation is absent if there are too few days, or if one of the values is always the same. */
const Lag = Type.Object({
  /** The other measure is this many days later. */
  lag: Type.Integer(),
  /** Number of days on which both have values. */
  days: Type.Integer(),
  rho: Type.Optional(Type.Number()),
  low: Type.Optional(Type.Number()),
  high: Type.Optional(Type.Number())
})

/**
 * Spearman's rank correlation of the days' values, for each lag. Throws `invalid-parameters-format` for
 * measures of words.
 */
export const compare = method({
  id: 'measures.compare',
  summary: 'Compare two measures day by day',
  params: Type.Object(
    {
      measure: MeasureId,
      other: MeasureId,
      ...dateParams,
      maxLag: orNull(Type.Integer({ minimum: 0, maximum: 3 }))
    },
    closed
  ),
  result: Type.Object({ lags: Type.Array(Lag) }),
  mode: 'read',
  allow: anyAccess,
  isCacheable: () => true,
  hiddenState: describeHiddenState,
  run(call, params) {
    const { maxLag = 3, measure, other, ...range } = omitNulls(params)
    const [first, second] = new KnownMeasures(call).require([measure, other])
    for (const [path, { id, kind }] of [
      ['#/measure', first!],
      ['#/other', second!]
    ] as const)
      if (kind === 'category')
        refuseParams([
          { code: 'INVALID', message: `must be a measure with numbers; "${id}" has words`, path }
        ])
    const { days } = readDateRange(call, range)
    const { streams } = range
    return { lags: new ComparisonListing(call, { measures: [first!, second!], streams, days, maxLag }) }
  }
})
