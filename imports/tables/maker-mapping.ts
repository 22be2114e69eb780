/** Mappings of tables whose maker is known. */
import type { Reason } from '../reasons.js'
import type { ColumnMapping, Head, Mapping } from '../record.js'
import type { Layout } from './layout.js'
import type { Maker } from './maker.js'
import { makers } from './makers.js'
import { foldName } from './names.js'

/** What is known of a table: how it is read, or why nothing of it is. */
export interface Known {
  readonly mapping: Mapping
  readonly leaves?: Reason | undefined
}

/** Returns what is known of a table by its maker; `undefined` for others. */
export function knownTable(
  { name }: Pick<Head, 'name'>,
  layout: Layout,
  columns: readonly string[]
): Known | undefined {
  const names = columns.map(plainName)
  const habits = habitMapping(name, names, columns, layout)
  if (habits) return { mapping: habits }
  const maker = makers.find(each => isOf(each, name, layout, names))
  if (!maker) return undefined
  const place = (column: string | undefined): number | undefined => {
    const at = column === undefined ? -1 : names.indexOf(column)
    return at < 0 ? undefined : at
  }
  const [clock, end, source] = [place(maker.clock), place(maker.end), place(maker.source)]
  const [description, zoneColumn] = [place(maker.description), place(maker.zoneColumn)]
  const values = Object.entries(maker.values).flatMap(([column, value]): ColumnMapping[] => {
    const at = place(column)
    return at === undefined ? [] : [{ column: at, ...value, ...(maker.skipsZero && { skipsZero: true }) }]
  })
  const mapping = {
    time: place(maker.time) ?? 0,
    ...(clock !== undefined && { clock }),
    ...(end !== undefined && { end }),
    ...(source !== undefined && { source }),
    ...(description !== undefined && { description }),
    ...(zoneColumn !== undefined && { zoneColumn }),
    ...(maker.zone !== undefined && { zone: maker.zone }),
    values
  }
  return { mapping, leaves: maker.leaves }
}

function isOf(
  { file, has, preface }: Maker,
  name: string,
  layout: Layout,
  names: readonly string[]
): boolean {
  if (file && !file.test(name)) return false
  if (preface && !layout.preface.some(row => preface.test(row.join(' ').slice(0, 300)))) return false
  return has.every(each => names.includes(each))
}

/** A name without what it repeats of its table: `com.samsung.health.weight.start_time`. */
function plainName(name: string): string {
  return foldName(name.startsWith('com.samsung.') ? name.slice(name.lastIndexOf('.') + 1) : name)
}

/** What Loop Habit Tracker writes for a day on which something was done, or not. */
const checks = { '2': true, 'yes manual': true, '0': false, no: false }

/** The checkmarks of Loop Habit Tracker, whose columns are called as people like, or not at all. */
function habitMapping(
  name: string,
  names: readonly string[],
  columns: readonly string[],
  { columns: header, records }: Layout
): Mapping | undefined {
  if (!/(?:^|\/)checkmarks\.csv$/i.test(name)) return undefined
  if (header && names[0] !== 'date') return undefined
  const folder = /(?:^|\/)(?:\d{1,4} )?([^/]{1,100})\/checkmarks\.csv$/i.exec(name)?.[1]
  const values = columns.flatMap((column, at): ColumnMapping[] => {
    if (at === 0 || (names[at] === 'notes' && names[1] === 'value')) return []
    const isAlone = header === undefined || names[at] === 'value'
    const stream = ((isAlone ? folder : undefined) ?? column).slice(0, 100)
    // Amounts are written in thousandths.
    const isAmount = records.some(row => /^\d+$/.test(row[at] ?? '') && Number(row[at]) > 3)
    if (isAmount) return [{ column: at, type: 'count/generic', stream, factor: 0.001 }]
    const isEmpty = records.every(row => (row[at] ?? '').trim() === '')
    return isEmpty ? [] : [{ column: at, type: 'boolean/bool', stream, codes: checks }]
  })
  return { time: 0, values }
}
