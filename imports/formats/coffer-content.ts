/** Builds contents from named values, with the schemas of the directory's types. */
import type { ContentSchemas } from '../record.js'
import { parseJson } from '../text/object-scanner.js'
import { isObject, type Json } from './json-files.js'

/** One value of a content, as a table has it. */
export interface ValueCell {
  readonly field: string
  readonly text: string
  /** The number that the cell may be; `undefined` if it is something else. */
  readonly number: number | undefined
  /** True if the cell says that it is a text, whatever it looks like. */
  readonly isText: boolean
  /** True if the cell has a unit, as only numbers have. */
  readonly hasUnit: boolean
}

/** Maximum nesting of a content. */
const maxDepth = 20
const valueField = 'value'

/** Returns the schema of a type; an empty one if the type is not in the directory. */
export function getSchema(types: ContentSchemas = {}, type: string): Json {
  for (const name of [type, `${type.slice(0, type.indexOf('/'))}/*`])
    if (Object.hasOwn(types, name)) return types[name]!
  return {}
}

/** Parses the values of a content, by the names of their fields. */
export function parseFields(cells: readonly ValueCell[], schema: Json): Json {
  const fields: Record<string, unknown> = {}
  for (const cell of cells) {
    const { parents, name, holder } = locate(schema, cell.field)
    const isWhole = cell.field === valueField && isPlain(schema)
    const own = isWhole ? schema : getProperty(holder, name)
    defineMember(fields, [...parents, name].join('.'), parseValue(cell, listTypes(own)))
  }
  return fields
}

/**
 * Builds a content from its fields: the value itself if its type has no fields, or if it is the only one, named `value`; otherwise an
 * object. Names with dots stand for nested fields where the type has such. Returns `undefined` if there are no fields.
 */
export function buildContent(fields: Json, schema: Json): unknown {
  const names = Object.keys(fields)
  if (names.length === 0) return undefined
  const isOnly = names.length === 1 && listTypes(schema).join() !== 'object'
  if (Object.hasOwn(fields, valueField) && (isOnly || isPlain(schema))) return fields[valueField]
  const content: Record<string, unknown> = {}
  for (const field of names) {
    const { parents, name } = locate(schema, field)
    let inner = content
    for (const parent of parents) {
      if (!Object.hasOwn(inner, parent)) defineMember(inner, parent, {})
      inner = inner[parent] as Record<string, unknown>
    }
    defineMember(inner, name, fields[field])
  }
  return content
}

/** Returns the objects within a content in which a field lies, as its type defines, and its name in the last of them. */
function locate(schema: Json, field: string): { parents: string[]; name: string; holder: Json } {
  const parents: string[] = []
  let [name, holder] = [field, schema]
  while (parents.length < maxDepth && getProperty(holder, name) === undefined) {
    const end = name.indexOf('.')
    const nested = getProperty(holder, name.slice(0, Math.max(0, end)))
    if (end < 0 || !isObject(nested?.['properties'])) break
    parents.push(name.slice(0, end))
    ;[name, holder] = [name.slice(end + 1), nested]
  }
  return { parents, name, holder }
}

/** Parses a value of these JSON types. Of any type, or of several, it is what this service would write in this way. */
function parseValue({ hasUnit, isText, number, text }: ValueCell, types: readonly string[]): unknown {
  const only = types.length === 1 ? types[0] : undefined
  if (only === 'string') return text
  if (only === 'number') return number ?? text
  if (only === 'boolean') return parseAnyBoolean(text) ?? text
  if (isText) return text
  if (/^[[{]/.test(text)) {
    const value = parseJson(text)
    return value !== undefined && (only !== undefined || JSON.stringify(value) === text) ? value : text
  }
  return number !== undefined && (hasUnit || String(number) === text.replace(',', '.'))
    ? number
    : (parseBoolean(text) ?? text)
}

/** How programs that write a table again write booleans, in lower case: spreadsheets do in the language of the user. */
const booleans: ReadonlyMap<string, boolean> = new Map<string, boolean>([
  ...listWords(
    'true t 1 wahr vrai vero verdadero verdadeiro waar sand sann sant tosi prawda pravda igaz doğru истина'
  ).map(word => [word, true] as const),
  ...listWords(
    'false f 0 falsch faux falso onwaar falsk falskt usann epätosi fałsz nepravda hamis yanliş yanlış ложь'
  ).map(word => [word, false] as const)
])

function listWords(text: string): string[] {
  return text.split(' ')
}

/** Returns the boolean that a cell has, also if another program has written it; `undefined` if it has none. */
export function parseAnyBoolean(text: string | undefined): boolean | undefined {
  return booleans.get(text?.toLowerCase() ?? '')
}

function parseBoolean(text: string): boolean | undefined {
  return text === 'true' ? true : text === 'false' ? false : undefined
}

/** Returns whether contents of a type are known to be no objects. */
function isPlain(schema: Json): boolean {
  const types = listTypes(schema)
  return types.length > 0 && !types.includes('object')
}

/** Lists the JSON types that a schema allows; none if it allows any. */
function listTypes(schema: Json | undefined): string[] {
  const { anyOf, type } = schema ?? {}
  const types = Array.isArray(anyOf) ? anyOf.filter(isObject).flatMap(listTypes) : [type].flat()
  return [
    ...new Set(
      types.filter(each => typeof each === 'string').map(each => (each === 'integer' ? 'number' : each))
    )
  ]
}

function getProperty(schema: Json, name: string): Json | undefined {
  const { properties } = schema
  const own = isObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined
  return isObject(own) ? own : undefined
}

/** Sets a member of any name: an assignment to `__proto__` would set the prototype. */
function defineMember(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true })
}
