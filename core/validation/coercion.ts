/**
 * Converts text from query strings, forms and settings to the values that a schema expects. Text that does not fit
 * stays text. (docs/spec/conventions.md#query-strings)
 */
import type { TSchema } from 'typebox'

/** Converts one or several texts to a value. */
export type Coerce = (text: string | readonly string[]) => unknown

interface Accepts {
  number: boolean
  boolean: boolean
  text: boolean
  object: boolean
  /** Schemas of the items of arrays. */
  items: Schema[]
}

/** The parts of JSON Schema that matter here. */
interface Schema {
  readonly type?: string | readonly string[]
  readonly anyOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
}

/** In a query string an unescaped `+` means a space; clients write `1e+308` unescaped nevertheless. */
const number = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+ -]?\d+)?$/i

/** Compiles the conversion of text for a schema. */
export function compileCoercion(schema: TSchema): Coerce {
  return compile(schema)
}

/** Compiles the conversions of text for the properties of an object schema, by their names. */
export function compileCoercions(schema: TSchema): ReadonlyMap<string, Coerce> {
  const properties = (schema as Schema).properties ?? {}
  return new Map(Object.entries(properties).map(([name, property]) => [name, compile(property)]))
}

/** Compiles the conversion for a schema, by what kinds of values it accepts. */
function compile(schema: Schema): Coerce {
  const accepts: Accepts = { number: false, boolean: false, text: false, object: false, items: [] }
  collectAccepted(schema, accepts)
  const isList = accepts.items.length > 0
  const item = isList ? compile({ anyOf: accepts.items }) : undefined
  const one = (text: string): unknown => {
    const value = parseScalar(text, accepts)
    if (value !== undefined) return value
    if (isList || accepts.object) {
      const json = parseJson(text)
      if (json !== undefined) return json
    }
    return item && !accepts.text ? [item(text)] : text
  }
  return text => {
    if (typeof text === 'string') return one(text)
    // `a[]=1` for something that is not a list stays an array, which its schema then refuses.
    return text.map(value => (item ? item(value) : value))
  }
}

function collectAccepted(schema: Schema, accepts: Accepts): void {
  for (const type of typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])) {
    if (type === 'number' || type === 'integer') accepts.number = true
    else if (type === 'boolean') accepts.boolean = true
    else if (type === 'string') accepts.text = true
    else if (type === 'object') accepts.object = true
    else if (type === 'array') accepts.items.push(schema.items ?? {})
  }
  for (const branch of schema.anyOf ?? []) collectAccepted(branch, accepts)
}

function parseScalar(text: string, accepts: Accepts): unknown {
  if (accepts.number && text.length <= 400 && number.test(text)) {
    const value = Number(text.replace(' ', '+'))
    if (Number.isFinite(value)) return value
  }
  if (accepts.boolean && text.length <= 5) {
    const lower = text.toLowerCase()
    if (lower === 'true' || lower === 'false') return lower === 'true'
  }
  return undefined
}

/** Parses text that is a JSON array or object; `undefined` for other text. */
function parseJson(text: string): unknown {
  if (!text.startsWith('[') && !text.startsWith('{')) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
