/** Finds the columns of a table that tell the times of its records, by their names and cells. */
import { cellTime, withoutMidnight } from '../text/cell-times.js'
import { isNumber } from '../text/cells.js'
import { parseZone, zoneOf } from '../text/zones.js'
import { notes } from './rules.js'
import { unitInName } from './units.js'

export type Rows = readonly (readonly string[])[]

/** Names of columns of times. */
export const timeNames =
  /time ?stamp|zeitstempel|horodatage|date ?\/? ?time|^date|date$|^time|^datum|datum$|start|beginn|^debut|^when|measured|recorded|created|^zeit|^uhrzeit|^heure|fecha|^jour$|^day$|^tag$|\bat$|^utc\b|^data(?: e ora| i godzina| e hora)?$|^dato|^dia$|日時|日付|測定日|日期|날짜|дата|^tarih|^pvm/
/** Names of columns of ends. */
export const endNames = /^end|\bend(?: ?time| ?date)?$|^bis$|^fin$|^to$|^until/
/** Names of columns whose numbers are times. */
const numberTimeNames =
  /time ?stamp|zeitstempel|horodatage|date|time|datum|zeit|heure|fecha|epoch|unix|\bat$|^utc\b|^(?:start|begin|beginn|debut|when|measured|recorded|created|jour|day|tag)$/
const longNumber = /^(?:\d{8}|\d{9,}(?:\.\d+)?)$/
const birthNames = /birth|geburt|\bgeb\b|naissance|nacimiento|nascita/
/** Names of days that are not those of records. */
const asideNames =
  /birth|geburt|\bgeb\b|naissance|nacimiento|nascita|expir|updat|modif|geandert|^creat|erstellt|export|import|sync|print|\bdue\b|^(?:next|last|letzte[rs]?|dernier|derniere)\b/
const clockNames =
  /^(?:(?:start|begin|measurement|measuring|recording|recorded|record|local|device|event|entry|log|logged|sample|test|utc|gmt) ?)?(?:time(?: ?of ?(?:the )?day)?|(?:mess|start|uhr)?zeit|heure(?: de (?:debut|mesure|la mesure))?|clock|when|hora|ora|orario|tijd|tijdstip|tid|klokkeslett?|kello|klo|godzina|cas|hodina|saat|час|время|时间|時刻|時間|시간)(?: ?[([].*| (?:utc|gmt|local).*)?$/
/** Cells that hold a time of the day alone. */
export const clockCell = /^\d{1,2}[:h]\d\d(?::\d\d)?(?:\.\d{1,9})?(?:\s*[ap]\.?\s?m\.?)?(?:\s?(?:uhr|h))?$/i

/** Finds the column of times: by its name and cells, then by cells alone; numbers may be of something else. */
export function findTimeColumn(
  columns: readonly string[],
  names: readonly string[],
  sample: Rows
): number | undefined {
  const find = (is: (name: string, cell: string, at: number) => boolean): number =>
    names.findIndex((name, at) => most(sample, at, cell => is(name, cell, at) && isTime(cell)))
  const finds = [
    (name: string, cell: string) =>
      isNamed(name) &&
      isOfRecords(name) &&
      (isFormed(cell) || (longNumber.test(cell) && numberTimeNames.test(name))),
    (name: string, cell: string, at: number) =>
      isOfRecords(name) &&
      !endNames.test(name) &&
      !notes.test(name) &&
      isFormed(cell) &&
      filled(sample, at).length * 3 >= sample.length * 2,
    (name: string, _cell: string, at: number) =>
      isNamed(name) && numberTimeNames.test(name) && unitInName(columns[at]!, undefined) === undefined,
    // Of the days on which records were made or changed.
    (name: string, cell: string) => isNamed(name) && !birthNames.test(name) && isFormed(cell)
  ]
  for (const is of finds) {
    const at = find(is)
    if (at >= 0) return at
  }
  return undefined
}

function isNamed(name: string): boolean {
  return timeNames.test(name) && !endNames.test(name)
}

function isOfRecords(name: string): boolean {
  return !asideNames.test(name)
}

/** Whether a cell has a time of the day other than a midnight. */
function hasClock(cell: string): boolean {
  return /\d[:h]\d\d|T\d|\d[ ,]+\d{1,2}\.\d\d|^\d{9}/.test(cell) && withoutMidnight(cell) === cell
}

/** Whether a cell has the form of a date, which no number has. */
function isFormed(cell: string): boolean {
  return /\d[-/.]\d|\p{L}{3}|\dT\d/u.test(cell) && !isNumber(cell)
}

/** A column of times of the day beside one of dates, which may have midnights. */
export function findClockColumn(names: readonly string[], sample: Rows, date: number): number | undefined {
  if (most(sample, date, hasClock)) return undefined
  const find = (form: RegExp): number =>
    names.findIndex(
      (name, at) => at !== date && clockNames.test(name) && most(sample, at, cell => form.test(cell))
    )
  const found = find(clockCell)
  // With a point it may be a number, unless the name tells.
  const pointed = found < 0 ? find(/^\d{1,2}\.\d\d$/) : found
  return pointed < 0 ? undefined : pointed
}

/** Finds the time zone in the name of a column: `UTC Date/Time`, `Time (GMT+2)`, `timestamp_utc`. */
export function zoneInName(name: string): string | undefined {
  const paths = name.slice(0, 200).matchAll(/[A-Za-z]{2,20}\/[A-Za-z_]{2,30}(?:\/[A-Za-z_]{2,30})?/g)
  for (const [path] of paths) if (zoneOf(path) !== undefined) return path
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

/** Whether a cell holds a time, perhaps of a zone that is not known. */
export function isTime(cell: string): boolean {
  const plain = cell.length < 100 ? cell.replace(/ [A-Z]{2,5}$/, '') : cell
  return (['dmy', 'mdy'] as const).some(order => !Number.isNaN(cellTime(plain, undefined, order, undefined)))
}

/** Whether half of the cells of a column that are not empty meet a condition: a single row may have a footer. */
export function most(sample: Rows, at: number, is: (cell: string) => boolean): boolean {
  const cells = filled(sample, at)
  return cells.length > 0 && cells.filter(is).length * 2 >= cells.length
}

/** Returns the cells of a column that are not empty. */
export function filled(sample: Rows, at: number): string[] {
  return sample.map(row => (row[at] ?? '').trim()).filter(Boolean)
}
