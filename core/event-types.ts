/** Checks of event contents against the directory of types. (event-types.md; supplement 8.4, 26) */
import { isDeepStrictEqual } from 'node:util'
import {
  standardTypes,
  type ContentSchema,
  type EventTypeDirectory
} from '../schemas/event-types/directory.js'
import type { Config } from './config.js'
import { compileContentCheck, type ContentCheck } from './content-check.js'
import { fail } from './errors.js'
import { readTypes } from './event-type-source.js'
import type { Log } from './log.js'
import { refuseParams } from './validation.js'

export interface EventTypes {
  /**
   * The content as it is to be stored: checked, and converted where the type says so (`"12"` → 12 for numerical types).
   * Unknown types take any content; holders of series are given theirs. Errors: `invalid-parameters-format`, `invalid-event-type` for `series:` of an unknown type.
   */
  check(type: string, content: unknown): unknown
  /** Whether the type is in the directory. */
  isKnown(type: string): boolean
  /** The fields that a content of this type has, required ones first; the one of a simple type is `value`. */
  fields(type: string): readonly Field[]
  /** The directory as served to clients. */
  readonly directory: EventTypeDirectory
}

/** One value within a content: a column of a series. Names of nested ones are joined by dots. */
export interface Field {
  readonly name: string
  readonly schema: ContentSchema
  readonly isRequired: boolean
}

/** The content of an event that holds a series: what the points below it may look like. */
interface HolderContent {
  readonly elementType: string
  readonly fields: readonly string[]
  readonly required: readonly string[]
}

/** The standard types and, over them, those of the operator: if these can't be had, the standard ones have to do. */
export async function loadEventTypes(
  { apiVersion, service: { eventTypes: location } }: Pick<Config, 'apiVersion' | 'service'>,
  log: Log
): Promise<EventTypes> {
  if (location !== '')
    try {
      return new Directory(standardTypes, mustBeDirectory(await readTypes(location, apiVersion)))
    } catch (cause) {
      log.error("the operator's event types could not be loaded: only the standard ones are known", { cause })
    }
  return new Directory(standardTypes)
}

const seriesPrefix = 'series:'

class Directory implements EventTypes {
  readonly directory: EventTypeDirectory
  readonly #types = new Map<string, ContentType>()

  /** Raises an `Error` if the extension holds an invalid schema. */
  constructor(standard: EventTypeDirectory, extension?: Partial<EventTypeDirectory>) {
    this.directory = {
      ...standard,
      ...extension,
      types: { ...standard.types, ...extension?.types },
      extras: { ...standard.extras, ...extension?.extras }
    }
    for (const [type, schema] of Object.entries(this.directory.types))
      this.#types.set(type, new ContentType(schema))
    for (const type of Object.keys(extension?.types ?? {})) this.#types.get(type)!.prepare()
  }

  check(type: string, content: unknown): unknown {
    if (type.startsWith(seriesPrefix)) return this.#checkHolder(type, content)
    const found = this.#find(type)
    return found ? found.check(content) : content
  }

  isKnown(type: string): boolean {
    return this.#find(type) !== undefined
  }

  fields(type: string): readonly Field[] {
    return this.#find(type)?.fields() ?? []
  }

  /** Holders of series have the content that the service gives them; one that was read elsewhere may be sent along. (service.md, HF series; supplement 18.1) */
  #checkHolder(type: string, content: unknown): HolderContent {
    const elementType = type.slice(seriesPrefix.length)
    if (!this.isKnown(elementType)) fail('invalid-event-type', `There is no type of series "${type}".`)
    const fields = this.fields(elementType)
    const names = ['deltaTime', ...fields.map(({ name }) => name)]
    const required = ['deltaTime', ...fields.filter(field => field.isRequired).map(({ name }) => name)]
    const own = { elementType, fields: names, required }
    if (content !== undefined && content !== null && !isHolderContent(content, own))
      refuseParams([{ code: 'INVALID_TYPE', message: 'must be absent: it is a series', path: '#/content' }])
    return own
  }

  #find(type: string): ContentType | undefined {
    return this.#types.get(type) ?? this.#types.get(`${type.slice(0, type.indexOf('/'))}/*`)
  }
}

