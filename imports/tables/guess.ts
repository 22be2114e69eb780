/** Guesses what the columns of a table hold, by their names and by their cells. */
import type { ColumnMapping, Mapping } from '../record.js'
import { cellTime } from '../text/cell-times.js'
import { isNumber, pressureOf } from '../text/cells.js'
import { parseZone } from '../text/zones.js'
import { foldName } from './names.js'
import { derived, parts, rules, type Rule } from './rules.js'
import { bracketsIn, unitInCells, unitInName } from './units.js'

/** Identifies tables of the same make. */
export function keyOf(columns: readonly string[]): string {
  return columns.join('|').toLowerCase().slice(0, 2000)
}

export const timeNames =
  /time ?stamp|zeitstempel|horodatage|date ?\/? ?time|^date|date$|^time|^datum|datum$|start|beginn|^debut|^when|measured|recorded|created|^zeit|^uhrzeit|^heure|fecha|^jour$|^day$|^tag$|\bat$|^utc\b/
const endNames = /^end|\bend(?: ?time| ?date)?$|^bis$|^fin$|^to$|^until/
const lengthNames = /^(?:total |elapsed )?(?:duration|dauer|duree)$/
const sourceNames =
  /^source|^device(?: name)?$|data ?source|^app$|recording method|^quelle|^gerat$|^appareil$/
const zoneNames = /time ?zone|zeitzone|fuseau|^tz$/
const offsetNames = /\boffset\b/
const clockCell = /^\d{1,2}[:h]\d\d(?::\d\d)?(?:\.\d{1,9})?(?:\s*[ap]\.?m\.?)?(?:\s?(?:uhr|h))?$/i

/** Seconds of the types of lengths. */
const seconds: Readonly<Record<string, number>> = {
  'time/ms': 0.001,
  'time/s': 1,
  'time/min': 60,
  'time/h': 3600,
  'time/d': 86_400
}

type Rows = readonly (readonly string[])[]

/** Returns a mapping of the columns whose names tell enough, perhaps without values; `undefined` without a time. */
export function guessed(columns: readonly string[], sample: Rows): Mapping | undefined {
  const names = columns.map(foldName)
  const time = timeColumn(names, sample)
  if (time === undefined) return undefined
  const clock = clockColumn(names, sample, time)
  const taken = new Set<number | undefined>([time, clock])
  const find = (is: (name: string, at: number) => boolean): number | undefined => {
    const at = names.findIndex((name, index) => !taken.has(index) && is(name, index))
    if (at >= 0) taken.add(at)
    return at < 0 ? undefined : at
  }
  const zoneColumn = find(
    (name, at) => zoneNames.test(name) || (offsetNames.test(name) && isZones(sample, at))
  )
  const end = find((name, at) => endNames.test(name) && most(sample, at, isTime))
  const length = end === undefined ? lengthColumn(columns, sample, taken) : undefined
  taken.add(length?.at)
  const source = find(name => sourceNames.test(name))
  const zone =
    zoneColumn === undefined ? (zoneInName(columns[clock ?? time]!) ?? zoneInName(columns[time]!)) : undefined
  return {
    time,
    ...(clock !== undefined && { clock }),
    ...(end !== undefined && { end }),
    ...(length && { end: length.at, ...(length.factor !== 1 && { endFactor: length.factor }) }),
    ...(source !== undefined && { source }),
    ...(zone !== undefined && { zone }),
    ...(zoneColumn !== undefined && { zoneColumn }),
    values: valuesOf(columns, names, sample, taken)
  }
}

/** Finds the time zone in the name of a column: `UTC Date/Time`, `Time (GMT+2)`, `timestamp_utc`. */
export function zoneInName(name: string): string | undefined {
  const words = name
    .slice(0, 200)
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .split(/[\s()[\],;_]+/)
  for (const [at, word] of words.entries()) {
    const isZone = word.length > 2 && !/^\d/.test(word)
    const zone = isZone ? (parseZone(`${word} ${words[at + 1] ?? ''}`) ?? parseZone(word)) : undefined
    if (zone !== undefined) return zone
  }
  return undefined
}

