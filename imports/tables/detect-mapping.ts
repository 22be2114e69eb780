/** Detects what the columns of a table contain, by their names and cells. */
import type { ColumnMapping, Mapping } from '../record.js'
import { isNumberCell, parsePressure } from '../text/cell-numbers.js'
import { clockDuration } from '../text/notation-detector.js'
import { parseZone } from '../text/zones.js'
import { foldName } from './fold-name.js'
import { findNightColumns, nightCodes } from './nights.js'
import { derivedNames, statisticNames, columnRules, type ColumnRule } from './column-rules.js'
import {
  endNames,
  getFilledCells,
  findClockColumn,
  findTimeColumn,
  isTimeCell,
  matchesMostCells,
  findZoneInName,
  type SampleRows
} from './time-columns.js'
import { secondsByType } from '../text/units.js'
import { getBracketTexts, findUnitInCells, findUnitInName } from './column-units.js'

/** Returns a key for tables with the same columns. */
export function getTableKey(columns: readonly string[]): string {
  return columns.join('|').toLowerCase().slice(0, 2000)
}

const durationNames = /^(?:total |elapsed )?(?:duration|dauer|duree)$/
const sourceNames =
  /^source|^device(?: name)?$|data ?source|^app$|recording method|^quelle|^gerat$|^appareil$/
const zoneNames = /time ?zone|zeitzone|fuseau|^tz$|\b(?:utc|gmt|tz|zone) ?offset/
const offsetNames = /\boffset\b/
/** Names of columns in tables of exercise sets. */
const trainingNames =
  /^(?:reps|repetitions|wiederholungen|set (?:order|index|type)|exercise(?: name| title)?|ubung|exercice)$/

/** Returns a mapping of the columns that can be identified, possibly without values; `undefined` without a time. */
export function detectMapping(columns: readonly string[], sample: SampleRows): Mapping | undefined {
  const names = columns.map(foldName)
  const night = findNightColumns(names, sample)
  const time = night?.time ?? findTimeColumn(columns, names, sample)
  if (time === undefined) return undefined
  const clock = findClockColumn(names, sample, time)
  const usedColumns = new Set<number | undefined>([time, clock])
  const find = (matches: (name: string, at: number) => boolean): number | undefined => {
    const index = names.findIndex((name, at) => !usedColumns.has(at) && matches(name, at))
    if (index >= 0) usedColumns.add(index)
    return index < 0 ? undefined : index
  }
  const zoneColumn = find(
    (name, at) => zoneNames.test(name) || (offsetNames.test(name) && containsZones(sample, at))
  )
  const end = find((name, at) =>
    night ? at === night.end : endNames.test(name) && matchesMostCells(sample, at, isTimeCell)
  )
  const duration = end === undefined ? findDurationColumn(columns, sample, usedColumns) : undefined
  usedColumns.add(duration?.at)
  const source = find(name => sourceNames.test(name))
  const zone =
    zoneColumn === undefined
      ? (findZoneInName(columns[clock ?? time]!) ?? findZoneInName(columns[time]!))
      : undefined
  return {
    time,
    ...(clock !== undefined && { clock }),
    ...(end !== undefined && { end }),
    ...(duration && { end: duration.at, ...(duration.factor !== 1 && { endFactor: duration.factor }) }),
    ...(source !== undefined && { source }),
    ...(zone !== undefined && { zone }),
    ...(zoneColumn !== undefined && { zoneColumn }),
    values: [
      ...(night ? [{ column: time, type: 'sleep/analysis', stream: 'Sleep', codes: nightCodes }] : []),
      ...detectValues(columns, names, sample, usedColumns)
    ]
  }
}

