/** Converts the JSON Schemas of the API to TypeScript types. */
import { PublicAccess } from '../../core/accesses/public-access.js'
import { BreachScope } from '../../core/audit/breach-scope.js'
import { Import } from '../../core/imports/job.js'
import { OperatorAccess } from '../../core/platform/find-access.js'
import { Person } from '../../core/platform/person.js'
import { Access } from '../../schemas/access.js'
import { Attachment, Event } from '../../schemas/event.js'
import { Permission } from '../../schemas/permission.js'
import { Condition, PublicRule } from '../../schemas/rule.js'
import { ItemDeletion } from '../../schemas/scalars.js'
import { Scopes } from '../../schemas/scope.js'
import { Stream, StreamTree } from '../../schemas/stream.js'
import { Webhook } from '../../schemas/webhook.js'

type JsonSchema = { readonly [keyword: string]: unknown }

/** Where a value is used. Params are read-only, and may be `undefined`. */
type Side = 'params' | 'result'

const nouns = new Map<string, JsonSchema>(
  Object.entries({
    Access,
    Attachment,
    BreachScope,
    Condition,
    Event,
    Import,
    ItemDeletion,
    OperatorAccess,
    Permission,
    PublicAccess,
    Person,
    PublicRule,
    Scopes,
    Stream,
    StreamTree,
    Webhook
  }).map(([name, schema]) => [name, toPlainSchema(schema)])
)
const names = new Map(Array.from(nouns, ([name, schema]) => [JSON.stringify(schema), name]))

/** Returns the types of the named schemas, by name. */
export function getNamedTypes(): ReadonlyMap<string, string> {
  return new Map(Array.from(nouns, ([name, schema]) => [name, toInlineType(getDefinition(schema), 'result')]))
}

/** Returns the type of a schema. */
export function toType(schema: object, side: Side): string {
  return toNamedType(toPlainSchema(schema), side)
}

/** Returns a schema without symbols and other members that only TypeBox uses. */
function toPlainSchema(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema)) as JsonSchema
}

/** Returns the definition inside a recursive schema, or the schema itself. */
function getDefinition(schema: JsonSchema): JsonSchema {
  const { $defs, $ref } = schema as { $defs?: Record<string, JsonSchema>; $ref?: string }
  return $defs?.[$ref ?? ''] ?? schema
}

function toNamedType(schema: JsonSchema, side: Side): string {
  return names.get(JSON.stringify(schema)) ?? toInlineType(schema, side)
}

function toInlineType(schema: JsonSchema, side: Side): string {
  const { $ref, allOf, anyOf, const: constant, enum: values, items, type } = schema
  if (typeof $ref === 'string') return $ref
  if (constant !== undefined) return JSON.stringify(constant)
  if (Array.isArray(values)) return values.map(value => JSON.stringify(value)).join(' | ')
  if (Array.isArray(anyOf)) return toUniqueTypes(anyOf as JsonSchema[], side).join(' | ')
  if (Array.isArray(allOf)) return toUniqueTypes(allOf as JsonSchema[], side).join(' & ')
  if (type === 'array') return toArrayType(items as JsonSchema, side)
  if (type === 'object') return toObjectType(schema, side)
  if (type === 'integer') return 'number'
  return typeof type === 'string' ? type : 'unknown'
}

function toUniqueTypes(schemas: readonly JsonSchema[], side: Side): string[] {
  return [...new Set(schemas.map(schema => `(${toNamedType(schema, side)})`))]
}

function toArrayType(items: JsonSchema | undefined, side: Side): string {
  return `${side === 'params' ? 'readonly ' : ''}(${items ? toNamedType(items, side) : 'unknown'})[]`
}

/** Converts the schema of an object. `side`: types of params omit what the service sets. */
function toObjectType(schema: JsonSchema, side: Side): string {
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
    // Clients do not send fields that the service sets, and send the token in a header.
    .filter(([name, value]) => side === 'result' || !(value['readOnly'] === true || name === 'auth'))
    .map(([name, value]) => toMember(name, value, required.includes(name), side))
  const [values] = Object.values(patternProperties ?? {})
  const isOpen = members.length === 0 && schema['additionalProperties'] !== false
  if (values || isOpen)
    return `{ ${toReadOnly(side)}[key: string]: ${values ? toNamedType(values, side) : 'unknown'} }`
  // An object whose schema describes additional properties accepts them.
  if (typeof schema['additionalProperties'] === 'object')
    members.push(`${toReadOnly(side)}[key: string]: unknown`)
  return members.length === 0 ? 'Record<string, never>' : `{ ${members.join('; ')} }`
}

function toMember(name: string, schema: JsonSchema, isRequired: boolean, side: Side): string {
  const type = isStreamsQuery(name, schema) ? 'StreamsQuery' : toNamedType(schema, side)
  const isAbsent = side === 'params' && !isRequired && type !== 'unknown'
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name)
  return `${toReadOnly(side)}${key}${isRequired ? '' : '?'}: ${type}${isAbsent ? ' | undefined' : ''}`
}

/** Returns true for the parameter whose schema leaves it to a parser. */
function isStreamsQuery(name: string, schema: JsonSchema): boolean {
  return name === 'streams' && Object.keys(schema).length === 0
}

function toReadOnly(side: Side): string {
  return side === 'params' ? 'readonly ' : ''
}
