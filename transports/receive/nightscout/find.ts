/** Interprets the queries of Nightscout: `find[sgv][$gte]=100&count=10`. */
import { fail } from '../../../core/errors.js'
import { getMember, type Json } from '../../../imports/formats/json-files.js'
import { isIsoTime, parseIsoTime } from '../../../imports/text/times.js'

/** A condition on a member of documents. */
interface Condition {
  readonly path: readonly string[]
  readonly operator: string
  readonly value: string
}

/** A member that is one of some values. */
export interface Equality {
  readonly path: readonly string[]
  readonly values: readonly (string | number)[]
}

export interface Find {
  readonly conditions: readonly Condition[]
  /** Seconds; those within which the documents must be. */
  readonly from: number | undefined
  readonly to: number | undefined
  /** Whether at least one condition is about the time. */
  readonly hasTimeCondition: boolean
  /** Some of what documents must be equal to, for the query that finds them; `conditions` has the rest. */
  readonly equalities: readonly Equality[]
  /** Whether all conditions are about the time; also true without any. */
  readonly hasOnlyTimeConditions: boolean
}

/** Members that contain the time of a document. */
export const timeNames = new Set([
  'date',
  'mills',
  'dateString',
  'created_at',
  'sysTime',
  'timestamp',
  'timeStamp',
  'startDate'
])
const operators = new Set(['$eq', '$ne', '$gt', '$gte', '$lt', '$lte', '$in', '$nin', '$exists'])
/** Maximum number of conditions. */
const maxConditions = 10
/** Maximum number of values of a condition. */
const maxValues = 50
/** Seconds by which a range of times is extended: the times in a document may differ a little. */
const timeTolerance = 1

/**
 * Parses the conditions of a query, `find[member][$operator]=value`; other parameters are ignored. `$gt` and `$gte` begin
 * the range of times, `$lt` and `$lte` end it. Error: `invalid-request-structure` for
 * operators that are not supported, and for too many conditions or values.
 */
export function parseFind(query: Readonly<Record<string, string>>): Find {
  const conditions = Object.entries(query).flatMap(([name, value]) => {
    if (!name.startsWith('find[') || !name.endsWith(']')) return []
    const parts = name
      .slice('find['.length, -1)
      .split('][')
      .filter(part => part !== '')
    const last = parts.at(-1) ?? ''
    const operator = last.startsWith('$') ? last : '$eq'
    if (!operators.has(operator))
      fail('invalid-request-structure', `Unknown operator "${operator.slice(0, 50)}" in find`)
    const path = (last.startsWith('$') ? parts.slice(0, -1) : parts).flatMap(part => part.split('.'))
    return path.length === 0 ? [] : [{ path, operator, value }]
  })
  if (conditions.some(({ value }) => value.split(/[,|]/).length > maxValues))
    fail('invalid-request-structure', 'Too many values in find')
  if (conditions.length > maxConditions) fail('invalid-request-structure', 'Too many conditions in find')
  let [from, to]: (number | undefined)[] = []
  for (const { operator, path, value } of conditions) {
    const time = path.length === 1 && timeNames.has(path[0]!) ? parseTime(value) : undefined
    if (isAboutTime({ path })) assertPossible(value)
    if (time === undefined) continue
    if (operator.startsWith('$g') || operator === '$eq') from = Math.max(from ?? 0, time - timeTolerance)
    if (operator.startsWith('$l') || operator === '$eq') to = Math.min(to ?? Infinity, time + timeTolerance)
  }
  return {
    conditions,
    from,
    to,
    hasTimeCondition: conditions.some(isAboutTime),
    equalities: conditions.flatMap(toEquality).slice(0, maxEqualities),
    hasOnlyTimeConditions: conditions.every(isAboutTime)
  }
}

function isAboutTime({ path }: Pick<Condition, 'path'>): boolean {
  return timeNames.has(path[0]!)
}

