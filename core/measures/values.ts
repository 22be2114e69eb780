/** Reads the numbers of a measure, source by source, on a grid. */
import type { MeasureScope } from '../../storage/measures/measure-streams.js'
import type { TimeGrid } from '../../storage/measures/time-grid.js'
import type { SourceValues } from '../../storage/measures/values-run.js'
import type { ValueCells } from '../../storage/measures/value-cells.js'
import type { Call } from '../call/method.js'
import { LargeGrid } from './grids.js'
import { KnownMeasures, type MeasureForm } from './known-measures.js'
import { orderSources } from './order-sources.js'
import type { Items, StartedRun } from './run-listing.js'
import { createMeasureScope, listMeasuredTypes } from './scope.js'
import { createSharedKey } from './share-read.js'

interface ValuesRequest {
  readonly measure: MeasureForm
  /** The `streams` parameter. */
  readonly streams: unknown
  readonly grid: TimeGrid | LargeGrid
  /** Event type in which numbers are given; by default the first of the measure. */
  readonly unit?: string | undefined
  /** True to find only the last number in each cell of the grid. */
  readonly findsLasts?: boolean
  /** Set if calls share one read. */
  readonly shared?: {
    /** Text for the scope: see `describeMeasureScope`. */
    readonly scope: string
    /** What the grid has been made from. */
    readonly gridParams: unknown
  }
}

/** The values of a source. */
export interface OrderedSource {
  readonly streamId: string
  /** For each value of a content. */
  readonly values: readonly ValueCells[]
}

const numericKinds: ReadonlySet<string> = new Set(['level', 'sum', 'pair'])

/** Returns whether a measure's values are numbers with a unit. */
export function isNumeric({ kind }: Pick<MeasureForm, 'kind'>): boolean {
  return numericKinds.has(kind)
}

/** Starts a read. `finish` receives the sources that have data in order of preference. */
export function startValues(
  call: Call,
  { findsLasts = false, grid, measure, shared, streams, unit }: ValuesRequest,
  finish: (sources: readonly OrderedSource[]) => Items
): StartedRun<readonly SourceValues[]> {
  const scope: MeasureScope = createMeasureScope(call, new KnownMeasures(call), streams)
  const types = listMeasuredTypes(call, measure, isNumeric(measure) ? (unit ?? measure.types[0]!) : undefined)
  const run = call.store.measures.createValues(
    {
      scope,
      measure: measure.id,
      measureTypes: measure.types,
      types,
      getGrid: () => (grid instanceof LargeGrid ? grid.get() : grid),
      gridCells: grid instanceof LargeGrid ? grid.cells : 0,
      width: measure.kind === 'pair' ? (measure.fields?.length ?? 1) : 1,
      spreads: measure.kind === 'sum' && !findsLasts,
      findsLasts
    },
    shared &&
      createSharedKey(call, shared.scope, ['values', measure, types, unit, findsLasts, shared.gridParams])
  )
  return {
    run,
    *finish(getReader, sources) {
      yield* finish(yield* orderSources(getReader, scope, measure.id, sources))
    }
  }
}