/**
 * Whether a content is what a service gives to holders of the same points. Directories of others may know of further
 * fields, but not of other required ones.
 */
function isHolderContent(content: unknown, { elementType, required }: HolderContent): boolean {
  if (!isObject(content) || Object.keys(content).length !== 3) return false
  const { fields, required: needed } = content
  return (
    content['elementType'] === elementType &&
    isNames(fields) &&
    isNames(needed) &&
    isDeepStrictEqual(needed.toSorted(), required.toSorted()) &&
    required.every(name => fields.includes(name))
  )
}

function isNames(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(name => typeof name === 'string')
}

/** How much of a text a number may be: what is longer can't be one. */
const longestNumber = 400
const numericText = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** A type: quick on its own where the schema says no more than `number`, by a compiled check elsewhere. */
class ContentType {
  readonly #isPlainNumber: boolean
  #check: ContentCheck | undefined

  constructor(private readonly schema: ContentSchema) {
    this.#isPlainNumber = schema['type'] === 'number' && Object.keys(schema).length === 1
  }

  /** Compiles what has to be. Raises an `Error` if the schema is invalid. */
  prepare(): void {
    if (!this.#isPlainNumber) this.#check ??= compileContentCheck(this.schema)
  }

  check(content: unknown): unknown {
    const value = this.#converted(content ?? null)
    if (this.#isPlainNumber) {
      if (!Number.isFinite(value))
        refuseParams([{ code: 'INVALID_TYPE', message: 'must be number', path: '#/content' }])
      return value
    }
    this.#check ??= compileContentCheck(this.schema)
    const violation = this.#check(value)
    if (violation) refuseParams([violation])
    return value ?? undefined
  }

  fields(): Field[] {
    const { type } = this.schema
    if (type === 'null') return []
    return type === 'object'
      ? fieldsOf(this.schema)
      : [{ name: 'value', schema: this.schema, isRequired: true }]
  }

  /** Numbers and booleans may come as text. (event-types.md, Numerical types) */
  #converted(content: unknown): unknown {
    if (typeof content !== 'string') return content
    const { type } = this.schema
    if (type === 'number' || type === 'integer')
      return content.length <= longestNumber && numericText.test(content) ? Number(content) : content
    if (type === 'boolean') return content === 'true' ? true : content === 'false' ? false : content
    return content
  }
}

function fieldsOf(schema: ContentSchema, prefix = '', isWithinRequired = true): Field[] {
  const required = (schema['required'] ?? []) as readonly string[]
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, ContentSchema>)
  const fields = properties.flatMap(([key, inner]): Field[] => {
    const name = prefix + key
    const isRequired = isWithinRequired && required.includes(key)
    if (inner['type'] === 'object') return fieldsOf(inner, `${name}.`, isRequired)
    return [{ name, schema: inner, isRequired }]
  })
  return [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)]
}

const typeName = /^[a-z0-9-]+\/([a-z0-9-]+|\*)$/

/** Raises an `Error` unless a value has the shape of a directory, or of a part of one. */
function mustBeDirectory(value: unknown): Partial<EventTypeDirectory> {
  if (!isObject(value) || !isObject(value['types'])) throw new Error('There are no "types" in the file')
  for (const [type, schema] of Object.entries(value['types'])) {
    if (!typeName.test(type)) throw new Error(`"${type}" is no name of an event type`)
    if (!isObject(schema)) throw new Error(`The schema of "${type}" is no object`)
  }
  if ('version' in value && typeof value['version'] !== 'string') throw new Error('The "version" is no text')
  if ('extras' in value && !isObject(value['extras'])) throw new Error('The "extras" are no object')
  return value
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
