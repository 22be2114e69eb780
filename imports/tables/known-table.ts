/** Maps tables of known apps and devices. */
import type { SkipReason } from '../skip-reasons.js'
import type { ColumnMapping, FileHead, Mapping } from '../record.js'
import type { TableLayout } from './table-layout.js'
import type { KnownMaker } from './known-maker.js'
import { knownMakers } from './known-makers.js'
import { foldName } from './fold-name.js'

/** Mapping of a known table, or the reason to skip it. */
interface KnownTable {
  readonly mapping: Mapping
  readonly skipReason?: SkipReason | undefined
}

/** Returns the mapping of a table of a known app; `undefined` for others. */
export function findKnownTable(
  { name }: Pick<FileHead, 'name'>,
  layout: TableLayout,
  columns: readonly string[]
): KnownTable | undefined {
  const names = columns.map(simplifyName)
  const habitMapping = mapHabits(name, names, columns, layout)
  if (habitMapping) return { mapping: habitMapping }
  const maker = knownMakers.find(each => matchesMaker(each, name, layout, names))
  if (!maker) return undefined
  const findColumn = (column: string | undefined): number | undefined => {
    const index = column === undefined ? -1 : names.indexOf(column)
    return index < 0 ? undefined : index
  }
  const [clock, end, source] = [findColumn(maker.clock), findColumn(maker.end), findColumn(maker.source)]
  const [description, zoneColumn] = [findColumn(maker.description), findColumn(maker.zoneColumn)]
  const values = Object.entries(maker.values).flatMap(([column, value]): ColumnMapping[] => {
    const at = findColumn(column)
    return at === undefined ? [] : [{ column: at, ...value, ...(maker.skipsZero && { skipsZero: true }) }]
  })
  const mapping = {
    time: findColumn(maker.time) ?? 0,
    ...(clock !== undefined && { clock }),
    ...(end !== undefined && { end }),
    ...(source !== undefined && { source }),
    ...(description !== undefined && { description }),
    ...(zoneColumn !== undefined && { zoneColumn }),
    ...(maker.zone !== undefined && { zone: maker.zone }),
    values
  }
  return { mapping, skipReason: maker.skipReason }
}

function matchesMaker(
  { file, columns, preface }: KnownMaker,
  name: string,
  layout: TableLayout,
  names: readonly string[]
): boolean {
  if (file && !file.test(name)) return false
  if (preface && !layout.preface.some(row => preface.test(row.join(' ').slice(0, 300)))) return false
  return columns.every(each => names.includes(each))
}

/** Returns the last part of a column name such as `com.samsung.health.weight.start_time`. */
function simplifyName(name: string): string {
  return foldName(name.startsWith('com.samsung.') ? name.slice(name.lastIndexOf('.') + 1) : name)
}

/** Contents by the cells of Loop Habit Tracker's checkmarks. */
const checkmarkCodes = { '2': true, 'yes manual': true, '0': false, no: false }

/** Maps the checkmarks of Loop Habit Tracker, whose columns have names chosen by the user, or no names. */
function mapHabits(
  name: string,
  names: readonly string[],
  columns: readonly string[],
  { columns: header, records }: TableLayout
): Mapping | undefined {
  if (!/(?:^|\/)checkmarks\.csv$/i.test(name)) return undefined
  if (header && names[0] !== 'date') return undefined
  const folder = /(?:^|\/)(?:\d{1,4} )?([^/]{1,100})\/checkmarks\.csv$/i.exec(name)?.[1]
  const values = columns.flatMap((column, at): ColumnMapping[] => {
    if (at === 0 || (names[at] === 'notes' && names[1] === 'value')) return []
    const isSingleHabit = header === undefined || names[at] === 'value'
    const stream = ((isSingleHabit ? folder : undefined) ?? column).slice(0, 100)
    // Amounts are in thousandths.
    const isAmount = records.some(row => /^\d+$/.test(row[at] ?? '') && Number(row[at]) > 3)
    if (isAmount) return [{ column: at, type: 'count/generic', stream, factor: 0.001 }]
    const isEmpty = records.every(row => (row[at] ?? '').trim() === '')
    return isEmpty ? [] : [{ column: at, type: 'boolean/bool', stream, codes: checkmarkCodes }]
  })
  return { time: 0, values }
}
