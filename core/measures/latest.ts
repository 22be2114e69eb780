/** Reads the latest value of a measure. (docs/api/measure-methods.md#facts) */
import type { LatestData } from '../../storage/measures/latest-data.js'
import type { MeasureFact } from '../../storage/measures/facts-run.js'
import { convertUnit } from '../../schemas/units.js'
import type { Row } from '../../storage/series/rows.js'
import type { Call } from '../call/method.js'
import { durationColumn } from '../series/column-plan.js'
import type { MeasureForm } from './known-measures.js'
import { readOwn } from './read-own.js'
import { listMeasuredTypes } from './scope.js'
import { isNumeric } from './values.js'

interface Latest {
  /** In seconds. */
  readonly time: number
  /** In seconds, for an event with a duration; `null` while it runs. */
  readonly duration?: number | null
  /** JSON of the content as stored; of a point: its values. `undefined` if there is none, or a long one. */
  readonly content: string | undefined
  /** The number, or those of a pair, in the unit of the measure. */
  readonly value?: number | readonly (number | null)[]
  /** The unit of `value`, an event type. */
  readonly unit?: string
}

const seriesPrefix = 'series:'

/** Returns the latest value of a fact whose data was read. Of a series, the last point that is not empty. */
export function readLatest(call: Call, measure: MeasureForm, { last, latest, type }: MeasureFact): Latest {
  const { content, point, until } = latest ?? {}
  if (point) return readLastPoint(call, measure, { last, type }, point)
  return {
    time: last,
    ...(until !== undefined && { duration: until === Infinity ? null : until - last }),
    content,
    ...readNumbers(call, measure, type, content === undefined ? undefined : JSON.parse(content))
  }
}

/** Returns the last data point that has a value. Without one, or if it is long, `content` is `undefined`. */
function readLastPoint(
  call: Call,
  measure: MeasureForm,
  { last, type }: Pick<MeasureFact, 'last' | 'type'>,
  { age, columns, row }: NonNullable<LatestData['point']>
): Latest {
  const time = last - age
  if (!row) return { time, content: undefined }
  const cells = columns.flatMap((name, index) =>
    name === durationColumn ? [] : [[name, index + 1] as const]
  )
  const content = toContent(cells, row)
  const duration = row[columns.indexOf(durationColumn) + 1 || row.length]
  return {
    time,
    ...(typeof duration === 'number' && { duration }),
    content: JSON.stringify(content),
    ...readNumbers(call, measure, type.slice(seriesPrefix.length), content)
  }
}

function toContent(cells: readonly (readonly [name: string, index: number])[], row: Row): unknown {
  const [only] = cells
  if (cells.length === 1 && only![0] === 'value') return row[only![1]]
  return Object.fromEntries(
    cells.flatMap(([name, index]) => (isPresent(row[index]) ? [[name, row[index]]] : []))
  )
}

function isPresent(value: unknown): boolean {
  return value !== null && value !== undefined
}

/** Returns the converted numbers in a content; nothing if there are none. */
function readNumbers(
  call: Call,
  measure: MeasureForm,
  type: string,
  content: unknown
): Pick<Latest, 'value' | 'unit'> {
  if (!isNumeric(measure)) return {}
  const [first] = measure.types
  // Amounts of money, for example, cannot be converted.
  const unit = convertUnit(1, type, first!, measure.molarMass) === undefined ? type : first!
  const measured = listMeasuredTypes(call, measure, unit).find(({ name }) => name === type)
  if (!measured) return {}
  const numbers = measured.fields.map(field => {
    const found = field === undefined ? content : readPath(content, field)
    return typeof found === 'number' ? measured.convert(found) : null
  })
  if (numbers.every(number => number === null)) return {}
  return { value: measure.kind === 'pair' ? numbers : numbers[0]!, unit }
}

/**
 * Reads a path in a content. Points of series have whole paths as names. Returns `undefined` if there is
 * nothing.
 */
export function readPath(content: unknown, path: string): unknown {
  return readOwn(content, path) ?? path.split('.').reduce(readOwn, content)
}
