/** Converts the rows of a table to records, and counts the rest. */
import type { SkipReason } from '../skip-reasons.js'
import type { ColumnMapping, Decimals, Mapping, Sink } from '../record.js'
import { parsePressure, toNumberValue, parseWrittenNumber } from '../text/cell-numbers.js'
import {
  clockDuration,
  isPlausibleValue,
  type NumberFlags,
  type NotationDetector
} from '../text/notation-detector.js'
import { findMeasure, scaleValue, secondsByType } from '../text/units.js'
import { getNightContent } from '../night-record.js'
import { groupColumns, type ColumnGroup } from './column-groups.js'
import { convertMeasure } from './column-units.js'
import { foldName } from './fold-name.js'
import { findAsleepColumns } from './nights.js'
import { RecordIdentities } from './record-identities.js'
import { isDateOnly, type RowTimeReader } from './row-times.js'

export const rowKind = 'row'
const pressure = 'blood-pressure/mmhg-bpm'

/** Reasons to skip a cell. */
const skipReasons = {
  open: 'of a number that may have decimals or thousands',
  text: 'of a value that is no number',
  fraction: 'of a number that may be a fraction or a percentage',
  impossible: 'of a value that is impossible for what it measures',
  zero: 'zero, which means that nothing was measured',
  unit: 'in a unit without a type here',
  code: 'of a kind without a type here'
} as const

/** The content of a cell: a value, a reason to skip it, or nothing. */
interface ParsedCell {
  readonly value?: unknown
  readonly reason?: SkipReason
  /** The type, if the cell has a different unit from its column. */
  readonly type?: string
}

interface ParsedContent {
  readonly content?: unknown
  readonly type?: string
  readonly reasons: readonly SkipReason[]
}

/** Position and columns of a table. */
interface TableInfo {
  readonly columns: readonly string[]
  /** The first column of a long table's measures. */
  readonly firstMeasure?: number | undefined
  /** Number of rows before the first record. */
  readonly skipped: number
  /** Maximum number of cells of a row. */
  readonly width: number
}

export class TableRowReader {
  readonly #groups: readonly ColumnGroup[]
  /** Columns of hours of sleep, by which nights count as sleep. */
  readonly #asleepColumns: readonly ColumnMapping[] | undefined
  readonly #mappedColumns: ReadonlySet<number | undefined>
  /** Number of cells of each unmapped column. */
  readonly #unmappedCounts = new Map<number, number>()
  readonly #identities = new RecordIdentities()
  /** Number of the current row, from 1. */
  #row: number
  #numbers: NumberFlags | undefined

