/** The query string of a call as the audit keeps it: parameters that the method knows, and none that is a secret. (supplement 19.2) */
import type { QueryValues } from '../method.js'

/** Parameters that open something. */
const secret = new Set(['auth', 'readToken'])

/** Becomes JSON only when it is written: until then it is what came. */
export class AuditedQuery {
  constructor(
    private readonly values: QueryValues,
    private readonly known: ReadonlySet<string>
  ) {}

  /** Values by name, several as an array; nothing if there is none to tell of. */
  toJSON(): Record<string, string | readonly string[]> | undefined {
    let told: Record<string, string | readonly string[]> | undefined
    for (const [name, value] of this.values) {
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
