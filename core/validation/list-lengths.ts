/** Finds lists that are longer than their schema allows, before their items are validated. (docs/spec/limits.md#items) */
import type { TSchema } from 'typebox'

/** A list that is too long: its place as `#/field`, and how long it may be. */
export interface TooLong {
  readonly path: string
  readonly limit: number
}

/** Checks a value at a path. */
type Look = (value: unknown, path: string) => TooLong | undefined

/** The parts of JSON Schema that matter here: those of lists in params. */
interface Schema {
  readonly maxItems?: number
  readonly anyOf?: readonly Schema[]
  readonly properties?: Readonly<Record<string, Schema>>
}

/**
 * Returns a function that finds the first list that is too long, in the value itself or in a field at any depth. Validating
 * a million items one by one, and reporting an error for each, would take a second.
 */
export function lengthCheck(schema: TSchema): (value: unknown) => TooLong | undefined {
  const look = compile(schema)
  return value => look?.(value, '#')
}

function compile(schema: Schema): Look | undefined {
  const looks = [ofLength(schema), ofFields(schema), ...(schema.anyOf ?? []).map(compile)].filter(
    look => look !== undefined
  )
  return looks.length < 2 ? looks[0] : (value, path) => first(looks, look => look(value, path))
}

function ofLength({ maxItems }: Schema): Look | undefined {
  if (maxItems === undefined) return undefined
  return (value, path) =>
    Array.isArray(value) && value.length > maxItems ? { path, limit: maxItems } : undefined
}

function ofFields({ properties = {} }: Schema): Look | undefined {
  const fields = Object.entries(properties).flatMap(([name, field]) => {
    const look = compile(field)
    return look ? [{ name, look }] : []
  })
  if (fields.length === 0) return undefined
  return (value, path) => {
    if (typeof value !== 'object' || value === null) return undefined
    return first(fields, ({ name, look }) =>
      look((value as Readonly<Record<string, unknown>>)[name], `${path}/${name}`)
    )
  }
}

/** The first defined result. */
function first<T>(items: readonly T[], answer: (item: T) => TooLong | undefined): TooLong | undefined {
  for (const item of items) {
    const found = answer(item)
    if (found) return found
  }
  return undefined
}
