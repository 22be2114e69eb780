/** Parses query strings and forms. (docs/spec/conventions.md#query-strings) */
import { isUtf8 } from 'node:buffer'
import { fail } from '../../../core/errors.js'
import type { Settings } from '../../../core/settings/settings.js'
import type { QueryValues } from '../../../core/call/credentials.js'

/**
 * Values by name: one text, or several if the name is repeated or ends in `[]`, or in `[0]` as some libraries write
 * it.
 */
export type Query = QueryValues

export type QueryLimits = Pick<Settings['limits'], 'jsonKeys' | 'queryIds'>

/** Maximum number of names in a query or form; methods have a few dozen params at most. */
const maxNames = 1000
/** Maximum length of a name, in characters. */
const maxNameLength = 1000
/**
 * Maximum number of values of a name, unless more ids are allowed in stream queries; and the factor for the values of
 * all names together.
 */
const maxValues = 1000
const totalFactor = 10

/**
 * Parses `a=1&b=2`. Errors: `invalid-request-structure` for broken percent-encoding and for too many names or values:
 * a form has room for millions, each taking a hundred times its size in memory.
 */
export function parseQuery(text: string, { jsonKeys, queryIds }: QueryLimits): Query {
  const query = new Map<string, string | readonly string[]>()
  const max = { names: Math.min(maxNames, jsonKeys), values: Math.max(maxValues, queryIds) }
  let left = totalFactor * max.values
  for (let start = 0, end = 0; start < text.length; start = end + 1) {
    const mark = text.indexOf('&', start)
    end = mark < 0 ? text.length : mark
    if (--left < 0) refuse(`can have at most ${totalFactor * max.values} values`)
    if (end === start) continue
    add(query, pairIn(text.slice(start, end)), max)
  }
  return query
}

/** A name and a value. */
interface Pair {
  readonly name: string
  readonly value: string
  /** Whether the name is marked as having several values. */
  readonly isList: boolean
}

function add(
  query: Map<string, string | readonly string[]>,
  { isList, name, value }: Pair,
  max: { readonly names: number; readonly values: number }
): void {
  const known = query.get(name)
  if (known === undefined) {
    if (query.size >= max.names) refuse(`can have at most ${max.names} parameters`)
    query.set(name, isList ? [value] : value)
  } else if (typeof known === 'string') query.set(name, [known, value])
  else {
    if (known.length >= max.values) refuse(`can repeat a parameter at most ${max.values} times`)
    ;(known as string[]).push(value)
  }
}

function pairIn(pair: string): Pair {
  const equals = pair.indexOf('=')
  const end = equals < 0 ? pair.length : equals
  if (end > maxNameLength) refuse(`can have names of at most ${maxNameLength} characters`)
  const key = decoded(pair.slice(0, end))
  const value = equals < 0 ? '' : decoded(pair.slice(equals + 1))
  const suffix = key.endsWith(']') ? key.search(listSuffix) : -1
  const isList = suffix > 0
  return { name: isList ? key.slice(0, suffix) : key, value, isList }
}

const listSuffix = /\[\d{0,4}\]$/

/** Returns the first value of a name. */
export function firstOf(query: Query, name: string): string | undefined {
  const value = query.get(name)
  return typeof value === 'object' ? value[0] : value
}

function decoded(text: string): string {
  const hasPlus = text.includes('+')
  if (!hasPlus && !text.includes('%')) return text
  if (text.length > longText) return decodedBytes(Buffer.from(text))
  const spaced = hasPlus ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return refuseEncoding()
  }
}

/** Longer texts are decoded byte by byte: replacing millions of plus signs takes a second. */
const longText = 64 * 1024

const [plus, percent, blank] = [43, 37, 32]

/** Decodes bytes in place. */
function decodedBytes(bytes: Buffer): string {
  let end = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!
    if (byte === percent) {
      const value = hexDigit(bytes[at + 1]) * 16 + hexDigit(bytes[at + 2])
      if (Number.isNaN(value)) refuseEncoding()
      bytes[end++] = value
      at += 2
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
