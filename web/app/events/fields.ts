/** Generates form fields from the schemas of contents, and converts between contents and form entries. */
import type { ContentSchema, EventTypes } from '../data/model.js'
import { formatEditable, parseTypedNumber } from '../data/typed-numbers.js'

export interface ContentField {
  /** Name of the control: `content`, or `content/systolic`, as in the service's errors. */
  readonly name: string
  /** Path of the value within the content. */
  readonly path: readonly string[]
  readonly kind: 'number' | 'text' | 'long' | 'choice' | 'boolean' | 'list' | 'json'
  readonly isRequired: boolean
  readonly description?: string
  readonly isInteger?: boolean
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly pattern?: string
  /** The values of a choice. */
  readonly values?: readonly unknown[]
  /** Whether the items of a list are numbers rather than texts. */
  readonly isOfNumbers?: boolean
}

/** Problem codes by field name. Their texts have the keys `events.wrong.{code}`. */
export type FieldProblems = ReadonlyMap<string, string>

type ReadResult = { readonly value: unknown } | { readonly problem: string }

/** Texts in controls, by name. */
export type Entries = Readonly<Record<string, string>>

/** Returns the schema of a type: its own, or that of its class; undefined for unknown types. */
export function findSchema(types: EventTypes, type: string): ContentSchema | undefined {
  const own = Object.hasOwn(types, type) ? types[type] : undefined
  const group = `${type.split('/')[0]!}/*`
  return own ?? (Object.hasOwn(types, group) ? types[group] : undefined)
}

/** Returns the fields of a content: none for types without one, a single JSON field where the schema is unknown. */
export function listFields(schema: ContentSchema | undefined): readonly ContentField[] {
  return listFieldsAt(schema ?? {}, [], schema !== undefined)
}

/** Converts a content to form entries; a missing one to empty entries. */
export function toEntries(fields: readonly ContentField[], content: unknown): Entries {
  return Object.fromEntries(
    fields.map(field => [field.name, toEntry(field, getValueAt(content, field.path))])
  )
}

/**
 * Converts form entries to a content, or returns the problems by field. `before` is the current content:
 * properties without a field are preserved. A content without any value is undefined. An empty entry counts
 * as no value.
 */
export function toContent(
  fields: readonly ContentField[],
  entries: Entries,
  before?: unknown
): { readonly content: unknown; readonly problems: FieldProblems } {
  const problems = new Map<string, string>()
  const isWhole = fields.some(({ path }) => path.length === 0)
  if (fields.length === 0) return { content: undefined, problems }
  let content: unknown = isWhole ? undefined : copyObject(before)
  for (const field of fields) {
    const { name, path } = field
    const read = readChanged(field, entries[name] ?? '', getValueAt(before, path))
    // Required fields of an optional object are needed only if any of its fields is filled in.
    const isNeeded = field.isRequired && (path.length < 2 || isPartlyFilled(fields, entries, path[0]!))
    if ('problem' in read) problems.set(name, read.problem)
    else if (read.value === undefined && isNeeded) problems.set(name, 'missing')
    else content = setValueAt(content, path, read.value)
  }
  return { content: isWhole ? content : (content ?? {}), problems }
}

/** Lists the fields for a schema at a path of the content. What has no control of its own is one field of JSON. */
function listFieldsAt(schema: ContentSchema, path: readonly string[], isRequired: boolean): ContentField[] {
  const field = (kind: ContentField['kind'], more: Partial<ContentField> = {}): ContentField[] => [
    { name: ['content', ...path].join('/'), path, kind, isRequired, ...getDescription(schema), ...more }
  ]
  const { properties = {}, required = [], items } = schema
  if (schema.enum) return field('choice', { values: schema.enum })
  switch (schema.type) {
    case 'null':
      return []
    case 'number':
    case 'integer':
      return field('number', { isInteger: schema.type === 'integer', ...getConstraints(schema) })
    case 'boolean':
      return field('boolean')
    case 'string':
      return field(isMultiline(schema, path) ? 'long' : 'text', getConstraints(schema))
    case 'array':
      return items && ['number', 'integer', 'string'].includes(String(items.type))
        ? field('list', { isOfNumbers: items.type !== 'string' })
        : field('json')
    case 'object': {
      const inner = Object.entries(properties)
      // Objects without declared properties, and those nested more than two levels deep, are edited as JSON.
      if (inner.length === 0 || path.length > 1) return field('json')
      return inner.flatMap(([key, each]) => listFieldsAt(each, [...path, key], required.includes(key)))
    }
    default:
      return field('json')
  }
}

function getDescription({ description }: ContentSchema): Partial<ContentField> {
  return description === undefined ? {} : { description }
}

