/** The columns that a series of a type may have, compiled once for each type. (docs/spec/series.md#writing-points) */
import type { ContentSchema } from '../../schemas/event-types/directory.js'
import { compileContentCheck, type ContentCheck } from '../event-types/content-check.js'
import { isShallow } from '../json/depth.js'
import type { EventTypes, Field } from '../event-types/directory.js'

/** The column of times, which every series has. */
export const timeColumn = 'deltaTime'
/** The instant a point belongs to, as clients may give it in place of a deltaTime. */
export const timestampColumn = 'timestamp'

/** How long the interval is that a point stands for, in seconds. Any series may have it. (docs/decisions/0019-imports.md) */
export const durationColumn = 'duration'

const durationField: Field = {
  name: durationColumn,
  schema: { type: 'number', minimum: 0 },
  isRequired: false
}

export interface Column {
  readonly name: string
  /** Its place among the columns of the type, required ones first. */
  readonly place: number
  readonly isRequired: boolean
  /** Whether any finite number is a value as it is: most columns of most series. */
  readonly isAnyNumber: boolean
  /** Whether all its values are numbers. */
  readonly isNumeric: boolean
  /** The value of a cell, converted where the type says so; `undefined` if it does not fit. */
  value(cell: unknown): unknown
}

/** Columns by name. */
export type ColumnPlan = ReadonlyMap<string, Column>

const prefix = 'series:'

/** The type of the points below a holder of this type. */
export function getElementType(type: string): string {
  return type.slice(prefix.length)
}

const plans = new WeakMap<object, Map<string, ColumnPlan>>()
/** A class with a wildcard has types without number. */
const maxCachedPlans = 1000

/** The plan of the points below a holder of this type. */
export function planColumns(types: Pick<EventTypes, 'fields'>, type: string): ColumnPlan {
  let known = plans.get(types)
  if (!known) plans.set(types, (known = new Map()))
  let plan = known.get(type)
  if (!plan) {
    if (known.size >= maxCachedPlans) known.clear()
    const fields = types.fields(getElementType(type))
    const own = fields.some(({ name }) => name === durationColumn) || fields.length === 0
    const columns = (own ? fields : [...fields, durationField]).map(toColumn)
    known.set(type, (plan = new Map(columns.map(column => [column.name, column]))))
  }
  return plan
}

/** What says nothing about values. */
const annotations = new Set(['type', 'title', 'description', '$id', '$comment', 'default', 'examples'])
const numeric = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
/** Deepest nesting of a cell: types whose values are lists or objects are rare, and flat. */
const maxCellDepth = 10
/** How much of a text a number may be. */
const maxNumberLength = 400

function toColumn({ name, schema, whole, isRequired }: Field, place: number): Column {
  const isPlain = Object.keys(schema).every(key => annotations.has(key))
  const { type } = resolveReference(schema, whole ?? schema)
  const convert = createConversion({ type })
  const isNumeric = type === 'number' || type === 'integer'
  const isAnyNumber = isPlain && schema['type'] === 'number'
  if (isPlain && typeof schema['type'] === 'string' && scalarTypes.has(schema['type']))
    return { name, place, isRequired, isAnyNumber, isNumeric, value: convert }
  let check: ContentCheck | undefined
  const value = (cell: unknown): unknown => {
    const converted = convert(cell)
    if (converted === undefined) return undefined
    check ??= compileCheck(schema, whole)
    return check(converted) ? undefined : converted
  }
  return { name, place, isRequired, isAnyNumber, isNumeric, value }
}

/** Of what cannot be looked up in its type, no value is known to be right. */
function compileCheck(schema: ContentSchema, whole: ContentSchema | undefined): ContentCheck {
  try {
    return compileContentCheck(schema, whole)
  } catch (error) {
    const message = error instanceof Error ? error.message : 'is invalid'
    return () => ({ code: 'INVALID_TYPE', message, path: '#/content' })
  }
}

/** References that are followed: types have one or two. */
const maxReferences = 10

/** The part of a type's schema that a column's refers to, or the column's own. */
function resolveReference(schema: ContentSchema, whole: ContentSchema): ContentSchema {
  let found = schema
  for (let at = 0; at < maxReferences; at++) {
    const reference = found['$ref']
    if (typeof reference !== 'string' || !reference.startsWith('#/')) return found
    const next = reference.slice(2).split('/').reduce<unknown>(getMember, whole)
    if (typeof next !== 'object' || next === null) return found
    found = next as ContentSchema
  }
  return found
}

function getMember(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null
  return isObject && Object.hasOwn(value, name) ? (value as ContentSchema)[name] : undefined
}

const scalarTypes = new Set(['number', 'integer', 'boolean', 'string'])

function createConversion({ type }: ContentSchema): (cell: unknown) => unknown {
  if (type === 'number') return toNumber
  if (type === 'integer') return toInteger
  if (type === 'boolean') return toBoolean
  return type === 'string' ? toText : cell => (isShallow(cell, maxCellDepth) ? cell : undefined)
}

/** A finite number, or the text of one. */
export function toNumber(cell: unknown): number | undefined {
  if (typeof cell === 'number') return Number.isFinite(cell) ? cell : undefined
  if (typeof cell !== 'string' || cell.length > maxNumberLength || !numeric.test(cell)) return undefined
  return toNumber(Number(cell))
}

function toInteger(cell: unknown): number | undefined {
  const value = toNumber(cell)
  return Number.isInteger(value) ? value : undefined
}

function toBoolean(cell: unknown): boolean | undefined {
  if (typeof cell === 'boolean') return cell
  return cell === 'true' ? true : cell === 'false' ? false : undefined
}

function toText(cell: unknown): string | undefined {
  if (typeof cell === 'string') return cell
  return typeof cell === 'number' || typeof cell === 'boolean' ? String(cell) : undefined
}
