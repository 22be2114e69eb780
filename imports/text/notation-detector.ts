/** Detects from all rows of a table how its numbers and dates are written, and which questions remain. */
import type { ColumnMapping, DateOrder, Decimals, Mapping, Question } from '../record.js'
import { parseCellTime, findDateOrders } from './cell-times.js'
import { toNumberValue, parseWrittenNumber } from './cell-numbers.js'

/** Maximum number of example cells per question. */
const maxExamples = 3

/** Plausible ranges of values by stream and type. Values outside of them were written in another format. */
const plausibleRanges: Readonly<Record<string, ValueRange>> = {
  'Weight mass/kg': [0.2, 700],
  'Weight mass/lb': [0.4, 1550],
  'Weight mass/st': [0.03, 110],
  'Weight mass/g': [200, 700_000],
  'frequency/bpm': [1, 1000],
  'Resting heart rate frequency/bpm': [10, 500],
  'frequency/brpm': [1, 200],
  'Blood pressure blood-pressure/mmhg-bpm': [10, 500],
  'Body fat ratio/percent': [1.5, 90],
  'Oxygen saturation ratio/percent': [20, 100],
  'Temperature temperature/c': [-100, 200],
  'Temperature temperature/f': [-150, 400],
  'Height length/cm': [10, 300],
  'Height length/m': [0.1, 3],
  'Height length/in': [4, 120],
  'Height length/ft': [0.3, 10],
  'Body measures length/cm': [1, 300],
  'Blood glucose density/mg-dl': [5, 3000],
  'Blood glucose density/mmol-l': [0.2, 170],
  'Heart rate variability time/ms': [0.5, 5000],
  'Steps count/steps': [0, 1_000_000]
}

/** Returns true if a value is plausible for a column. Caches the range of the column. */
export function isPlausibleValue(part: ColumnMapping, value: number): boolean {
  let range = rangeCache.get(part)
  if (range === undefined) rangeCache.set(part, (range = findRange(part)))
  return value >= range[0] && value <= range[1]
}

type ValueRange = readonly [least: number, most: number]

const rangeCache = new WeakMap<ColumnMapping, ValueRange>()

function findRange({ field, stream, type }: ColumnMapping): ValueRange {
  if (field === 'latitude') return [-90, 90]
  if (field === 'longitude') return [-180, 180]
  return (
    plausibleRanges[`${stream.split(', ', 1)[0]} ${type}`] ?? plausibleRanges[type] ?? [-Infinity, Infinity]
  )
}

/** Which cells of a row, by column, are numbers in an unambiguous format. */
export type NumberFlags = readonly (boolean | undefined)[]

/** What is known from the cells of a column. */
interface ColumnStatistics {
  readonly at: number
  readonly part: ColumnMapping | undefined
  readonly certain: Set<Decimals>
  /** Ambiguous separators. */
  readonly ambiguous: Set<',' | '.'>
  readonly impossible: Set<Decimals>
  readonly examples: string[]
  /** Largest number with a percent sign; `undefined` if there is none. */
  maxPercentage?: number
}

/** Matches a duration in hours, minutes and seconds. */
export const clockDuration = /^\s*(\d{1,3}):([0-5]\d):([0-5]\d)\s*$/

const separators: readonly Decimals[] = ['comma', 'point']

export class NotationDetector {
  readonly #columns: readonly ColumnStatistics[]
  #orders: readonly DateOrder[] | undefined
  #isMixed = false
  /** True if all dates have dots. */
  #isDotted = true
  /** First and last parts of dates with dots, either of which may be years. */
  readonly #firsts = new Set<string>()
  readonly #lasts = new Set<string>()
  readonly #dates = new Map<number, string[]>()
  /** True if some durations are written as hours, minutes and seconds. */
  #hasClockDurations = false
  #decimals: Map<number, Decimals | undefined> | undefined