/** Maximum number of equalities that a query can contain. */
const maxEqualities = 3
const namePattern = /^[a-zA-Z0-9_:-]+$/
/** Members that version 3 of the API adds to documents. */
const addedNames = new Set(['identifier', 'srvModified', 'srvCreated', 'isValid'])

/** Returns what a condition requires, unless it may be met in several ways, as times and truth values are. */
function toEquality({ operator, path, value }: Condition): Equality[] {
  const isPlain =
    operator === '$eq' && path.every(name => namePattern.test(name)) && !addedNames.has(path[0]!)
  if (!isPlain || value === '' || value === 'true' || value === 'false') return []
  if (parseTime(value) !== undefined) return []
  const number = Number(value)
  return [{ path, values: Number.isFinite(number) ? [value, number] : [value] }]
}

/** Returns whether a document meets all conditions. */
export function matches({ conditions }: Find, document: Json): boolean {
  return conditions.every(({ operator, path, value }) => {
    let found: unknown = document
    for (const name of path) found = getMember(found, name)
    return meetsCondition(found, operator, value)
  })
}

function meetsCondition(found: unknown, operator: string, value: string): boolean {
  if (operator === '$exists') return (found !== undefined) === (value !== 'false' && value !== '0')
  if (operator === '$in' || operator === '$nin')
    return value.split(/[,|]/).some(each => compare(found, each) === 0) === (operator === '$in')
  const order = compare(found, value)
  if (operator === '$ne') return order !== 0
  if (order === undefined) return false
  if (operator === '$eq') return order === 0
  if (operator === '$gt') return order > 0
  if (operator === '$gte') return order >= 0
  return operator === '$lt' ? order < 0 : order <= 0
}

/** Compares a member with a text from a query: as numbers, times or texts. `undefined` if they cannot be compared. */
function compare(found: unknown, value: string): number | undefined {
  if (typeof found === 'boolean') return String(found) === value ? 0 : undefined
  if (typeof found === 'number') {
    const number = Number(value)
    const other = Number.isNaN(number) ? parseIsoTime(value, 'UTC') * 1000 : number
    return Number.isNaN(other) ? undefined : found - other
  }
  if (typeof found !== 'string') return undefined
  const [own, other] = [parseIsoTime(found, 'UTC'), parseTime(value)]
  if (!Number.isNaN(own) && other !== undefined) return own - other
  return found < value ? -1 : Number(found > value)
}

/** Error: `invalid-request-structure` for a date or time that does not exist. Other texts may be parts of one, or several. */
export function assertPossible(text: string): void {
  if (isIsoTime(text) && Number.isNaN(parseIsoTime(text, 'UTC')))
    fail('invalid-request-structure', `There is no time "${text.slice(0, 50)}"`)
}

/** Parses a time in a header; returns milliseconds, `NaN` if it is no time, or does not exist. */
export function parseHttpDate(text: string): number {
  const time = parseIsoTime(text, 'UTC') * 1000
  if (!Number.isNaN(time)) return time
  const date = new Date(text)
  // `Date` makes 30 February 2 March.
  return date.toUTCString() === text ? date.getTime() : NaN
}

/** Parses a time in milliseconds or as an ISO text; returns seconds. */
function parseTime(value: string): number | undefined {
  const time =
    /^\d{1,15}$/.test(value) && value.length > 8 ? Number(value) / 1000 : parseIsoTime(value, 'UTC')
  return Number.isNaN(time) ? undefined : time
}

/**
 * Parses a number of documents, at most `maximum`. Error: `invalid-request-structure` if it is no integer, or
 * negative.
 */
export function parseCount(text: string | undefined, byDefault: number, maximum: number): number {
  const count = text === undefined ? byDefault : Number(text)
  if (!Number.isInteger(count) || count < 0)
    fail('invalid-request-structure', 'The number of documents must be an integer')
  return Math.min(count, maximum)
}