function timeColumn(names: readonly string[], sample: Rows): number | undefined {
  const named = names.findIndex(
    (name, at) => timeNames.test(name) && !endNames.test(name) && most(sample, at, isTime)
  )
  if (named >= 0) return named
  // Numbers may look like times: only texts with the form of a date are taken for one.
  const formed = names.findIndex((_name, at) =>
    most(sample, at, cell => isTime(cell) && /\d[-/.]\d|\p{L}{3}/u.test(cell) && !isNumber(cell))
  )
  return formed < 0 ? undefined : formed
}

/** A column of times of the day beside one of dates. */
function clockColumn(names: readonly string[], sample: Rows, date: number): number | undefined {
  if (most(sample, date, cell => /\d[:h]\d\d|T\d|\d[ ,]+\d{1,2}\.\d\d|^\d{9}/.test(cell))) return undefined
  const find = (form: RegExp, is: (name: string) => boolean): number =>
    names.findIndex((name, at) => at !== date && is(name) && most(sample, at, cell => form.test(cell)))
  const named = find(clockCell, isOfTime)
  // With a point it may be a number, unless the name tells.
  const pointed = named < 0 ? find(/^\d{1,2}\.\d\d$/, isOfTime) : named
  const formed =
    pointed < 0 ? find(clockCell, name => !lengthNames.test(name) && !endNames.test(name)) : pointed
  return formed < 0 ? undefined : formed
}

function isOfTime(name: string): boolean {
  return /time|zeit|heure|clock|^when/.test(name) && !endNames.test(name)
}