  constructor(
    private readonly mapping: Mapping,
    private readonly delimiter: string,
    private readonly zone: string | undefined
  ) {
    const parts: [number, ColumnMapping | undefined][] = mapping.values
      .filter(({ type }) => !type.startsWith('note/'))
      .map(part => [part.column, part])
    if (mapping.end !== undefined) parts.push([mapping.end, undefined])
    this.#columns = parts.map(([at, part]) => ({
      at,
      part,
      certain: new Set(),
      ambiguous: new Set(),
      impossible: new Set(),
      examples: []
    }))
  }

  /** Adds the next row. */
  addRow(cells: readonly string[], numbers?: NumberFlags): void {
    const { end, time } = this.mapping
    this.#addDate(time, cells[time])
    if (end !== undefined) this.#addDate(end, cells[end])
    for (const column of this.#columns) {
      const cell = cells[column.at]
      if (column.at === end && clockDuration.test(cell ?? '')) this.#hasClockDurations = true
      if (cell?.endsWith('%')) addPercentage(column, cell)
      if (!numbers?.[column.at]) this.#addNumber(column, cell)
    }
  }

  /** Order of all dates; `undefined` if it is ambiguous or mixed. */
  get order(): DateOrder | undefined {
    if (this.mapping.dates !== undefined) return this.mapping.dates
    const orders = this.#orders
    if (orders === undefined) return 'dmy'
    if (this.#isMixed) return undefined
    if (orders.length === 1) return orders[0]
    if (!this.#isDotted || !orders.includes('dmy')) return undefined
    // Of two parts that may be years, the years are those that vary less.
    const isDayFirst = this.#firsts.size > 4 && this.#firsts.size >= 2 * this.#lasts.size
    return orders.includes('ymd') && !isDayFirst ? undefined : 'dmy'
  }

  /** Returns the decimal separator for ambiguous cells of a column; `undefined` if it is unknown. */
  getDecimals(column: number): Decimals | undefined {
    this.#decimals ??= this.#decideDecimals()
    return this.#decimals.get(column)
  }

  /**
   * Returns true if a number without a percent sign may be a fraction of 1: other cells of its column have percent signs, and as a
   * percentage it would be at most twice their maximum. A factor in the mapping removes the doubt.
   */
  mayBeFraction(part: ColumnMapping, value: number): boolean {
    if (part.type !== 'ratio/percent' || part.factor !== undefined || value === 0) return false
    const largest = this.#columns.find(({ at }) => at === part.column)?.maxPercentage
    const share = value * 100
    return (
      largest !== undefined && Math.abs(share) <= Math.max(100, 2 * largest) && isPlausibleValue(part, share)
    )
  }

  /**
   * True if numeric durations are in seconds or the mapping defines their unit, as no others are written as hours, minutes and
   * seconds.
   */
  get hasNumericDurations(): boolean {
    return this.mapping.endFactor !== undefined || !this.#hasClockDurations
  }

  /**
   * Lists what the cells leave open, each with its readings: the order of dates, and the decimal separator of
   * columns. Returns an empty list if no columns are mapped.
   */
  listQuestions(): Question[] {
    const { mapping, zone } = this
    const questions: Question[] = []
    if (this.order === undefined)
      for (const [column, cells] of this.#dates) {
        const orders = (['dmy', 'mdy', 'ymd'] as const).filter(order =>
          cells.some(cell => findDateOrders(cell).includes(order))
        )
        const readings = orders.map(order => [
          order,
          cells.map(cell => parseCellTime(cell, undefined, order, zone)).filter(time => !Number.isNaN(time))
        ])
        questions.push({ column, asks: 'dates', cells, readings: Object.fromEntries(readings) })
      }
    for (const { at, examples, part } of this.#columns) {
      if (examples.length === 0 || this.getDecimals(at) !== undefined) continue
      if (questions.some(({ asks, column }) => asks === 'decimals' && column === at)) continue
      const factor = part?.factor ?? 1
      const readings = separators.map(decimals => [
        decimals,
        examples.map(cell =>
          Number((toNumberValue(parseWrittenNumber(cell)!, decimals)! * factor).toPrecision(12))
        )
      ])
      questions.push({
        column: at,
        asks: 'decimals',
        cells: examples,
        readings: Object.fromEntries(readings)
      })
    }
    return mapping.values.length === 0 ? [] : questions
  }

  /** Narrows the possible orders of dates by a cell, and keeps the cell as an example if it is ambiguous. */
  #addDate(column: number, cell = ''): void {
    if (this.mapping.dates !== undefined) return
    const orders = findDateOrders(cell)
    if (orders.length === 0) return
    const remaining = (this.#orders ?? orders).filter(order => orders.includes(order))
    if (remaining.length === 0) this.#isMixed = true
    else this.#orders = remaining
    this.#isDotted &&= /^\D*\d+\./.test(cell)
    if (this.#isDotted && orders.length > 2) {
      const [first = '', , last = ''] = cell.split('.')
      this.#firsts.add(first.slice(-2))
      this.#lasts.add(last.slice(0, 2))
    }
    const times = new Set(orders.map(order => parseCellTime(cell, undefined, order, undefined)))
    if (times.size < 2) return
    const examples = this.#dates.get(column) ?? []
    if (examples.length < maxExamples) this.#dates.set(column, [...examples, cell.trim()])
  }

  /** Records which decimal separators a cell of a column proves or makes implausible. */
  #addNumber(
    { certain, examples, impossible, ambiguous, part }: ColumnStatistics,
    cell: string | undefined
  ): void {
    if (cell === undefined || !/[.,]/.test(cell)) return
    const written = parseWrittenNumber(cell)
    if (written?.decimals !== undefined) certain.add(written.decimals)
    if (written?.ambiguousSeparator === undefined) return
    ambiguous.add(written.ambiguousSeparator)
    if (examples.length < maxExamples) examples.push(cell.trim())
    if (!part) return
    for (const decimals of separators) {
      const value = toNumberValue(written, decimals)
      if (value !== undefined && !isPlausibleValue(part, value * (part.factor ?? 1))) impossible.add(decimals)
    }
  }

  /**
   * Decides the separators: by the column's cells, then by what it measures, then by other columns and the whole file, then by the
   * mapping.
   */
  #decideDecimals(): Map<number, Decimals | undefined> {
    const decided = new Map<number, Decimals | undefined>()
    const fileDecimals = new Set<Decimals>()
    const certainElsewhere = new Set(this.#columns.flatMap(({ certain }) => [...certain]))
    for (const column of this.#columns) {
      const decimals = findOwnDecimals(column, certainElsewhere)
      if (decimals !== undefined) decided.set(column.at, decimals)
      for (const each of column.certain) fileDecimals.add(each)
      if (decimals !== undefined && column.ambiguous.size > 0) fileDecimals.add(decimals)
    }
    const [onlyDecimals] = fileDecimals.size === 1 ? fileDecimals : []
    for (const column of this.#columns) {
      const { at, certain, ambiguous } = column
      if (decided.has(at)) continue
      if (isCount(column)) {
        decided.set(at, this.mapping.decimals)
        continue
      }
      // Dates with dots and semicolons as delimiters occur in countries where commas do not separate thousands.
      const isContinental =
        fileDecimals.size === 0 && this.delimiter === ';' && this.#orders !== undefined && this.#isDotted
      const fromFile = certain.size > 1 ? undefined : onlyDecimals
      decided.set(
        at,
        this.mapping.decimals ??
          fromFile ??
          (isContinental && ambiguous.has(',') && ambiguous.size === 1 ? 'comma' : undefined)
      )
    }
    return decided
  }
}

function addPercentage(column: ColumnStatistics, cell: string): void {
  const share = Math.abs(Number.parseFloat(cell.replace(',', '.')))
  if (!(share <= (column.maxPercentage ?? -1)) && !Number.isNaN(share)) column.maxPercentage = share
}

/** Returns true if a column contains counts. */
function isCount({ part }: ColumnStatistics): boolean {
  return part?.type.startsWith('count/') === true
}

/** Returns the separator that a column implies by itself, unless other columns contradict it. */
function findOwnDecimals(
  column: ColumnStatistics,
  certainElsewhere: ReadonlySet<Decimals>
): Decimals | undefined {
  const { certain, impossible, ambiguous } = column
  if (certain.size === 1) return [...certain][0]
  if (certain.size > 1 || ambiguous.size !== 1) return undefined
  const [mark] = ambiguous
  const [asDecimals, asThousands]: Decimals[] = mark === ',' ? ['comma', 'point'] : ['point', 'comma']
  // Counts are integers, except computed ones.
  if (isCount(column))
    return impossible.has(asThousands!) || certainElsewhere.has(asDecimals!) ? undefined : asThousands
  if (impossible.size !== 1) return undefined
  return impossible.has(asThousands!) ? asDecimals : asThousands
}
