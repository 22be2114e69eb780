/** Guesses what the columns of a table hold, by their names and by their cells. */
import type { ColumnMapping, Mapping } from '../record.js'
import { cellTime, isNumber, pressureOf } from '../text/cells.js'
import { measureOf } from '../text/units.js'

/** Characters of a column's name that are compared with the rules. */
const longestName = 200

/** Identifies tables of the same make. */
export function keyOf(columns: readonly string[]): string {
  return columns.join('|').toLowerCase().slice(0, 2000)
}

interface Rule {
  readonly name: RegExp
  /** What the name has to hold as well. One pattern with a gap would take the square of its length. */
  readonly and?: RegExp
  /** The type where the header names no unit that says otherwise. */
  readonly type?: string
  readonly stream: string
  /** `both`: of a blood pressure, in one cell. */
  readonly field?: string
  /** Types by units that may stand in the header. */
  readonly units?: readonly string[]
}

const rules: readonly Rule[] = [
  { name: /systol/, type: 'blood-pressure/mmhg-bpm', stream: 'Blood pressure', field: 'systolic' },
  { name: /diastol/, type: 'blood-pressure/mmhg-bpm', stream: 'Blood pressure', field: 'diastolic' },
  {
    name: /blood ?pressure|blutdruck|tension art|presi[oó]n|pressione|bloeddruk|blodtry|\bbp\b/,
    type: 'blood-pressure/mmhg-bpm',
    stream: 'Blood pressure',
    field: 'both'
  },
  {
    name: /fat|muscle|bone|water|lean/,
    and: /mass|lean/,
    stream: 'Body composition',
    units: ['kg', 'lb', 'st', 'g']
  },
  { name: /body ?fat|fat ?\(?%|^fat$/, type: 'ratio/percent', stream: 'Body fat' },
  { name: /weight|gewicht|poids|peso\b/, stream: 'Weight', units: ['kg', 'lb', 'lbs', 'st', 'g'] },
  { name: /resting/, and: /heart|pulse|resting ?hr/, type: 'frequency/bpm', stream: 'Resting heart rate' },
  {
    name: /heart ?_?rate|pulse|\bbpm\b|\bhr\b|beats per|^puls$|herzfrequenz/,
    type: 'frequency/bpm',
    stream: 'Heart rate'
  },
  { name: /respirat|breath/, type: 'frequency/brpm', stream: 'Respiratory rate' },
  {
    name: /glucose|gluc[oó]|blutzucker|blood ?sugar|\bbg\b|\bsgv\b/,
    stream: 'Blood glucose',
    units: ['mg/dl', 'mmol/l']
  },
  { name: /spo2|oxygen/, type: 'ratio/percent', stream: 'Oxygen saturation' },
  { name: /temperature|temperatur/, stream: 'Temperature', units: ['°c', '°f', 'c', 'f', 'degc', 'degf'] },
  { name: /\bsteps?\b|schritte|^steps?_?count/, type: 'count/steps', stream: 'Steps' },
  { name: /calorie|\bkcal\b|energy/, type: 'energy/kcal', stream: 'Energy', units: ['kcal', 'kj', 'cal'] },
  { name: /distance|distanz/, stream: 'Distance', units: ['km', 'm', 'mi'] },
  { name: /height|gr[oö](?:ss|ß)e/, stream: 'Height', units: ['cm', 'm', 'in', 'ft'] },
  { name: /\bhrv\b|rmssd|sdnn/, type: 'time/ms', stream: 'Heart rate variability' },
  { name: /waist|hip|chest|thigh|biceps|neck/, stream: 'Body measures', units: ['cm', 'in'] },
  { name: /\blat(?:itude)?\b/, type: 'position/wgs84', stream: 'Positions', field: 'latitude' },
  { name: /\b(?:lon|lng|long)(?:itude)?\b/, type: 'position/wgs84', stream: 'Positions', field: 'longitude' },
  { name: /altitude|elevation/, type: 'position/wgs84', stream: 'Positions', field: 'altitude' },
  { name: /^(?:notes?|notiz|comments?|kommentar|bemerkung)/, type: 'note/txt', stream: 'Notes' }
]

export const timeNames =
  /time ?stamp|zeitstempel|horodatage|date ?_?time|^date|^time|^datum|start|^when|measured|recorded|created|^zeit|fecha|_at$/
const endNames = /^end|end ?_?time|end ?date|duration/
const sourceNames = /^source|^device|data ?source|^app$|recording_method/

/** Returns a mapping of the columns whose names tell enough, perhaps without values; `undefined` without a time. */
export function guessed(
  columns: readonly string[],
  sample: readonly (readonly string[])[]
): Mapping | undefined {
  const names = columns.map(name =>
    name
      .slice(0, longestName)
      .toLowerCase()
      .replaceAll(/[_\s]+/g, ' ')
      .trim()
  )
  const time = timeColumn(names, sample)
  if (time === undefined) return undefined
  const clock = clockColumn(names, sample, time)
  const taken = new Set([time, clock])
  const end = names.findIndex((name, at) => !taken.has(at) && endNames.test(name) && isEnd(sample, at))
  const source = names.findIndex((name, at) => !taken.has(at) && sourceNames.test(name))
  const values = valuesOf(names, sample, new Set([...taken, end, source]))
  return {
    time,
    ...(clock !== undefined && { clock }),
    ...(end >= 0 && { end }),
    ...(source >= 0 && { source }),
    values
  }
}

function timeColumn(names: readonly string[], sample: readonly (readonly string[])[]): number | undefined {
  const isTime = (at: number): boolean =>
    most(
      sample,
      row =>
        !Number.isNaN(cellTime(row[at], undefined, 'dmy', undefined)) ||
        !Number.isNaN(cellTime(row[at], undefined, 'mdy', undefined))
    )
  const named = names.findIndex((name, at) => timeNames.test(name) && !endNames.test(name) && isTime(at))
  if (named >= 0) return named
  // Numbers may look like times: only texts with the form of a date are taken for one.
  const formed = names.findIndex(
    (_name, at) => isTime(at) && most(sample, row => /\d[-/.]\d/.test(row[at] ?? '') && !isNumber(row[at]))
  )
  return formed < 0 ? undefined : formed
}

/** A column of times of the day beside one of dates. */
function clockColumn(
  names: readonly string[],
  sample: readonly (readonly string[])[],
  date: number
): number | undefined {
  if (most(sample, row => /\d:\d\d/.test(row[date] ?? ''))) return undefined
  const at = names.findIndex(
    (_name, index) =>
      index !== date &&
      most(sample, row => /^\d{1,2}:\d\d(?::\d\d)?(?:\s*[ap]\.?m\.?)?$/i.test((row[index] ?? '').trim()))
  )
  return at < 0 ? undefined : at
}

function isEnd(sample: readonly (readonly string[])[], at: number): boolean {
  return most(
    sample,
    row => isNumber(row[at]) || !Number.isNaN(cellTime(row[at], undefined, 'dmy', undefined))
  )
}

function valuesOf(
  names: readonly string[],
  sample: readonly (readonly string[])[],
  taken: ReadonlySet<number | undefined>
): ColumnMapping[] {
  const values: ColumnMapping[] = []
  for (const [column, name] of names.entries()) {
    if (taken.has(column)) continue
    const rule = rules.find(each => each.name.test(name) && (each.and?.test(name) ?? true))
    if (!rule) continue
    const cells = sample.map(row => (row[column] ?? '').trim()).filter(Boolean)
    const unit = unitOf(name)
    const measure = unit === undefined ? undefined : measureOf(unit)
    const isFitting = !rule.units || (unit !== undefined && rule.units.includes(unit))
    const type = rule.units && measure && isFitting ? measure.type : rule.type
    if (rule.field === 'both' && !cells.some(cell => pressureOf(cell) !== undefined)) continue
    // Units are not guessed.
    if (type === undefined) continue
    const isText = type.startsWith('note/')
    // Where the beginning of the table has none, its numbers may come later.
    if (!isText && rule.field !== 'both' && cells.length > 0 && !cells.some(cell => isNumber(cell))) continue
    values.push({
      column,
      type,
      stream:
        rule.stream === 'Body composition' || rule.stream === 'Body measures' ? titleOf(name) : rule.stream,
      ...(rule.field !== undefined && rule.field !== 'both' && { field: rule.field }),
      ...(rule.units && measure?.factor !== undefined && { factor: measure.factor })
    })
  }
  return withRate(withoutHalves(values))
}

/** Half a blood pressure is not a measurement. */
function withoutHalves(values: readonly ColumnMapping[]): ColumnMapping[] {
  const has = (field: string): boolean => values.some(each => each.field === field)
  return values.filter(({ field }) => {
    if (field === 'systolic' || field === 'diastolic') return has('systolic') && has('diastolic')
    return field === undefined || (has('latitude') && has('longitude'))
  })
}

/** A pulse beside a blood pressure belongs to it. */
function withRate(values: readonly ColumnMapping[]): ColumnMapping[] {
  if (!values.some(({ field }) => field === 'systolic')) return [...values]
  return values.map(value =>
    value.stream === 'Heart rate'
      ? { ...value, type: 'blood-pressure/mmhg-bpm', stream: 'Blood pressure', field: 'rate' }
      : value
  )
}

/** The unit in the name of a column: `Weight (kg)`, `glucose [mg/dL]`, `weight kg`. */
function unitOf(name: string): string | undefined {
  const bracketed = /[([]([^()[\]]+)[)\]]/.exec(name)?.[1]?.trim()
  if (bracketed !== undefined) return bracketed
  return /(?:^|[\s,_])(kg|lbs?|st|g|km|m|mi|cm|mm|in|ft|kcal|kj|cal|mg\/dl|mmol\/l|°?c|°?f)$/.exec(name)?.[1]
}

function titleOf(name: string): string {
  const plain = name.split(/[([]/, 1)[0]!.trimEnd()
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}

/** Whether more than half of the rows meet a condition. */
function most(sample: readonly (readonly string[])[], is: (row: readonly string[]) => boolean): boolean {
  return sample.length > 0 && sample.filter(is).length > sample.length / 2
}