function getConstraints({ minimum, maximum, maxLength, pattern }: ContentSchema): Partial<ContentField> {
  return {
    ...(minimum === undefined ? {} : { minimum }),
    ...(maximum === undefined ? {} : { maximum }),
    ...(maxLength === undefined ? {} : { maxLength }),
    ...(pattern === undefined ? {} : { pattern })
  }
}

/** Returns whether a text may have several lines. */
function isMultiline({ maxLength = 0 }: ContentSchema, path: readonly string[]): boolean {
  return maxLength > 1000 || ['body', 'payload'].includes(path.at(-1) ?? '')
}

function isPartlyFilled(fields: readonly ContentField[], entries: Entries, key: string): boolean {
  return fields.some(({ name, path }) => path[0] === key && (entries[name] ?? '') !== '')
}

function toEntry({ kind }: ContentField, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (kind === 'number' && typeof value === 'number') return formatEditable(value)
  if (kind === 'list' && Array.isArray(value))
    return value.map(each => (typeof each === 'number' ? formatEditable(each) : String(each))).join('\n')
  if (typeof value === 'string' && kind !== 'json') return value
  return kind === 'json' ? JSON.stringify(value, undefined, 2) : JSON.stringify(value)
}

/** Reads an entry. An unchanged entry keeps its value exactly. */
function readChanged(field: ContentField, entry: string, before: unknown): ReadResult {
  return before !== undefined && entry === toEntry(field, before)
    ? { value: before }
    : readEntry(field, entry)
}

/**
 * Reads what the user has entered in a field: `value` is `undefined` if it is empty, `problem` says what is wrong.
 */
function readEntry(field: ContentField, entry: string): ReadResult {
  if (entry === '' || (entry.trim() === '' && field.kind !== 'text' && field.kind !== 'long'))
    return { value: undefined }
  switch (field.kind) {
    case 'number':
      return readNumber(field, entry)
    case 'boolean':
      return { value: entry === 'true' }
    case 'choice':
      return { value: field.values?.find(each => String(each) === entry) }
    case 'list':
      return readList(field, entry)
    case 'json':
      try {
        return { value: JSON.parse(entry) as unknown }
      } catch {
        return { problem: 'json' }
      }
    default:
      if (field.maxLength !== undefined && entry.length > field.maxLength) return { problem: 'long' }
      return matchesPattern(field.pattern, entry)
        ? { value: entry }
        : { problem: field.pattern!.includes('http') ? 'address' : 'pattern' }
  }
}

/** Returns whether a text matches a pattern. Invalid patterns of custom types are ignored: the service validates anyway. */
function matchesPattern(pattern: string | undefined, entry: string): boolean {
  if (pattern === undefined) return true
  try {
    return new RegExp(pattern, 'u').test(entry)
  } catch {
    return true
  }
}

function readNumber({ isInteger = false, minimum, maximum }: ContentField, entry: string): ReadResult {
  const typed = parseTypedNumber(entry)
  if ('problem' in typed) return { problem: typed.problem }
  const { number } = typed
  if (isInteger && !Number.isInteger(number)) return { problem: 'whole' }
  if (minimum !== undefined && number < minimum) return { problem: 'small' }
  if (maximum !== undefined && number > maximum) return { problem: 'large' }
  return { value: number }
}

function readList(field: ContentField, entry: string): ReadResult {
  const lines = entry.split('\n').filter(each => each.trim() !== '')
  if (field.isOfNumbers !== true) return { value: lines }
  const read = lines.map(each => parseTypedNumber(each))
  const bad = read.find(each => 'problem' in each)
  return bad && 'problem' in bad
    ? { problem: bad.problem }
    : { value: read.map(each => ('number' in each ? each.number : 0)) }
}

function getValueAt(content: unknown, path: readonly string[]): unknown {
  let value = content
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Readonly<Record<string, unknown>>)[key]
  }
  return value
}

/** Returns an object with a value set, or removed if it is undefined. Objects that become empty are removed, too. */
function setValueAt(object: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path
  if (key === undefined) return value
  const own = isObject(object) ? object : {}
  const inner = rest.length === 0 ? value : setValueAt(own[key], rest, value)
  const isNothing =
    inner === undefined || (rest.length > 0 && isObject(inner) && Object.keys(inner).length === 0)
  const others = Object.entries(own).filter(([name]) => name !== key)
  if (isNothing) return others.length === 0 ? undefined : Object.fromEntries(others)
  return { ...own, [key]: inner }
}

function copyObject(value: unknown): unknown {
  return isObject(value) ? { ...value } : undefined
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