  constructor(
    private readonly mapping: Mapping,
    private readonly survey: NotationDetector,
    private readonly times: RowTimeReader,
    private readonly sink: Sink,
    private readonly table: TableInfo
  ) {
    this.#row = table.skipped
    const { clock, description, end, source, time, values, zoneColumn } = mapping
    this.#mappedColumns = new Set([
      clock,
      description,
      end,
      source,
      time,
      zoneColumn,
      ...values.map(({ column }) => column)
    ])
    this.#groups = groupColumns(values)
    this.#asleepColumns = findAsleepColumns(values)
  }

  /**
   * Adds the records of a row. `numbers` marks the cells that are numbers with a decimal point, however other
   * cells are written. Skips the row, or what is missing of it, with the reason.
   */
  addRow(cells: readonly string[], at = this.#row + 1, numbers?: NumberFlags): void {
    this.#row = at
    this.#numbers = numbers
    const found = this.times.getTime(cells)
    if (cells.every(cell => cell.trim() === '')) {
      this.#skip(rowKind, 'empty')
      return
    }
    if (cells.length > this.table.width) {
      this.#skip(rowKind, 'of more cells than the header has names')
      return
    }
    const unknown = this.#findUnmappedMeasure(cells)
    if (unknown !== undefined) {
      this.#skip(`${rowKind}, ${unknown}`, skipReasons.code)
      return
    }
    this.#countUnmapped(cells)
    if ('reason' in found) {
      this.#skip(rowKind, found.reason)
      return
    }
    const { time } = found
    const { description, end, source } = this.mapping
    const endCell = end === undefined ? '' : (cells[end] ?? '').trim()
    const endTime = endCell === '' ? NaN : this.#parseEnd(endCell, end!, time, found.zone)
    const isDay =
      time % 900 === 0 &&
      isDateOnly(cells[this.mapping.time] ?? '', cells[this.mapping.clock ?? -1], this.survey.order ?? 'dmy')
    const details = description === undefined ? undefined : (cells[description] ?? '').trim() || undefined
    let name: string = rowKind
    for (const { parts, stream, type } of this.#groups) {
      const { content, reasons, type: ownType = type } = this.#parseContent(parts, cells)
      if (content !== undefined) {
        const isActivity = ownType === 'activity/plain'
        const duration = endTime > time ? endTime - time : undefined
        const value = this.#judgeNight(content, ownType, duration, cells)
        const text = isActivity ? (content as string) : details
        const from = source === undefined ? '' : (cells[source] ?? '').trim()
        this.sink.addRecord({
          kind: name,
          source: from,
          type: ownType,
          stream,
          time,
          duration,
          content: isActivity ? undefined : value,
          // Earlier versions imported all nights as time in bed.
          ...(value !== content && { identity: JSON.stringify(content) }),
          ...(text !== undefined && { description: text }),
          ...this.#identities.assign(
            content,
            text,
            isDay ? `${time} ${ownType} ${stream} ${from}` : undefined
          )
        })
        name = `${rowKind}, ${stream}`
      }
      for (const reason of reasons) {
        this.#skip(name, reason)
        name = `${rowKind}, ${stream}`
      }
    }
    if (name === rowKind) this.#skip(rowKind, 'without a number')
    else if (endCell !== '' && Number.isNaN(endTime))
      this.#skip(`${rowKind}, end`, 'of an end that cannot be read')
  }

  /** Counts the cells of each unmapped column as skipped. */
  finish(): void {
    const { columns } = this.table
    for (const [index, count] of [...this.#unmappedCounts].toSorted(([a], [b]) => a - b))
      this.sink.skip(`column ${columns[index] ?? index + 1}`, 'in a column that is not mapped', count)
  }

  #skip(name: string, reason: SkipReason): void {
    this.sink.skip(name, reason, 1, this.#row)
  }

  /** Returns the name of a row's measure if it is not mapped. */
  #findUnmappedMeasure(cells: readonly string[]): string | undefined {
    const { columns, firstMeasure = Infinity } = this.table
    for (let index = firstMeasure; index < cells.length; index++)
      if (!this.#mappedColumns.has(index) && cells[index]!.trim() !== '') return columns[index]
    return undefined
  }

  #countUnmapped(cells: readonly string[]): void {
    for (const [index, cell] of cells.entries())
      if (!this.#mappedColumns.has(index) && cell.trim() !== '')
        this.#unmappedCounts.set(index, (this.#unmappedCounts.get(index) ?? 0) + 1)
  }

  /** Returns the content of a record. A night counts as sleep if its hours of sleep fill it. */
  #judgeNight(
    content: unknown,
    type: string,
    duration: number | undefined,
    cells: readonly string[]
  ): unknown {
    const isNight = type === 'sleep/analysis' && (content as { analysis?: unknown }).analysis === 'inBed'
    if (!isNight || !this.#asleepColumns) return content
    const hours = this.#asleepColumns.map(part => {
      const { type: unit = part.type, value } = this.#parseValue(part, cells[part.column] ?? '')
      return typeof value === 'number' ? value * (secondsByType[unit] ?? NaN) : NaN
    })
    return getNightContent(
      hours.reduce((sum, each) => sum + each, 0),
      duration
    )
  }

  /** Parses an end: a duration, or a time. */
  #parseEnd(cell: string, column: number, start: number, zone: string | undefined): number {
    const parts = clockDuration.exec(cell)
    if (parts) return start + Number(parts[1]) * 3600 + Number(parts[2]) * 60 + Number(parts[3])
    const parsed = parseWrittenNumber(cell)
    if (!parsed || /^\d{8}$/.test(cell)) return this.times.parseEnd(cell, start, zone)
    const decimals = this.#getDecimals(column)
    if (parsed.ambiguousSeparator && decimals === undefined) return NaN
    const length = toNumberValue(parsed, decimals)
    const secondsPerUnit = parsed.measure === undefined ? undefined : secondsByType[parsed.measure.type]
    if (parsed.measure ? secondsPerUnit === undefined : !this.survey.hasNumericDurations) return NaN
    return length !== undefined && length < 1e7
      ? start + scaleValue(length, secondsPerUnit ?? this.mapping.endFactor)
      : this.times.parseEnd(cell, start, zone)
  }

  /** Returns the content of a record, and reasons for its missing parts. */
  #parseContent(parts: readonly ColumnMapping[], cells: readonly string[]): ParsedContent {
    const reasons: SkipReason[] = []
    const content: Record<string, unknown> = {}
    let isEmpty = true
    for (const part of parts) {
      const { reason, type, value } = this.#parseValue(part, cells[part.column] ?? '')
      if (reason !== undefined) reasons.push(reason)
      if (value === undefined) continue
      if (part.field === undefined) return { content: value, reasons, ...(type !== undefined && { type }) }
      content[part.field] = value
      isEmpty = false
    }
    if (isEmpty) return { reasons }
    if (
      parts[0]!.type === pressure &&
      (content['systolic'] === undefined || content['diastolic'] === undefined)
    )
      return { reasons: reasons.length > 0 ? reasons : ['half of a measurement whose other half is missing'] }
    if (parts[0]!.type === 'position/wgs84') {
      const { latitude, longitude } = content as { latitude?: number; longitude?: number }
      if (latitude === undefined || longitude === undefined)
        return { reasons: reasons.length > 0 ? reasons : ['without a number'] }
      if (Math.abs(latitude) > 90 || Math.abs(longitude) > 180)
        return { reasons: ['at coordinates beyond the earth'] }
    }
    return { content, reasons }
  }

  /** Parses a cell. An empty cell is not zero. */
  #parseValue(part: ColumnMapping, cell: string): ParsedCell {
    const { codes, field, type } = part
    const text = cell.trim()
    if (text === '') return {}
    if (codes) return parseCode(part, text)
    if (type.startsWith('note/') || type === 'activity/plain' || type === 'mood/emoticon')
      return { value: text }
    if (type === pressure && field === undefined) {
      const value = parsePressure(text)
      return value ? { value } : { reason: 'of a value that is no blood pressure' }
    }
    return this.#parseNumber(part, text)
  }

  #parseNumber(part: ColumnMapping, text: string): ParsedCell {
    const parsed = parseWrittenNumber(text)
    if (!parsed) return { reason: skipReasons.text }
    const decimals = this.#getDecimals(part.column)
    if (parsed.ambiguousSeparator && decimals === undefined) return { reason: skipReasons.open }
    const plain = toNumberValue(parsed, decimals)
    if (plain === undefined) return { reason: skipReasons.text }
    if (plain === 0 && part.skipsZero) return { reason: skipReasons.zero }
    const measure = text.trim().endsWith('%') ? findMeasure('%') : parsed.measure
    if (!measure && this.survey.mayBeFraction(part, plain)) return { reason: skipReasons.fraction }
    const unitType = measure ? convertMeasure(part, measure) : { type: part.type, factor: part.factor }
    if (!unitType) return { reason: skipReasons.unit }
    const value = scaleValue(plain, unitType.factor)
    const column = unitType.type === part.type ? part : { ...part, type: unitType.type }
    if (part.type !== 'position/wgs84' && !isPlausibleValue(column, value))
      return { reason: skipReasons.impossible }
    return { value, ...(unitType.type !== part.type && { type: unitType.type }) }
  }

  #getDecimals(column: number): Decimals | undefined {
    return this.#numbers?.[column] ? 'point' : this.survey.getDecimals(column)
  }
}

/** Returns the content for a code. An unknown mood is stored as text. */
function parseCode({ codes, type }: ColumnMapping, text: string): ParsedCell {
  const code = foldName(text)
  if (Object.hasOwn(codes!, code)) return { value: codes![code] }
  if (Object.hasOwn(codes!, '*')) return { value: codes!['*'] }
  if (type === 'mood/rating') return { value: text, type: 'note/txt' }
  return type === 'activity/plain' ? { value: text } : { reason: skipReasons.code }
}
