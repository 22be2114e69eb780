/** Query strings and forms: text to names and values. (clients.md, Events over the wire; supplement 26, arrays in query strings) */
import { fail } from '../../core/errors.js'
import type { QueryValues } from '../../core/method.js'

/** Values by name: one text, or several where the name is repeated or ends in `[]`, or in `[0]` as some libraries write it. */
export type Query = QueryValues

/** Reads `a=1&b=2`. Error: `invalid-request-structure` for broken percent-encoding. */
export function parseQuery(text: string): Query {
  const query = new Map<string, string | readonly string[]>()
  for (const pair of text.split('&')) {
    if (pair === '') continue
    const equals = pair.indexOf('=')
    const key = decoded(equals < 0 ? pair : pair.slice(0, equals))
    const value = equals < 0 ? '' : decoded(pair.slice(equals + 1))
    const end = key.endsWith(']') ? key.search(listSuffix) : -1
    const isList = end > 0
    const name = isList ? key.slice(0, end) : key
    const known = query.get(name)
    if (known === undefined) query.set(name, isList ? [value] : value)
    else if (typeof known === 'string') query.set(name, [known, value])
    else (known as string[]).push(value)
  }
  return query
}

const listSuffix = /\[\d{0,4}\]$/

/** The first value of a name. */
export function firstOf(query: Query, name: string): string | undefined {
  const value = query.get(name)
  return typeof value === 'object' ? value[0] : value
}

function decoded(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return fail('invalid-request-structure', 'The query is not properly percent-encoded.')
  }
}
