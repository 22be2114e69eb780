/** Parameters of searches. (http://hl7.org/fhir/R4/search.html) */
import type { ReadRequest } from '../endpoints.js'
import { refuse } from './outcome.js'
import { quoteText } from '../../core/errors.js'

/** Maximum number of resources of a page, and how many there are unless the client says so. */
export const maxCount = 500
const defaultCount = 100
/** Maximum number of values of a parameter, in all its lists, and of characters of a list. */
const [maxValues, maxValueLength] = [100, 1000]
/** Parameters of every search and request, which are not among those of a type. */
const commonNames = ['_count', '_summary', 'page']
const silentNames = new Set(['_pretty', 'auth'])
/** Parameters of every request, which pages have like the request. */
const keptNames = new Set(['_format'])

/** The parameters of a search that are understood. */
export interface Search {
  /** Maximum number of resources of the page. */
  readonly count: number
  /** Whether only the number of resources is wanted. */
  readonly isCountOnly: boolean
  /** Where the page begins, as the link to it said. */
  readonly page: string | undefined
  /** The token, if it is in the address. */
  readonly token: string | undefined
  /** The parameters and values that apply, for links; without `page` and the token. */
  readonly used: readonly (readonly [name: string, value: string])[]
  /** Returns the values of a parameter: all lists apply, and one value of each list. */
  listValues(name: string): readonly (readonly string[])[]
  /** Returns the codes that are the values of a parameter, in such lists. */
  listTokens(name: string): readonly (readonly Token[])[]
}

/**
 * Reads the parameters of a search. Others are ignored, or refused if the client asks for strict handling.
 * Throws for modifiers and chains, which would be misunderstood otherwise. Empty values are ignored; too many
 * or too long ones are refused.
 */
export function readSearch({ credentials, params }: ReadRequest, names: readonly string[]): Search {
  const known = new Set([...names, ...commonNames])
  const isStrict = /(?:^|[\s,;])handling\s*=\s*"?strict/i.test(String(credentials.headers?.['prefer'] ?? ''))
  const found = new Map<string, readonly string[]>()
  for (const [name, values] of params) {
    if (silentNames.has(name)) continue
    if (keptNames.has(name)) {
      found.set(name, values.slice(0, 1))
      continue
    }
    const [base = ''] = name.split(/[:.]/, 1)
    if (known.has(base) && base !== name)
      refuse('not-supported', `Modifiers and chains are not supported: ${quoteText(name)}`)
    // Resources are not summarised, only counted.
    if (!known.has(name) || (name === '_summary' && !isSummaryKnown(values))) {
      if (isStrict) refuse('not-supported', `Unknown parameter ${quoteText(name)}`)
      continue
    }
    const given = values.filter(value => value !== '')
    if (given.length === 0) continue
    const isLong = given.some(value => value.length > maxValueLength)
    if (isLong || given.flatMap(splitValues).length > maxValues)
      refuse('too-costly', `There are too many values of "${name}"`)
    found.set(name, given)
  }
  const lists = new Map(Array.from(found, ([name, values]) => [name, values.map(splitValues)]))
  const texts = mapLists(lists, unescapeValue)
  const tokens = mapLists(lists, parseToken)
  const count = readCount(found.get('_count'))
  const isCountOnly = count === 0 || found.get('_summary')?.includes('count') === true
  return {
    count: isCountOnly ? maxCount : count,
    isCountOnly,
    page: found.get('page')?.at(-1),
    token: credentials.authorization === undefined ? credentials.auth : undefined,
    used: [...found].flatMap(([name, values]) =>
      name === 'page' ? [] : values.map(value => [name, value] as const)
    ),
    listValues: name => texts.get(name) ?? [],
    listTokens: name => tokens.get(name) ?? []
  }
}

function isSummaryKnown(values: readonly string[]): boolean {
  return values.every(value => ['', 'count', 'false'].includes(value))
}

function readCount(values: readonly string[] = []): number {
  const text = values[0] ?? String(defaultCount)
  if (values.length > 1 || !/^\d{1,9}$/.test(text)) refuse('invalid', '"_count" must be a whole number')
  return Math.min(Number(text), maxCount)
}

/** Splits a list at its commas, except those after a backslash. Values keep their backslashes; empty ones are omitted. */
function splitValues(text: string): readonly string[] {
  return text.match(/(?:[^,\\]|\\.|\\$)+/gs) ?? []
}

/** Removes the backslashes before characters that separate values. (http://hl7.org/fhir/R4/search.html#escaping) */
function unescapeValue(value: string): string {
  return value.replaceAll(/\\([,|$\\])/g, '$1')
}

function mapLists<T>(
  lists: ReadonlyMap<string, readonly (readonly string[])[]>,
  convert: (value: string) => T
): ReadonlyMap<string, readonly (readonly T[])[]> {
  return new Map(Array.from(lists, ([name, values]) => [name, values.map(list => list.map(convert))]))
}

/** Returns the order by a date that a search asks for: the latest first by default. Refuses other orders. */
export function readOrder(search: Search, name = 'date'): 'ascending' | 'descending' {
  const values = search.listValues('_sort').flat()
  if (values.length === 0) return 'descending'
  const isDate = values.length === 1 && (values[0] === name || values[0] === `-${name}`)
  if (!isDate) refuse('not-supported', `"_sort" can be "${name}" or "-${name}"`)
  return values[0] === name ? 'ascending' : 'descending'
}

/**
 * Returns the state of the events that a search may find: also those in the trash if it only asks for the status that they have
 * as resources.
 */
export function getSearchedState(search: Search): 'all' | 'default' {
  const isOfErrors = search
    .listTokens('status')
    .some(tokens => tokens.every(({ code }) => code === 'entered-in-error'))
  return isOfErrors ? 'all' : 'default'
}

/** A code to search for, and the system that it must be from. */
export interface Token {
  /** `undefined`: any. */
  readonly system: string | undefined
  /** Empty: any of the system. */
  readonly code: string
}

/** A code of a resource. */
export interface FoundCode {
  readonly system?: unknown
  readonly code?: unknown
}

/**
 * Returns whether the codes of a resource meet a parameter. Every list must contain one of them; without
 * lists, all do. Takes time in proportion to values and codes, not to their product: a resource may have many codes.
 */
export function meetsTokens(lists: readonly (readonly Token[])[], codes: readonly FoundCode[]): boolean {
  if (lists.length === 0) return true
  const bySystem = new Map<unknown, Set<unknown>>()
  const all = new Set<unknown>()
  for (const { code, system = '' } of codes) {
    const found = bySystem.get(system ?? '')
    if (found) found.add(code)
    else bySystem.set(system ?? '', new Set([code]))
    all.add(code)
  }
  return lists.every(tokens =>
    tokens.some(({ code, system }) => {
      if (system === undefined) return code !== '' && all.has(code)
      const found = bySystem.get(system)
      return found !== undefined && (code === '' || found.has(code))
    })
  )
}

/** Parses a code such as `system|code`; a bar after a backslash does not end the system. */
function parseToken(value: string): Token {
  const [, system, code = value] = /^((?:[^|\\]|\\.)*)\|(.*)$/s.exec(value) ?? []
  return { system: system === undefined ? undefined : unescapeValue(system), code: unescapeValue(code) }
}
