/** Finds lists that are longer than their schema allows, before their items are validated. (docs/spec/limits.md#items) */
import type { TSchema } from 'typebox'

/** A list that is too long: its place as `#/field`, and how long it may be. */
interface TooLong {
  readonly path: string
  readonly limit: number
}

/** Checks a value at a path. */
type LengthCheck = (value: unknown, path: string) => TooLong | undefined

/** The parts of JSON Schema that matter here: those of lists in params. */
interface Schema {
  readonly maxItems?: number
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
}

/**
 * Returns a function that finds the first list that is too long, in the value itself or in a field at any depth. Validating
 * a million items one by one, and reporting an error for each, would take a second. The schema is read at the first call: at startup,
 * those of all methods would take time.
 */
export function createLengthCheck(schema: TSchema): (value: unknown) => TooLong | undefined {
  let checks: readonly LengthCheck[] | undefined
  return value => {
    checks ??= [compile(schema)].filter(check => check !== undefined)
    return findFirst(checks, check => check(value, '#'))
  }
}

function compile(schema: Schema): LengthCheck | undefined {
  const checks = [
    compileLengthCheck(schema),
    compileFieldChecks(schema),
    ...(schema.anyOf ?? []).map(compile)
  ].filter(check => check !== undefined)
  return checks.length < 2 ? checks[0] : (value, path) => findFirst(checks, check => check(value, path))
}

function compileLengthCheck({ maxItems }: Schema): LengthCheck | undefined {
  if (maxItems === undefined) return undefined
  return (value, path) =>
    Array.isArray(value) && value.length > maxItems ? { path, limit: maxItems } : undefined
}

/** Returns a check of the lists in an object's properties; `undefined` if its schema limits none. */
function compileFieldChecks({ properties = {} }: Schema): LengthCheck | undefined {
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const check = compile(field)
    return check ? [{ name, check }] : []
  })
  if (fields.length === 0) return undefined
  return (value, path) => {
    if (typeof value !== 'object' || value === null) return undefined
    return findFirst(fields, ({ name, check }) =>
      check((value as Readonly<Record<string, unknown>>)[name], `${path}/${name}`)
    )
  }
}

/** Returns the first defined result. */
function findFirst<T>(items: readonly T[], callback: (item: T) => TooLong | undefined): TooLong | undefined {
  for (const item of items) {
    const found = callback(item)
    if (found) return found
  }
  return undefined
}
