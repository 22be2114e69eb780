/** Finds the columns of times in a table, by their names and cells. */
import { parseCellTime, removeMidnight } from '../text/cell-times.js'
import { isNumberCell } from '../text/cell-numbers.js'
import { parseZone, findZone } from '../text/zones.js'
import { noteNames } from './column-rules.js'
import { findUnitInName } from './column-units.js'

export type SampleRows = readonly (readonly string[])[]

/** Names of time columns. */
export const timeNames =
  /time ?stamp|zeitstempel|horodatage|date ?\/? ?time|^date|date$|^time|^datum|datum$|start|beginn|^debut|^when|measured|recorded|created|^zeit|^uhrzeit|^heure|fecha|^jour$|^day$|^tag$|\bat$|^utc\b|^data(?: e ora| i godzina| e hora)?$|^dato|^dia$|日時|日付|測定日|日期|날짜|дата|^tarih|^pvm/
/** Names of end columns. */
export const endNames = /^end|\bend(?: ?time| ?date)?$|^bis$|^fin$|^to$|^until/
/** Names of columns whose numbers are times. */
const numberTimeNames =
  /time ?stamp|zeitstempel|horodatage|date|time|datum|zeit|heure|fecha|epoch|unix|\bat$|^utc\b|^(?:start|begin|beginn|debut|when|measured|recorded|created|jour|day|tag)$|^data(?: e ora| i godzina| e hora)$|^tarih|^pvm|日時|日付|測定日|日期|날짜|дата/
const longNumber = /^(?:\d{8}|\d{9,}(?:\.\d+)?)$/
const birthNames = /birth|geburt|\bgeb\b|naissance|nacimiento|nascita/
/** Names of columns with dates other than those of the records. */
const otherDateNames =
  /birth|geburt|\bgeb\b|naissance|nacimiento|nascita|expir|updat|modif|geandert|^creat|erstellt|export|import|sync|print|\bdue\b|^(?:next|last|letzte[rs]?|dernier|derniere)\b/
const clockNames =
  /^(?:(?:start|begin|measurement|measuring|recording|recorded|record|local|device|event|entry|log|logged|sample|test|utc|gmt) ?)?(?:time(?: ?of ?(?:the )?day)?|(?:mess|start|uhr)?zeit|heure(?: de (?:debut|mesure|la mesure))?|clock|when|hora|ora|orario|tijd|tijdstip|tid|klokkeslett?|kello|klo|godzina|cas|hodina|saat|час|время|时间|時刻|時間|시간)(?: ?[([].*| (?:utc|gmt|local).*)?$/
/** Cells with only a time of day. */
export const clockCell = /^\d{1,2}[:h]\d\d(?::\d\d)?(?:\.\d{1,9})?(?:\s*[ap]\.?\s?m\.?)?(?:\s?(?:uhr|h))?$/i

/**
 * Finds the column of times: by its name and cells, then by cells only; numbers may have another meaning.
 * Returns `undefined` if there is none.
 */
export function findTimeColumn(
  columns: readonly string[],
  names: readonly string[],
  sample: SampleRows
): number | undefined {
  const findByCell = (matches: (name: string, cell: string, at: number) => boolean): number =>
    names.findIndex((name, at) =>
      matchesMostCells(sample, at, cell => matches(name, cell, at) && isTimeCell(cell))
    )
  const criteria = [
    (name: string, cell: string) =>
      isTimeName(name) &&
      isRecordTimeName(name) &&
      (isDateFormatted(cell) || (longNumber.test(cell) && numberTimeNames.test(name))),
    (name: string, cell: string, at: number) =>
      isRecordTimeName(name) &&
      !endNames.test(name) &&
      !noteNames.test(name) &&
      isDateFormatted(cell) &&
      getFilledCells(sample, at).length * 3 >= sample.length * 2,
    (name: string, _cell: string, at: number) =>
      isTimeName(name) && numberTimeNames.test(name) && findUnitInName(columns[at]!, undefined) === undefined,
    // Dates on which records were created or changed.
    (name: string, cell: string) => isTimeName(name) && !birthNames.test(name) && isDateFormatted(cell)
  ]
  for (const matches of criteria) {
    const at = findByCell(matches)
    if (at >= 0) return at
  }
  return undefined
}

function isTimeName(name: string): boolean {
  return timeNames.test(name) && !endNames.test(name)
}

function isRecordTimeName(name: string): boolean {
  return !otherDateNames.test(name)
}

/** Returns true if a cell has a time of day other than midnight. */
function hasTimeOfDay(cell: string): boolean {
  return /\d[:h]\d\d|T\d|\d[ ,]+\d{1,2}\.\d\d|^\d{9}/.test(cell) && removeMidnight(cell) === cell
}

/** Returns true if a cell contains a date and a time of day. */
export function isDateAndTime(cell: string): boolean {
  return isDateFormatted(cell) && hasTimeOfDay(cell) && isTimeCell(cell)
}

/** Returns true if a cell is formatted like a date, unlike a number. */
function isDateFormatted(cell: string): boolean {
  return /\d[-/.]\d|\p{L}{3}|\dT\d/u.test(cell) && !isNumberCell(cell)
}

/**
 * Finds a column of times of day beside a column of dates, which may contain midnights. Returns `undefined`
 * if there is none, or the dates have a time of day.
 */
export function findClockColumn(
  names: readonly string[],
  sample: SampleRows,
  date: number
): number | undefined {
  if (matchesMostCells(sample, date, hasTimeOfDay)) return undefined
  const findByCell = (form: RegExp): number =>
    names.findIndex(
      (name, at) =>
        at !== date && clockNames.test(name) && matchesMostCells(sample, at, cell => form.test(cell))
    )
  const found = findByCell(clockCell)
  // With a dot it may be a number, unless the name says otherwise.
  const dotted = found < 0 ? findByCell(/^\d{1,2}\.\d\d$/) : found
  return dotted < 0 ? undefined : dotted
}

/**
 * Finds the time zone in the name of a column: `UTC Date/Time`, `Time (GMT+2)`, `timestamp_utc`. Returns
 * `undefined` if there is none.
 */
export function findZoneInName(name: string): string | undefined {
  const paths = name.slice(0, 200).matchAll(/[A-Za-z]{2,20}\/[A-Za-z_]{2,30}(?:\/[A-Za-z_]{2,30})?/g)
  for (const [path] of paths) if (findZone(path) !== undefined) return path
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

/** Returns true if a cell contains a time, possibly with an unknown zone. A date alone is one, too. */
export function isTimeCell(cell: string): boolean {
  const plain = cell.length < 100 ? cell.replace(/ [A-Z]{2,5}$/, '') : cell
  return (['dmy', 'mdy'] as const).some(
    order => !Number.isNaN(parseCellTime(plain, undefined, order, undefined))
  )
}

/** Returns true if at least half of the non-empty cells of a column match: a single row may have a footer. */
export function matchesMostCells(
  sample: SampleRows,
  column: number,
  matches: (cell: string) => boolean
): boolean {
  const cells = getFilledCells(sample, column)
  return cells.length > 0 && cells.filter(matches).length * 2 >= cells.length
}

/** Returns the non-empty cells of a column. */
export function getFilledCells(sample: SampleRows, column: number): string[] {
  return sample.map(row => (row[column] ?? '').trim()).filter(Boolean)
}
