/**
 * Validates values against the part of JSON Schema that settings need, with readable messages. A complete library takes
 * longer to load than most commands take to run.
 */
import type { TSchema } from 'typebox'
import { getTextForm, type TextFormName } from './text-forms.js'

interface Violation {
  /** Path below the value: `.name`, `[2]`; empty for the value itself. */
  readonly place: string
  readonly problem: string
}

interface Schema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
  /** The form that a text must have, unless it is empty and may be empty. */
  readonly form?: TextFormName
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean
}

/** Returns all violations of the schema; empty if the value is valid. */
export function findViolations(schema: TSchema, value: unknown): Violation[] {
  return [...listViolations(schema, value, '')]
}

function* listViolations(schema: Schema, value: unknown, place: string): Generator<Violation> {
  if (!matches(schema, value)) yield { place, problem: `must be ${describeSchema(schema)}` }
  else if (Array.isArray(value))
    for (const [index, item] of value.entries())
      yield* listViolations(schema.items ?? {}, item, `${place}[${index}]`)
  else if (typeof value === 'object' && value !== null && schema.type === 'object')
    yield* listMemberViolations(schema, value, place)
}

/** Yields what is wrong with the members of an object: missing, unknown or invalid ones. */
function* listMemberViolations(schema: Schema, value: object, place: string): Generator<Violation> {
  const members = new Map<string, unknown>(Object.entries(value))
  for (const name of schema.required ?? [])
    if (!members.has(name)) yield { place, problem: `needs "${name}"` }
  const properties = new Map(Object.entries(schema.properties ?? {}))
  const [others] = Object.entries(schema.patternProperties ?? {})
  for (const [name, member] of members) {
    const known =
      properties.get(name) ?? (others && new RegExp(others[0], 'u').test(name) ? others[1] : undefined)
    if (known) yield* listViolations(known, member, `${place}.${name}`)
    else if (others || schema.additionalProperties === false) yield { place, problem: `can't have "${name}"` }
  }
}

/** Returns whether a value itself is valid; the contents of lists and groups are checked separately. */
function matches(schema: Schema, value: unknown): boolean {
  if (schema.anyOf) return schema.anyOf.some(branch => listViolations(branch, value, '').next().done === true)
  if (schema.enum) return schema.enum.includes(value)
  switch (schema.type) {
    case undefined:
      return true
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value) && isWithin(schema, value as number)
    case 'number':
      return Number.isFinite(value) && isWithin(schema, value as number)
    case 'string':
      return typeof value === 'string' && isText(schema, value)
    default:
      return typeof value === schema.type
  }
}

function isWithin({ maximum = Infinity, minimum = -Infinity }: Schema, value: number): boolean {
  return value >= minimum && value <= maximum
}

function isText({ form, maxLength = Infinity, minLength = 0, pattern }: Schema, value: string): boolean {
  const { length } = Array.from(value)
  if (length < minLength || length > maxLength || (pattern && !new RegExp(pattern, 'u').test(value)))
    return false
  return !form || (value === '' && minLength === 0) || getTextForm(form).fits(value)
}

const kinds: Readonly<Record<string, string>> = {
  null: 'null',
  array: 'a list',
  object: 'a group',
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false'
}

/** Describes in words what values a schema accepts, for messages to the operator. */
function describeSchema(schema: Schema): string {
  if (schema.anyOf) return schema.anyOf.map(describeSchema).join(' or ')
  if (schema.enum) return `one of ${schema.enum.map(value => JSON.stringify(value)).join(', ')}`
  const { form, items, maxLength, maximum, minLength, minimum, pattern, type = '' } = schema
  if (form) return getTextForm(form).description + (minLength === undefined ? ', or empty' : '')
  const bounds = [
    formatRange(minimum, maximum),
    formatRange(minLength, maxLength, ' characters'),
    pattern === undefined ? '' : ` of the form ${pattern}`,
    // For alternatives the messages name the types of list items.
    type === 'array' && items?.type === 'string'
      ? ` of texts${formatRange(items.minLength, items.maxLength, ' characters')}`
      : ''
  ]
  return (kinds[type] ?? type) + bounds.join('')
}

function formatRange(from: number | undefined, to: number | undefined, unit = ''): string {
  if (from === undefined && to === undefined) return ''
  if (to === undefined) return ` of ${from}${unit} or more`
  return from === undefined ? ` of up to ${to}${unit}` : ` from ${from} to ${to}${unit}`
}
