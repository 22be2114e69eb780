/** TypeScript types from the JSON Schemas of the API. */
import { Import } from '../../core/imports/job.js'
import { Access } from '../../schemas/access.js'
import { Attachment, Event } from '../../schemas/event.js'
import { Permission } from '../../schemas/permission.js'
import { ItemDeletion } from '../../schemas/scalars.js'
import { Scopes } from '../../schemas/scope.js'
import { Stream, StreamTree } from '../../schemas/stream.js'
import { Webhook } from '../../schemas/webhook.js'

type JsonSchema = { readonly [keyword: string]: unknown }

/** Who gives a value: what callers send may be read-only and `undefined`. */
type Side = 'params' | 'result'

const nouns = new Map<string, JsonSchema>(
  Object.entries({
    Access,
    Attachment,
    Event,
    Import,
    ItemDeletion,
    Permission,
    Scopes,
    Stream,
    StreamTree,
    Webhook
  }).map(([name, schema]) => [name, plain(schema)])
)
const names = new Map(Array.from(nouns, ([name, schema]) => [JSON.stringify(schema), name]))

/** The types of the nouns, by name. */
export function nounTypes(): ReadonlyMap<string, string> {
  return new Map(Array.from(nouns, ([name, schema]) => [name, written(definitionOf(schema), 'result')]))
}

/** The type of a schema, as TypeScript. */
export function typeOf(schema: object, side: Side): string {
  return named(plain(schema), side)
}

/** Drops symbols and other members that only TypeBox uses. */
function plain(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema)) as JsonSchema
}

/** A recursive schema holds its own definition. */
function definitionOf(schema: JsonSchema): JsonSchema {
  const { $defs, $ref } = schema as { $defs?: Record<string, JsonSchema>; $ref?: string }
  return $defs?.[$ref ?? ''] ?? schema
}

function named(schema: JsonSchema, side: Side): string {
  return names.get(JSON.stringify(schema)) ?? written(schema, side)
}

function written(schema: JsonSchema, side: Side): string {
  const { $ref, allOf, anyOf, const: constant, enum: values, items, type } = schema
  if (typeof $ref === 'string') return $ref
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(values)) return values.map(value => JSON.stringify(value)).join(' | ')
  if (Array.isArray(anyOf)) return unique(anyOf as JsonSchema[], side).join(' | ')
  if (Array.isArray(allOf)) return unique(allOf as JsonSchema[], side).join(' & ')
  if (type === 'array') return arrayOf(items as JsonSchema, side)
  if (type === 'object') return objectOf(schema, side)
  if (type === 'integer') return 'number'
  return typeof type === 'string' ? type : 'unknown'
}

function unique(schemas: readonly JsonSchema[], side: Side): string[] {
  return [...new Set(schemas.map(schema => `(${named(schema, side)})`))]
}

function arrayOf(items: JsonSchema | undefined, side: Side): string {
  return `${side === 'params' ? 'readonly ' : ''}(${items ? named(items, side) : 'unknown'})[]`
}

function objectOf(schema: JsonSchema, side: Side): string {
  const {
    patternProperties,
    properties = {},
    required = []
  } = schema as {
    patternProperties?: Record<string, JsonSchema>
    properties?: Record<string, JsonSchema>
    required?: readonly string[]
  }
  const members = Object.entries(properties)
    // What only the service sets is not sent, and the token stands in a header.
    .filter(([name, value]) => side === 'result' || !(value['readOnly'] === true || name === 'auth'))
    .map(([name, value]) => memberOf(name, value, required.includes(name), side))
  const [values] = Object.values(patternProperties ?? {})
  const isOpen = members.length === 0 && schema['additionalProperties'] !== false
  if (values || isOpen)
    return `{ ${readOnly(side)}[key: string]: ${values ? named(values, side) : 'unknown'} }`
  // An object whose schema describes further members takes them.
  if (typeof schema['additionalProperties'] === 'object')
    members.push(`${readOnly(side)}[key: string]: unknown`)
  return members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`
}

function memberOf(name: string, schema: JsonSchema, isRequired: boolean, side: Side): string {
  const type = isStreamsQuery(name, schema) ? 'StreamsQuery' : named(schema, side)
  const isAbsent = side === 'params' && !isRequired && type !== 'unknown'
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
  return `${readOnly(side)}${key}${isRequired ? '' : '?'}: ${type}${isAbsent ? ' | undefined' : ''}`
}

/** The schema leaves it to a parser of its own. */
function isStreamsQuery(name: string, schema: JsonSchema): boolean {
  return name === 'streams' && Object.keys(schema).length === 0
}

function readOnly(side: Side): string {
  return side === 'params' ? 'readonly ' : ''
}
