/** The query string of a call as the audit keeps it: parameters that the method knows, and none that is a secret. (supplement 19.2) */

/** Parameters that open something. */
const secret = new Set(['auth', 'readToken'])

/** Becomes JSON only when it is written: until then it is the text that came. */
export class AuditedQuery {
  constructor(
    private readonly text: string,
    private readonly known: ReadonlySet<string>
  ) {}

  /** Values by name, several as an array; nothing if there is none to tell of. */
  toJSON(): Record<string, string | string[]> | undefined {
    const values = new Map<string, string | string[]>()
    for (const [given, value] of new URLSearchParams(this.text)) {
      const isList = given.endsWith('[]')
      const name = isList ? given.slice(0, -2) : given
      // What a method does not know it refuses; it might be anything.
      if (!this.known.has(name)) continue
      const before = values.get(name)
      if (before === undefined) values.set(name, isList ? [value] : value)
      else values.set(name, [before, value].flat())
    }
    return values.size === 0 ? undefined : Object.fromEntries(values)
  }
}

/** The names that may be told of a method with these params. */
export function tellable(params: { readonly properties?: object }): ReadonlySet<string> {
  return new Set(Object.keys(params.properties ?? {}).filter(name => !secret.has(name)))
}
