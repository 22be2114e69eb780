/** Parses query strings and forms. (docs/spec/conventions.md#query-strings) */
import { isUtf8 } from 'node:buffer'
import { fail } from '../../../core/errors.js'
import type { Settings } from '../../../core/settings/settings.js'
import type { QueryValues } from '../../../core/call/credentials.js'

/**
 * Values by name: a text, or several texts if the name is repeated or ends in `[]` (or `[0]`, as some libraries write).
 */
export type Query = QueryValues

export type QueryLimits = Pick<Settings['limits'], 'jsonKeys' | 'queryIds'>

/** Maximum number of names in a query or form; methods have a few dozen params at most. */
const maxNames = 1000
/** Maximum length of a name, in characters. */
const maxNameLength = 1000
/**
 * Maximum number of values of a name, unless more ids are allowed in stream queries, and the factor of the limit for all names
 * together.
 */
const maxValues = 1000
const totalFactor = 10

/** Returns the maximum number of values of a name. */
export function getMaxValues({ queryIds }: Pick<QueryLimits, 'queryIds'>): number {
  return Math.max(maxValues, queryIds)
}

/**
 * Parses `a=1&b=2`. Errors: `invalid-request-structure` for invalid percent-encoding and for too many names or values: a form
 * could contain millions, each of which takes a hundred times its size in memory.
 */
export function parseQuery(text: string, { jsonKeys, queryIds }: QueryLimits): Query {
  const query = new Map<string, string | readonly string[]>()
  const max = { names: Math.min(maxNames, jsonKeys), values: getMaxValues({ queryIds }) }
  let remaining = totalFactor * max.values
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    const separator = text.indexOf('&', start)
    end = separator < 0 ? text.length : separator
    if (--remaining < 0) refuse(`can have at most ${totalFactor * max.values} values`)
    if (end === start) continue
    addPair(query, parsePair(text.slice(start, end)), max)
  }
  return query
}

/** A name and a value. */
interface Pair {
  readonly name: string
  readonly value: string
  /** True if the name is marked as having several values. */
  readonly isList: boolean
}

/** Adds a parameter; repeated ones become lists. Error: `invalid-request-structure` if there are too many. */
function addPair(
  query: Map<string, string | readonly string[]>,
  { isList, name, value }: Pair,
  max: { readonly names: number; readonly values: number }
): void {
  const existing = query.get(name)
  if (existing === undefined) {
    if (query.size >= max.names) refuse(`can have at most ${max.names} parameters`)
    query.set(name, isList ? [value] : value)
  } else if (typeof existing === 'string') query.set(name, [existing, value])
  else {
    if (existing.length >= max.values) refuse(`can repeat a parameter at most ${max.values} times`)
    ;(existing as string[]).push(value)
  }
}

function parsePair(pair: string): Pair {
  const equals = pair.indexOf('=')
  const end = equals < 0 ? pair.length : equals
  if (end > maxNameLength) refuse(`can have names of at most ${maxNameLength} characters`)
  const key = decodeComponent(pair.slice(0, end))
  const value = equals < 0 ? '' : decodeComponent(pair.slice(equals + 1))
  const suffix = key.endsWith(']') ? key.search(listSuffix) : -1
  const isList = suffix > 0
  return { name: isList ? key.slice(0, suffix) : key, value, isList }
}

const listSuffix = /\[\d{0,4}\]$/

/** Returns the first value of a name. Returns `undefined` if there is none. */
export function getFirst(query: Query, name: string): string | undefined {
  const value = query.get(name)
  return typeof value === 'object' ? value[0] : value
}

function decodeComponent(text: string): string {
  const hasPlus = text.includes('+')
  if (!hasPlus && !text.includes('%')) return text
  if (text.length > maxStringLength) return decodeBytes(Buffer.from(text))
  const spaced = hasPlus ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return refuseEncoding()
  }
}

/** Longer texts are decoded byte by byte: replacing millions of plus signs takes a second. */
const maxStringLength = 64 * 1024

const [plus, percent, blank] = [43, 37, 32]

/** Decodes bytes in place. */
function decodeBytes(bytes: Buffer): string {
  let end = 0
  for (let index = 0; index < bytes.length; index++) {
    const byte = bytes[index]!
    if (byte === percent) {
      const value = hexDigit(bytes[index + 1]) * 16 + hexDigit(bytes[index + 2])
      if (Number.isNaN(value)) refuseEncoding()
      bytes[end++] = value
      index += 2
    } else bytes[end++] = byte === plus ? blank : byte
  }
  const decodedPart = bytes.subarray(0, end)
  return isUtf8(decodedPart) ? decodedPart.toString() : refuseEncoding()
}

function hexDigit(code = 0): number {
  if (code >= 48 && code <= 57) return code - 48
  const lower = code | 32
  return lower >= 97 && lower <= 102 ? lower - 87 : NaN
}

function refuseEncoding(): never {
  fail('invalid-request-structure', 'The query is not properly percent-encoded')
}

function refuse(reason: string): never {
  fail('invalid-request-structure', `A query or form ${reason}`)
}
