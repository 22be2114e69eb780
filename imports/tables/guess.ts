/** Guesses what the columns of a table hold, by their names and by their cells. */
import type { ColumnMapping, Mapping } from '../record.js'
import { isNumber, pressureOf } from '../text/cells.js'
import { clockLength } from '../text/survey.js'
import { parseZone } from '../text/zones.js'
import { foldName } from './names.js'
import { otherWords } from './rest.js'
import { derived, parts, rules, type Rule } from './rules.js'
import {
  endNames,
  filled,
  findClockColumn,
  findTimeColumn,
  isTime,
  most,
  zoneInName,
  type Rows
} from './time-columns.js'
import { bracketsIn, unitInCells, unitInName } from './units.js'

/** Identifies tables of the same make. */
export function keyOf(columns: readonly string[]): string {
  return columns.join('|').toLowerCase().slice(0, 2000)
}

const lengthNames = /^(?:total |elapsed )?(?:duration|dauer|duree)$/
const sourceNames =
  /^source|^device(?: name)?$|data ?source|^app$|recording method|^quelle|^gerat$|^appareil$/
const zoneNames = /time ?zone|zeitzone|fuseau|^tz$|\b(?:utc|gmt|tz|zone) ?offset/
const offsetNames = /\boffset\b/
/** Names of columns of sets of exercises. */
const trainingNames =
  /^(?:reps|repetitions|wiederholungen|set (?:order|index|type)|exercise(?: name| title)?|ubung|exercice)$/

/** Seconds of the types of lengths. */
const seconds: Readonly<Record<string, number>> = {
  'time/ms': 0.001,
  'time/s': 1,
  'time/min': 60,
  'time/h': 3600,
  'time/d': 86_400
}

/** Returns a mapping of the columns whose names tell enough, perhaps without values; `undefined` without a time. */
export function guessed(columns: readonly string[], sample: Rows): Mapping | undefined {
  const names = columns.map(foldName)
  const time = findTimeColumn(columns, names, sample)
  if (time === undefined) return undefined
  const clock = findClockColumn(names, sample, time)
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

/** A column of lengths, if it is known what they are counted in. */
function lengthColumn(
  columns: readonly string[],
  sample: Rows,
  taken: ReadonlySet<number | undefined>
): { readonly at: number; readonly factor: number } | undefined {
  for (const [at, column] of columns.entries()) {
    const unit = unitInName(column, undefined)
    const name = foldName(typeof unit === 'object' ? unit.rest : column.split(/[([]/, 1)[0]!)
    if (taken.has(at) || !lengthNames.test(name)) continue
    const factor = typeof unit === 'object' ? seconds[unit.measure.type] : undefined
    if (factor !== undefined && most(sample, at, isNumber)) return { at, factor }
    if (most(sample, at, cell => clockLength.test(cell))) return { at, factor: 1 }
  }
  return undefined
}

/** What a column is taken for. */
interface Guess extends ColumnMapping {
  /** Its name without the unit, as a stream. */
  readonly own: string
}

function valuesOf(
  columns: readonly string[],
  names: readonly string[],
  sample: Rows,
  taken: ReadonlySet<number | undefined>
): ColumnMapping[] {
  const values: Guess[] = []
  const isTraining = names.some(name => trainingNames.test(name))
  for (const [column, name] of columns.entries()) {
    if (taken.has(column) || zoneNames.test(names[column]!)) continue
    const cells = filled(sample, column)
    const value = valueIn(column, name, names[column]!, cells)
    // What is lifted is no weight of the body.
    if (value && isTraining && value.stream === 'Weight') values.push({ ...value, stream: 'Weight lifted' })
    else if (value) values.push(value)
  }
  return apart(withRate(withoutHalves(values)))
}

function valueIn(column: number, name: string, folded: string, cells: readonly string[]): Guess | undefined {
  const byName = ruleFor(folded)
  const unit = unitInName(name, byName?.takes)
  if (unit === 'unknown') return undefined
  // A unit in words may be part of a name, such as `Heart Minutes`.
  const own = titleOf(unit === undefined || /\p{L}{4}$/u.test(name) ? name : unit.rest)
  const rest = foldName(unit?.rest ?? name)
  const rule = derived.test(rest) ? undefined : byName
  const measure = unit?.measure ?? unitInCells(cells, byName?.takes)
  const isText = rule?.type?.startsWith('note/') === true
  if (rule?.field === 'both' && !cells.some(cell => pressureOf(cell) !== undefined)) return undefined
  // Where the beginning of the table has none, its numbers may come later.
  if (!isText && rule?.field !== 'both' && !unit && cells.length > 0 && !cells.some(isNumber))
    return undefined
  const isBracketed = rule?.unit !== undefined && bracketsIn(name).some(each => rule.unit!.test(each))
  const taking = isBracketed ? rule.takes![0] : measure?.type
  const others = rule && !isText && rule.field === undefined ? otherWords(rest, rule) : []
  // A short word may be a unit that is not known: kilojoules are no kilocalories.
  if (rule && taking === undefined && others.some(word => word.length < 4)) return undefined
  if (rule && (taking === undefined ? rule.type !== undefined : isText || rule.takes?.includes(taking))) {
    const isOwn = rule.type === undefined || rule.type === 'energy/kcal' || rule.type === 'time/ms'
    const type = taking !== undefined && isOwn ? taking : rule.type!
    const isPlain = rule.stream !== undefined && (others.length === 0 || isBracketed)
    return {
      own,
      column,
      type,
      stream: isPlain ? withPart(rule.stream, rest) : isBracketed ? titleOf(name) : own,
      ...(rule.field !== undefined && rule.field !== 'both' && { field: rule.field }),
      ...(isOwn && measure?.factor !== undefined && { factor: measure.factor })
    }
  }
  // What is measured is told by the unit, if the name does not tell it.
  if (!measure || cells.length === 0 || rule?.field !== undefined) return undefined
  return {
    own,
    column,
    type: measure.type,
    stream: own,
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

/** A pulse beside a blood pressure belongs to it, unless there are several. */
function withRate(values: readonly Guess[]): Guess[] {
  if (!values.some(({ field }) => field === 'systolic')) return [...values]
  const rates = values.filter(({ stream }) => stream === 'Heart rate')
  const rate = rates.length === 1 ? rates[0] : undefined
  return values.map(value =>
    value === rate
      ? { ...value, type: 'blood-pressure/mmhg-bpm', stream: 'Blood pressure', field: 'rate' }
      : value
  )
}

/** Columns that would meet in one stream have their own names for it. */
function apart(values: readonly Guess[]): ColumnMapping[] {
  const counts = new Map<string, number>()
  for (const { field, stream, type } of values)
    if (field === undefined) counts.set(`${stream} ${type}`, (counts.get(`${stream} ${type}`) ?? 0) + 1)
  const isAlone = ({ field, stream, type }: Guess): boolean =>
    field !== undefined || counts.get(`${stream} ${type}`) === 1
  const used = new Set(values.filter(isAlone).map(({ stream }) => stream))
  return values.map(value => {
    const { own, ...mapping } = value
    if (isAlone(value)) return mapping
    const stream = used.has(own) ? `${own} ${mapping.column + 1}` : own
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

function isZones(sample: Rows, at: number): boolean {
  return most(sample, at, cell => parseZone(cell) !== undefined)
}
