/** The query string of a call as the audit keeps it: parameters that the method knows, and none that is a secret. (docs/spec/audit.md#record-content) */
import { shortened } from '../short-text.js'
import type { QueryValues } from '../call/credentials.js'

/** Parameters that open something. */
const secret = new Set(['auth', 'readToken'])

/** Characters of names and values that are kept. */
const most = 1024

type Told = Record<string, string | readonly string[]>

/** Becomes JSON only when it is written: until then it is what came, unless that is long. */
export class AuditedQuery {
  /** Whether a part of it is not kept. */
  readonly isCut: boolean
  readonly #values: QueryValues

  constructor(
    values: QueryValues,
    private readonly known: ReadonlySet<string>
  ) {
    const { isCut, kept } = lengthOf(values) > most ? cut(values, known) : { isCut: false, kept: values }
    this.isCut = isCut
    this.#values = kept
  }

  /** Values by name, several as an array; nothing if there is none to tell of. */
  toJSON(): Told | undefined {
    let told: Told | undefined
    for (const [name, value] of this.#values) {
      // What a method does not know it refuses; it might be anything.
      if (!this.known.has(name)) continue
      told ??= {}
      told[name] = value
    }
    return told
  }
}

/** The names that may be told of a method with these params. */
export function tellable(params: { readonly properties?: object }): ReadonlySet<string> {
  return new Set(Object.keys(params.properties ?? {}).filter(name => !secret.has(name)))
}

function lengthOf(values: QueryValues): number {
  let length = 0
  for (const [name, value] of values) {
    length += name.length
    if (typeof value === 'string') length += value.length
    else for (const one of value) length += one.length
  }
  return length
}

/** The values of known names as far as they fit: copies, since calls may wait to be written by the thousand. */
function cut(values: QueryValues, known: ReadonlySet<string>): { isCut: boolean; kept: QueryValues } {
  let room = most
  let isCut = false
  const take = (value: string): string => {
    if (value.length > room) isCut = true
    const kept = shortened(value, room)
    room -= kept.length
    return kept
  }
  const kept = new Map<string, string | readonly string[]>()
  for (const [name, value] of values) {
    if (!known.has(name)) continue
    if (typeof value === 'string') {
      kept.set(name, take(value))
      continue
    }
    const some: string[] = []
    for (const one of value) {
      // Empty ones take room too.
      if (--room <= 0) break
      some.push(take(one))
    }
    if (some.length < value.length) isCut = true
    kept.set(name, some)
  }
  return { isCut, kept }
}
