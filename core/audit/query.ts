/** The query string of a call as the audit records it: parameters that the method knows, without secrets. (docs/spec/audit.md#record-content) */
import { truncateText } from '../truncate-text.js'
import type { QueryValues } from '../call/credentials.js'

/** Parameters that hold secrets. */
const secretParams = new Set(['auth', 'readToken'])

/** Maximum number of recorded characters, in names and values together. */
const maxCharacters = 1024

type RecordedQuery = Record<string, string | readonly string[]>

/**
 * A query that is serialised only when its call is recorded; until then this object refers to the received values, or
 * to a copy cut to length.
 */
export class AuditedQuery {
  /** True if a part of it is omitted. */
  readonly isTruncated: boolean
  readonly #values: QueryValues

  constructor(
    values: QueryValues,
    private readonly known: ReadonlySet<string>
  ) {
    const { isTruncated, kept } =
      countCharacters(values) > maxCharacters ? cutQuery(values, known) : { isTruncated: false, kept: values }
    this.isTruncated = isTruncated
    this.#values = kept
  }

  /** The values by name, several values of one name as an array; `undefined` if there are no values. */
  toJSON(): RecordedQuery | undefined {
    let recorded: RecordedQuery | undefined
    for (const [name, value] of this.#values) {
      // The method refuses parameters that it does not know: they might hold anything.
      if (!this.known.has(name)) continue
      recorded ??= {}
      recorded[name] = value
    }
    return recorded
  }
}

/** Returns the names of the parameters that may be recorded for a method with these params. */
export function listRecordableParams(params: { readonly properties?: object }): ReadonlySet<string> {
  return new Set(Object.keys(params.properties ?? {}).filter(name => !secretParams.has(name)))
}

function countCharacters(values: QueryValues): number {
  let length = 0
  for (const [name, value] of values) {
    length += name.length
    if (typeof value === 'string') length += value.length
    else for (const one of value) length += one.length
  }
  return length
}

/**
 * Returns the values of known names as far as they fit. Copies, so that calls that are only counted keep no long texts
 * in memory.
 */
function cutQuery(
  values: QueryValues,
  known: ReadonlySet<string>
): { isTruncated: boolean; kept: QueryValues } {
  let remaining = maxCharacters
  let isTruncated = false
  const take = (value: string): string => {
    if (value.length > remaining) isTruncated = true
    const kept = truncateText(value, remaining)
    remaining -= kept.length
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
      // Empty values count too.
      if (--remaining <= 0) break
      some.push(take(one))
    }
    if (some.length < value.length) isTruncated = true
    kept.set(name, some)
  }
  return { isTruncated, kept }
}
