/** Decides by all rows of a table how its numbers and dates are written, and tells what stays open. */
import type { ColumnMapping, DateOrder, Decimals, Mapping, Question } from '../record.js'
import { cellTime, dateOrdersOf } from './cell-times.js'
import { valueOfNumber, writtenNumber } from './cells.js'

/** Cells that are shown with a question. */
const mostExamples = 3

/** The least and the most that values can be, by what they measure: beyond that they were written in another way. */
const limits: Readonly<Record<string, Range>> = {
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

/** Whether a measure can have a value. */
export function isPossible(part: ColumnMapping, value: number): boolean {
  let range = ranges.get(part)
  if (range === undefined) ranges.set(part, (range = rangeIn(part)))
  return value >= range[0] && value <= range[1]
}

type Range = readonly [least: number, most: number]

const ranges = new WeakMap<ColumnMapping, Range>()

function rangeIn({ field, stream, type }: ColumnMapping): Range {
  if (field === 'latitude') return [-90, 90]
  if (field === 'longitude') return [-180, 180]
  return limits[`${stream.split(', ', 1)[0]} ${type}`] ?? limits[type] ?? [-Infinity, Infinity]
}

/** For cells of a row, by their columns: whether they are numbers of which nothing is open. */
export type Numbers = readonly (boolean | undefined)[]

/** What the cells of a column tell. */
interface Column {
  readonly at: number
  readonly part: ColumnMapping | undefined
  readonly certain: Set<Decimals>
  /** Marks that may be either. */
  readonly open: Set<',' | '.'>
  readonly impossible: Set<Decimals>
  readonly examples: string[]
  /** The largest number with a sign of percent; `undefined` without one. */
  largestShare?: number
}

/** Hours, minutes and seconds of a length. */
export const clockLength = /^\s*(\d{1,3}):([0-5]\d):([0-5]\d)\s*$/

const both: readonly Decimals[] = ['comma', 'point']

export class Survey {
  readonly #columns: readonly Column[]
  #orders: readonly DateOrder[] | undefined
  #isMixed = false
  /** Whether all dates have points. */
  #isDotted = true
  /** First and last parts of dates with points, whose years may be the ones or the others. */
  readonly #firsts = new Set<string>()
  readonly #lasts = new Set<string>()
  readonly #dates = new Map<number, string[]>()
  /** Whether lengths are written as clocks show them. */
  #hasClockLengths = false
  #decided: Map<number, Decimals | undefined> | undefined

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
      open: new Set(),
      impossible: new Set(),
      examples: []
    }))
  }

  /** Takes one row after the other. */
  row(cells: readonly string[], numbers?: Numbers): void {
    const { end, time } = this.mapping
    this.#date(time, cells[time])
    if (end !== undefined) this.#date(end, cells[end])
    for (const column of this.#columns) {
      const cell = cells[column.at]
      if (column.at === end && clockLength.test(cell ?? '')) this.#hasClockLengths = true
      if (cell?.endsWith('%')) noteShare(column, cell)
      if (!numbers?.[column.at]) this.#number(column, cell)
    }
  }

  /** The order of all dates; `undefined` if it is open, or not the same in all. */
  get order(): DateOrder | undefined {
    if (this.mapping.dates !== undefined) return this.mapping.dates
    const orders = this.#orders
    if (orders === undefined) return 'dmy'
    if (this.#isMixed) return undefined
    if (orders.length === 1) return orders[0]
    if (!this.#isDotted || !orders.includes('dmy')) return undefined
    // Of two digits that may be years, those are that change least.
    const isDayFirst = this.#firsts.size > 4 && this.#firsts.size >= 2 * this.#lasts.size
    return orders.includes('ymd') && !isDayFirst ? undefined : 'dmy'
  }

  /** What stands before decimals where a cell alone does not tell it; `undefined` if that is open. */
  decimalsOf(column: number): Decimals | undefined {
    this.#decided ??= this.#decide()
    return this.#decided.get(column)
  }

  /**
   * Whether a number without a sign of percent may be a fraction of 1: other cells of its column have such signs, and it is not so large
   * that it would be more than twice the largest of these. A factor says what it is.
   */
  mayBeFraction(part: ColumnMapping, value: number): boolean {
    if (part.type !== 'ratio/percent' || part.factor !== undefined || value === 0) return false
    const largest = this.#columns.find(({ at }) => at === part.column)?.largestShare
    const share = value * 100
    return largest !== undefined && Math.abs(share) <= Math.max(100, 2 * largest) && isPossible(part, share)
  }

  /** Whether lengths that are numbers count seconds, as no others are written as clocks show them, or what the mapping says. */
  get hasCountedLengths(): boolean {
    return this.mapping.endFactor !== undefined || !this.#hasClockLengths
  }

  questions(): Question[] {
    const { mapping, zone } = this
    const questions: Question[] = []
    if (this.order === undefined)
      for (const [column, cells] of this.#dates) {
        const orders = (['dmy', 'mdy', 'ymd'] as const).filter(order =>
          cells.some(cell => dateOrdersOf(cell).includes(order))
        )
        const readings = orders.map(order => [
          order,
          cells.map(cell => cellTime(cell, undefined, order, zone)).filter(time => !Number.isNaN(time))
        ])
        questions.push({ column, asks: 'dates', cells, readings: Object.fromEntries(readings) })
      }
    for (const { at, examples, part } of this.#columns) {
      if (examples.length === 0 || this.decimalsOf(at) !== undefined) continue
      if (questions.some(({ asks, column }) => asks === 'decimals' && column === at)) continue
      const factor = part?.factor ?? 1
      const readings = both.map(decimals => [
        decimals,
        examples.map(cell =>
          Number((valueOfNumber(writtenNumber(cell)!, decimals)! * factor).toPrecision(12))
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

  #date(column: number, cell = ''): void {
    if (this.mapping.dates !== undefined) return
    const orders = dateOrdersOf(cell)
    if (orders.length === 0) return
    const left = (this.#orders ?? orders).filter(order => orders.includes(order))
    if (left.length === 0) this.#isMixed = true
    else this.#orders = left
    this.#isDotted &&= /^\D*\d+\./.test(cell)
    if (this.#isDotted && orders.length > 2) {
      const [first = '', , last = ''] = cell.split('.')
      this.#firsts.add(first.slice(-2))
      this.#lasts.add(last.slice(0, 2))
    }
    const times = new Set(orders.map(order => cellTime(cell, undefined, order, undefined)))
    if (times.size < 2) return
    const examples = this.#dates.get(column) ?? []
    if (examples.length < mostExamples) this.#dates.set(column, [...examples, cell.trim()])
  }

  #number({ certain, examples, impossible, open, part }: Column, cell: string | undefined): void {
    if (cell === undefined || !/[.,]/.test(cell)) return
    const written = writtenNumber(cell)
    if (written?.decimals !== undefined) certain.add(written.decimals)
    if (written?.open === undefined) return
    open.add(written.open)
    if (examples.length < mostExamples) examples.push(cell.trim())
    if (!part) return
    for (const decimals of both) {
      const value = valueOfNumber(written, decimals)
      if (value !== undefined && !isPossible(part, value * (part.factor ?? 1))) impossible.add(decimals)
    }
  }

  /** Cells of a column decide first, then what it measures, then other columns and the file as a whole, then the person. */
  #decide(): Map<number, Decimals | undefined> {
    const decided = new Map<number, Decimals | undefined>()
    const told = new Set<Decimals>()
    const elsewhere = new Set(this.#columns.flatMap(({ certain }) => [...certain]))
    for (const column of this.#columns) {
      const decimals = ofColumn(column, elsewhere)
      if (decimals !== undefined) decided.set(column.at, decimals)
      for (const each of column.certain) told.add(each)
      if (decimals !== undefined && column.open.size > 0) told.add(decimals)
    }
    const [ofFile] = told.size === 1 ? told : []
    for (const column of this.#columns) {
      const { at, certain, open } = column
      if (decided.has(at)) continue
      if (isCounted(column)) {
        decided.set(at, this.mapping.decimals)
        continue
      }
      // Dates with points and cells between semicolons are of countries where no comma stands between thousands.
      const isContinental =
        told.size === 0 && this.delimiter === ';' && this.#orders !== undefined && this.#isDotted
      const guess = certain.size > 1 ? undefined : ofFile
      decided.set(
        at,
        this.mapping.decimals ??
          guess ??
          (isContinental && open.has(',') && open.size === 1 ? 'comma' : undefined)
      )
    }
    return decided
  }
}

function noteShare(column: Column, cell: string): void {
  const share = Math.abs(Number.parseFloat(cell.replace(',', '.')))
  if (!(share <= (column.largestShare ?? -1)) && !Number.isNaN(share)) column.largestShare = share
}

/** Whether a column holds what is counted. */
function isCounted({ part }: Column): boolean {
  return part?.type.startsWith('count/') === true
}

/** What a column tells by itself, unless other columns contradict it. */
function ofColumn(column: Column, elsewhere: ReadonlySet<Decimals>): Decimals | undefined {
  const { certain, impossible, open } = column
  if (certain.size === 1) return [...certain][0]
  if (certain.size > 1 || open.size !== 1) return undefined
  const [mark] = open
  const [asDecimals, asThousands]: Decimals[] = mark === ',' ? ['comma', 'point'] : ['point', 'comma']
  // What is counted is whole, but for what programs have computed.
  if (isCounted(column))
    return impossible.has(asThousands!) || elsewhere.has(asDecimals!) ? undefined : asThousands
  if (impossible.size !== 1) return undefined
  return impossible.has(asThousands!) ? asDecimals : asThousands
}