/** A column of lengths, if it is known what they are counted in. */
function lengthColumn(
  columns: readonly string[],
  sample: Rows,
  taken: ReadonlySet<number | undefined>
): { readonly at: number; readonly factor: number } | undefined {
  for (const [at, column] of columns.entries()) {
    const unit = unitInName(column, false)
    const name = foldName(typeof unit === 'object' ? unit.rest : column.split(/[([]/, 1)[0]!)
    if (taken.has(at) || !lengthNames.test(name)) continue
    const factor = typeof unit === 'object' ? seconds[unit.measure.type] : undefined
    if (factor !== undefined && most(sample, at, isNumber)) return { at, factor }
    if (most(sample, at, cell => /^\d{1,3}:[0-5]\d:[0-5]\d$/.test(cell))) return { at, factor: 1 }
  }
  return undefined
}

/** What a column is taken for. */
interface Guess extends ColumnMapping {
  readonly rule: Rule | undefined
}

function valuesOf(
  columns: readonly string[],
  names: readonly string[],
  sample: Rows,
  taken: ReadonlySet<number | undefined>
): ColumnMapping[] {
  const values: Guess[] = []
  for (const [column, name] of columns.entries()) {
    if (taken.has(column) || zoneNames.test(names[column]!)) continue
    const cells = sample.map(row => (row[column] ?? '').trim()).filter(Boolean)
    const value = valueIn(column, name, names[column]!, cells)
    if (value) values.push(value)
  }
  return apart(withRate(withoutHalves(values)), columns)
}

function valueIn(column: number, name: string, folded: string, cells: readonly string[]): Guess | undefined {
  const byName = ruleFor(folded)
  const isMinimum = byName !== undefined && !byName.takes?.some(type => type.startsWith('time/'))
  const unit = unitInName(name, isMinimum)
  if (unit === 'unknown') return undefined
  const rest = foldName(unit?.rest ?? name)
  const rule = derived.test(rest) ? undefined : byName
  const measure = unit?.measure ?? unitInCells(cells)
  const isText = rule?.type?.startsWith('note/') === true
  if (rule?.field === 'both' && !cells.some(cell => pressureOf(cell) !== undefined)) return undefined
  // Where the beginning of the table has none, its numbers may come later.
  if (!isText && rule?.field !== 'both' && !unit && cells.length > 0 && !cells.some(isNumber))
    return undefined
  const isBracketed = rule?.unit !== undefined && bracketsIn(name).some(each => rule.unit!.test(each))
  const taking = isBracketed ? rule.takes![0] : measure?.type
  if (rule && (taking === undefined ? rule.type !== undefined : isText || rule.takes?.includes(taking))) {
    const isOwn = rule.type === undefined || rule.type === 'energy/kcal' || rule.type === 'time/ms'
    const type = taking !== undefined && isOwn ? taking : rule.type!
    return {
      rule,
      column,
      type,
      stream: withPart(rule.stream ?? titleOf(isBracketed ? name : (unit?.rest ?? name)), rest),
      ...(rule.field !== undefined && rule.field !== 'both' && { field: rule.field }),
      ...(isOwn && measure?.factor !== undefined && { factor: measure.factor })
    }
  }
  // What is measured is told by the unit, if the name does not tell it.
  if (!measure || cells.length === 0 || rule?.field !== undefined) return undefined
  return {
    rule: undefined,
    column,
    type: measure.type,
    stream: titleOf(unit?.rest ?? name),
    ...(measure.factor !== undefined && { factor: measure.factor })
  }
}

function ruleFor(name: string): Rule | undefined {
  return rules.find(each => each.name.test(name) && (each.and?.test(name) ?? true))
}

/** A stream of its own for minimums, maximums and averages. */
function withPart(stream: string, name: string): string {
  const part = parts.find(([each]) => each.test(name))?.[1]
  return part === undefined ? stream : `${stream}, ${part}`
}

/** Half a blood pressure is not a measurement, and of two columns of one part the first is taken. */
function withoutHalves(values: readonly Guess[]): Guess[] {
  const has = (field: string): boolean => values.some(each => each.field === field)
  return values.filter(({ column, field, stream }) => {
    if (field === undefined) return true
    if (values.some(each => each.field === field && each.stream === stream && each.column < column))
      return false
    if (field === 'systolic' || field === 'diastolic') return has('systolic') && has('diastolic')
    return has('latitude') && has('longitude')
  })
}

/** A pulse beside a blood pressure belongs to it. */
function withRate(values: readonly Guess[]): Guess[] {
  if (!values.some(({ field }) => field === 'systolic')) return [...values]
  const rate = values.find(({ stream }) => stream === 'Heart rate')
  return values.map(value =>
    value === rate
      ? { ...value, type: 'blood-pressure/mmhg-bpm', stream: 'Blood pressure', field: 'rate' }
      : value
  )
}

/** Columns that would meet in one stream have their own names for it. */
function apart(values: readonly Guess[], columns: readonly string[]): ColumnMapping[] {
  const counts = new Map<string, number>()
  for (const { field, stream, type } of values)
    if (field === undefined) counts.set(`${stream} ${type}`, (counts.get(`${stream} ${type}`) ?? 0) + 1)
  const used = new Set<string>()
  return values.map(value => {
    const { rule: _rule, ...mapping } = value
    if (value.field !== undefined || counts.get(`${value.stream} ${value.type}`) === 1) return mapping
    const unit = unitInName(columns[value.column]!, true)
    const own = titleOf(typeof unit === 'object' ? unit.rest : columns[value.column]!)
    const stream = used.has(own) ? `${own} ${value.column + 1}` : own
    used.add(stream)
    return { ...mapping, stream }
  })
}

function titleOf(name: string): string {
  const plain =
    name
      .slice(0, 90)
      .replaceAll(/[_\s]+/g, ' ')
      .trim() || 'Values'
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** Whether a cell holds a time, perhaps of a zone that is not known. */
function isTime(cell: string): boolean {
  const plain = cell.length < 100 ? cell.replace(/ [A-Z]{2,5}$/, '') : cell
  return (['dmy', 'mdy'] as const).some(order => !Number.isNaN(cellTime(plain, undefined, order, undefined)))
}

function isZones(sample: Rows, at: number): boolean {
  return most(sample, at, cell => parseZone(cell) !== undefined)
}

/** Whether more than half of the cells of a column that are not empty meet a condition. */
function most(sample: Rows, at: number, is: (cell: string) => boolean): boolean {
  const cells = sample.map(row => (row[at] ?? '').trim()).filter(Boolean)
  return cells.length > 0 && cells.filter(is).length > cells.length / 2
}
