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
const commonNames = ['_count', 'page']
const silentNames = new Set(['_pretty', 'auth'])
/** Parameters of every request, which pages have like the request. */
const keptNames = new Set(['_format'])

/** The parameters of a search that are understood. */
export interface Search {
  /** Maximum number of resources of the page. */
  readonly count: number
  /** Where the page begins, as the link to it said. */
  readonly page: string | undefined
  /** The token, if it is in the address. */
  readonly token: string | undefined
  /** The parameters and values that apply, for links; without `page` and the token. */
  readonly used: readonly (readonly [name: string, value: string])[]
  /** Returns the values of a parameter: all lists apply, and one value of each list. */
  listValues(name: string): readonly (readonly string[])[]
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
    if (!known.has(name)) {
      if (isStrict) refuse('not-supported', `Unknown parameter ${quoteText(name)}`)
      continue
    }
    const given = values.filter(value => value !== '')
    if (given.length === 0) continue
    const count = given.reduce((sum, value) => sum + splitValues(value).length, 0)
    if (count > maxValues || given.some(value => value.length > maxValueLength))
      refuse('too-costly', `There are too many values of "${name}"`)
    found.set(name, given)
  }
  return {
    count: readCount(found.get('_count')),
    page: found.get('page')?.at(-1),
    token: credentials.headers?.['authorization'] === undefined ? params.get('auth')?.[0] : undefined,
    used: [...found].flatMap(([name, values]) =>
      name === 'page' ? [] : values.map(value => [name, value] as const)
    ),
    listValues: name => (found.get(name) ?? []).map(splitValues)
  }
}

function readCount(values: readonly string[] = []): number {
  const text = values[0] ?? String(defaultCount)
  if (values.length > 1 || !/^\d{1,9}$/.test(text) || Number(text) === 0)
    refuse('invalid', '"_count" must be a whole number of 1 or more')
  return Math.min(Number(text), maxCount)
}

function splitValues(text: string): string[] {
  return text.split(',').filter(value => value !== '')
}

/** Returns the order by a date that a search asks for: the latest first by default. Refuses other orders. */
export function readOrder(search: Search, name = 'date'): 'ascending' | 'descending' {
  const values = search.listValues('_sort').flat()
  if (values.length === 0) return 'descending'
  const isDate = values.length === 1 && (values[0] === name || values[0] === `-${name}`)
  if (!isDate) refuse('not-supported', `"_sort" can be "${name}" or "-${name}"`)
  return values[0] === name ? 'ascending' : 'descending'
}

/** A code to search for, and the system that it must be from. */
interface Token {
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
export function meetsTokens(lists: readonly (readonly string[])[], codes: readonly FoundCode[]): boolean {
  if (lists.length === 0) return true
  const bySystem = new Map<unknown, Set<unknown>>()
  const all = new Set<unknown>()
  for (const { code, system = '' } of codes) {
    const found = bySystem.get(system ?? '')
    if (found) found.add(code)
    else bySystem.set(system ?? '', new Set([code]))
    all.add(code)
  }
  return lists.every(values =>
    values.some(value => {
      const { code, system } = parseToken(value)
      if (system === undefined) return code !== '' && all.has(code)
      const found = bySystem.get(system)
      return found !== undefined && (code === '' || found.has(code))
    })
  )
}

function parseToken(value: string): Token {
  const bar = value.indexOf('|')
  return bar < 0
    ? { system: undefined, code: value }
    : { system: value.slice(0, bar), code: value.slice(bar + 1) }
}
