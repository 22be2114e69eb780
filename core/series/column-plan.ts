/** The columns that a series of a type may have, compiled once for each type, and those of summaries. (docs/spec/series.md#writing-points) */
import type { ContentSchema } from '../../schemas/event-types/directory.js'
import { compileContentCheck, type ContentCheck } from '../event-types/content-check.js'
import { isShallow } from '../json/depth.js'
import type { EventTypes, Field } from '../event-types/directory.js'

/** The column of times in every series. */
export const timeColumn = 'deltaTime'
/** The time of a point, which clients may give instead of a deltaTime. */
export const timestampColumn = 'timestamp'

/**
 * The length of the interval that a point covers, in seconds. Any series may have it. (docs/decisions/0019-imports.md)
 */
export const durationColumn = 'duration'

const durationField: Field = {
  name: durationColumn,
  schema: { type: 'number', minimum: 0 },
  isRequired: false
}

export interface Column {
  readonly name: string
  /** The place of the column among the columns of the type, required columns first. From 0. */
  readonly place: number
  readonly isRequired: boolean
  /** Whether any finite number is valid without conversion, as in most columns. */
  readonly isAnyNumber: boolean
  /** Whether all values of the column are numbers. */
  readonly isNumeric: boolean
  /** Converts the value of a cell as the type requires; `undefined` if it is invalid. */
  value(cell: unknown): unknown
}

/** Columns by name. */
export type ColumnPlan = ReadonlyMap<string, Column>

const prefix = 'series:'

/** Returns the type of the points below a holder of this type. */
export function getElementType(type: string): string {
  return type.slice(prefix.length)
}

const plans = new WeakMap<object, Map<string, ColumnPlan>>()
/** Maximum number of cached plans: a class with a wildcard has an unlimited number of types. */
const maxCachedPlans = 1000

/** Returns the column plan of the points below a holder of this type, empty for unknown types. Cached. */
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

/** Keywords that do not restrict values. */
const annotations = new Set(['type', 'title', 'description', '$id', '$comment', 'default', 'examples'])
const numeric = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i
/** Maximum nesting of a cell: types whose values are lists or objects are rare, and flat. */
const maxCellDepth = 10
/** Maximum number of characters of a number given as text. */
const maxNumberLength = 400

/** Converts a field to a column. A schema without further conditions needs no compiled check. */
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

/** Compiles the check of a schema; a schema with unresolvable references accepts no values. */
function compileCheck(schema: ContentSchema, whole: ContentSchema | undefined): ContentCheck {
  try {
    return compileContentCheck(schema, whole)
  } catch (error) {
    const message = error instanceof Error ? error.message : 'is invalid'
    return () => ({ code: 'INVALID_TYPE', message, path: '#/content' })
  }
}

/** Maximum number of references that are followed: types have one or two. */
const maxReferences = 10

/** Returns the schema that the `$ref` of a column's schema refers to; the column's own without a `$ref`. */
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

/**
 * Creates the conversion of cells to a type, which returns `undefined` for those that cannot be converted.
 */
function createConversion({ type }: ContentSchema): (cell: unknown) => unknown {
  if (type === 'number') return toNumber
  if (type === 'integer') return toInteger
  if (type === 'boolean') return toBoolean
  return type === 'string' ? toText : cell => (isShallow(cell, maxCellDepth) ? cell : undefined)
}

/** Converts a finite number, or the text of a finite number. Returns `undefined` for anything else. */
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

/** A column, and the index of its cell in a row: 1 for the first column, since rows begin with their time. */
interface IndexedColumn {
  readonly name: string
  readonly place: number
}

/** Returns the columns of a series whose values are numbers. */
export function selectNumericColumns(plan: ColumnPlan, columns: readonly string[]): IndexedColumn[] {
  return columns
    .map((name, index) => ({ name, place: index + 1 }))
    .filter(({ name }) => plan.get(name)?.isNumeric)
}

/** Returns the fields of the rows that aggregate buckets of a range. */
export function listSummaryFields(columns: readonly IndexedColumn[]): string[] {
  return [
    timeColumn,
    'count',
    ...columns.flatMap(({ name }) => [`${name}.min`, `${name}.max`, `${name}.mean`])
  ]
}
