/** A sample of a range, as a list that is read chunk by chunk. */
import type { SampledPage, Sampler } from '../../storage/series/sampler.js'
import type { Listing } from '../json/json-text.js'
import type { Reader } from '../call/reader.js'
import { timeColumn, type ColumnPlan } from './column-plan.js'

export class SampledListing implements Listing<Reader> {
  constructor(private readonly sampler: Sampler) {}

  next({ store: { series } }: Reader): SampledPage {
    return series.sample(this.sampler)
  }
}

/** A column, and the place of its cell in a row. */
interface IndexedColumn {
  readonly name: string
  readonly place: number
}

/** Those columns of a series whose values are numbers. */
export function selectNumericColumns(plan: ColumnPlan, columns: readonly string[]): IndexedColumn[] {
  return columns
    .map((name, index) => ({ name, place: index + 1 }))
    .filter(({ name }) => plan.get(name)?.isNumeric)
}

/** The fields of the rows that sum up parts of a range. */
export function listSummaryFields(columns: readonly IndexedColumn[]): string[] {
  return [
    timeColumn,
    'count',
    ...columns.flatMap(({ name }) => [`${name}.min`, `${name}.max`, `${name}.mean`])
  ]
}