/** Finds the column of durations, if its unit is known. */
function findDurationColumn(
  columns: readonly string[],
  sample: SampleRows,
  usedColumns: ReadonlySet<number | undefined>
): { readonly at: number; readonly factor: number } | undefined {
  for (const [at, column] of columns.entries()) {
    const unit = findUnitInName(column, undefined)
    const name = foldName(typeof unit === 'object' ? unit.nameWithoutUnit : column.split(/[([]/, 1)[0]!)
    if (usedColumns.has(at) || !durationNames.test(name)) continue
    const factor = typeof unit === 'object' ? secondsByType[unit.measure.type] : undefined
    if (factor !== undefined && matchesMostCells(sample, at, isNumberCell)) return { at, factor }
    if (matchesMostCells(sample, at, cell => clockDuration.test(cell))) return { at, factor: 1 }
  }
  return undefined
}

/** A detected column. */
interface DetectedColumn extends ColumnMapping {
  /** Name without the unit, usable as a stream. */
  readonly title: string
}

/** Returns the columns with values that have a type here, with the stream of each. */
function detectValues(
  columns: readonly string[],
  names: readonly string[],
  sample: SampleRows,
  usedColumns: ReadonlySet<number | undefined>
): ColumnMapping[] {
  const values: DetectedColumn[] = []
  const isTraining = names.some(name => trainingNames.test(name))
  for (const [column, name] of columns.entries()) {
    if (usedColumns.has(column) || zoneNames.test(names[column]!)) continue
    const cells = getFilledCells(sample, column)
    const value = detectValue(column, name, names[column]!, cells)
    // A lifted weight is not a body weight.
    if (value && isTraining && value.stream === 'Weight') values.push({ ...value, stream: 'Weight lifted' })
    else if (value) values.push(value)
  }
  return separateStreams(addHeartRate(removeIncomplete(values)))
}

/**
 * Detects what a column contains, by its name, the unit in its name or cells, and the cells; `undefined` if that is
 * unknown.
 */
function detectValue(
  column: number,
  name: string,
  folded: string,
  cells: readonly string[]
): DetectedColumn | undefined {
  const byName = findRule(folded)
  const unit = findUnitInName(name, byName?.unitTypes)
  if (unit === 'unknown') return undefined
  // A unit written as a word may be part of the name, such as `Heart Minutes`.
  const title = formatTitle(unit === undefined || /\p{L}{4}$/u.test(name) ? name : unit.nameWithoutUnit)
  const remainder = foldName(unit?.nameWithoutUnit ?? name)
  const rule = derivedNames.test(remainder) ? undefined : byName
  const measure = unit?.measure ?? findUnitInCells(cells, byName?.unitTypes)
  const isText = rule?.type?.startsWith('note/') === true
  if (rule?.field === 'both' && !cells.some(cell => parsePressure(cell) !== undefined)) return undefined
  // The sample may contain no numbers although later rows do.
  if (!isText && rule?.field !== 'both' && !unit && cells.length > 0 && !cells.some(isNumberCell))
    return undefined
  const isBracketed =
    rule?.bracketUnit !== undefined && getBracketTexts(name).some(each => rule.bracketUnit!.test(each))
  const unitType = isBracketed ? rule.unitTypes![0] : measure?.type
  const others = rule && !isText && rule.field === undefined ? findUncoveredWords(remainder, rule) : []
  // A short word may be an unknown unit: kilojoules are not kilocalories.
  if (rule && unitType === undefined && others.some(word => word.length < 4)) return undefined
  if (
    rule &&
    (unitType === undefined ? rule.type !== undefined : isText || rule.unitTypes?.includes(unitType))
  ) {
    const isOwn = rule.type === undefined || rule.type === 'energy/kcal' || rule.type === 'time/ms'
    const type = unitType !== undefined && isOwn ? unitType : rule.type!
    const isPlain = rule.stream !== undefined && (others.length === 0 || isBracketed)
    return {
      title,
      column,
      type,
      stream: isPlain ? addStatistic(rule.stream, remainder) : isBracketed ? formatTitle(name) : title,
      ...(rule.field !== undefined && rule.field !== 'both' && { field: rule.field }),
      ...(isOwn && measure?.factor !== undefined && { factor: measure.factor })
    }
  }
  // The unit determines the type if the name does not.
  if (!measure || cells.length === 0 || rule?.field !== undefined) return undefined
  return {
    title,
    column,
    type: measure.type,
    stream: title,
    ...(measure.factor !== undefined && { factor: measure.factor })
  }
}

function findRule(name: string): ColumnRule | undefined {
  return columnRules.find(each => each.name.test(name) && (each.also?.test(name) ?? true))
}

/** Returns the name of a separate stream for minimums, maximums and averages. */
function addStatistic(stream: string, name: string): string {
  const statistic = statisticNames.find(([each]) => each.test(name))?.[1]
  return statistic === undefined ? stream : `${stream}, ${statistic}`
}

/** Removes incomplete blood pressures and positions, and second columns of the same part. */
function removeIncomplete(values: readonly DetectedColumn[]): DetectedColumn[] {
  const has = (field: string): boolean => values.some(each => each.field === field)
  return values.filter(({ column, field, stream }) => {
    if (field === undefined) return true
    if (values.some(each => each.field === field && each.stream === stream && each.column < column))
      return false
    if (field === 'systolic' || field === 'diastolic') return has('systolic') && has('diastolic')
    return has('latitude') && has('longitude')
  })
}

/** Adds a heart rate beside a blood pressure to it, unless there are several. */
function addHeartRate(values: readonly DetectedColumn[]): DetectedColumn[] {
  if (!values.some(({ field }) => field === 'systolic')) return [...values]
  const rates = values.filter(({ stream }) => stream === 'Heart rate')
  const rate = rates.length === 1 ? rates[0] : undefined
  return values.map(value =>
    value === rate
      ? { ...value, type: 'blood-pressure/mmhg-bpm', stream: 'Blood pressure', field: 'rate' }
      : value
  )
}

/** Gives columns that would share a stream their own names as streams. */
function separateStreams(values: readonly DetectedColumn[]): ColumnMapping[] {
  const counts = new Map<string, number>()
  for (const { field, stream, type } of values)
    if (field === undefined) counts.set(`${stream} ${type}`, (counts.get(`${stream} ${type}`) ?? 0) + 1)
  const isUnique = ({ field, stream, type }: DetectedColumn): boolean =>
    field !== undefined || counts.get(`${stream} ${type}`) === 1
  const used = new Set(values.filter(isUnique).map(({ stream }) => stream))
  return values.map(value => {
    const { title: own, ...mapping } = value
    if (isUnique(value)) return mapping
    const stream = used.has(own) ? `${own} ${mapping.column + 1}` : own
    used.add(stream)
    return { ...mapping, stream }
  })
}

function formatTitle(name: string): string {
  const plain =
    name
      .slice(0, 90)
      .replaceAll(/[_\s]+/g, ' ')
      .trim() || 'Values'
  return plain.charAt(0).toUpperCase() + plain.slice(1)
}

function containsZones(sample: SampleRows, at: number): boolean {
  return matchesMostCells(sample, at, cell => parseZone(cell) !== undefined)
}

/** Words that do not change what a column measures, without accents. */
const neutralWords = new Set(
  (
    'body blood my the a an of in at and by for value values reading readings result level measurement measured measure ' +
    'count number total rate frequency sensor historic scan strip cgm current actual entry daily day taken walked burned burnt ' +
    'arterial capillary peripheral record data sat saturation lvl ' +
    'der die das des mein korper aktuell aktuelles gemessen gemessene gemessener gemessenes wert werte verlauf messung blut anzahl ' +
    'taglich tagliche verbraucht frequenz sattigung gesamt ' +
    'de du la le les l d mon en et nombre valeur valeurs mesure historique numerisation corporel corporelle corps sanguin sanguine ' +
    'sang taux frequence cardiaque arterielle tension total totale ' +
    'corporal corporeo corporea lichaam kropp el il un una heart ossigeno oxigeno saturazione saturacion'
  ).split(' ')
)
/** Prefixes and suffixes of measure words in their languages. */
const affixPattern =
  /^(?:\p{L}{0,3}|ility|ilitat|ilite|isch\p{L}{0,2}|iques?|e?werte?|n?sattigung|messung|spiegel|verbrauch|umsatz|korper|lichaams|kropps|blut|blod|herz)$/u

/**
 * Returns the words of a name (in lower case, without accents and unit) that are covered neither by a rule nor by minimum, maximum
 * or average: `Walking heart rate` differs from `Heart rate`.
 */
function findUncoveredWords(name: string, { also: and, name: pattern }: ColumnRule): string[] {
  // Covered text is replaced by dots. The rest of a word must be an ending or a neutral word.
  const masked = [...statisticNames.map(([part]) => part), pattern, ...(and ? [and] : [])].reduce(
    (text, each) => text.replaceAll(new RegExp(each.source, 'gu'), found => '.'.repeat(found.length)),
    name
  )
  return [...masked.matchAll(/[\p{L}\p{M}\d.]+/gu)]
    .filter(([word]) => {
      const isPart = word.includes('.')
      return word
        .split('.')
        .some(
          remainder =>
            remainder !== '' && !neutralWords.has(remainder) && !(isPart && affixPattern.test(remainder))
        )
    })
    .map(([word]) => word)
}
