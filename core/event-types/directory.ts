/** Validates event contents against the directory of types. (docs/spec/event-types.md#checking-content) */
import { isDeepStrictEqual } from 'node:util'
import {
  standardTypes,
  type ContentSchema,
  type EventTypeDirectory
} from '../../schemas/event-types/directory.js'
import type { Config } from '../settings/config.js'
import { compileContentCheck, type ContentCheck } from './content-check.js'
import { fail } from '../errors.js'
import { readTypes, warnAboutSlowPatterns } from './operator-types.js'
import type { Log } from '../log.js'
import { isObject } from '../validation/is-object.js'
import { refuseParams } from '../validation/params.js'

export interface EventTypes {
  /**
   * Returns the content to store: validated, and converted where the type requires it (`"12"` → 12 for numerical types).
   * Unknown types accept any content; holders of series get theirs from the service. Errors: `invalid-parameters-format`, `invalid-event-type` for `series:` of an unknown type.
   */
  check(type: string, content: unknown): unknown
  /** Returns whether the type is in the directory. */
  isKnown(type: string): boolean
  /** Returns the fields that a content of this type has, required ones first; the field of a simple type is `value`. */
  fields(type: string): readonly Field[]
  /** The directory as served to clients. */
  readonly directory: EventTypeDirectory
}

/** One value within a content: a column of a series. Names of nested values are joined by dots. */
export interface Field {
  readonly name: string
  readonly schema: ContentSchema
  /** The schema of the whole content, in which references are resolved; absent if it is `schema` itself. */
  readonly whole?: ContentSchema
  readonly isRequired: boolean
}

/** The content of an event that holds a series, which describes its points. */
interface SeriesContent {
  readonly elementType: string
  readonly fields: readonly string[]
  readonly required: readonly string[]
}

/**
 * Loads the standard types, extended and overridden by the operator's. Invalid entries are skipped with a warning in the
 * log; if the operator's types cannot be loaded, only the standard ones are used.
 */
export async function loadEventTypes(
  { apiVersion, service: { eventTypes } }: Pick<Config, 'apiVersion' | 'service'>,
  log: Log
): Promise<EventTypes> {
  if (eventTypes !== '')
    try {
      const { extension, invalidEntries } = parseExtension(await readTypes(eventTypes, apiVersion))
      const types = new Directory(standardTypes, extension, invalidEntries)
      if (invalidEntries.length > 0) log.warn(formatWarning(invalidEntries))
      warnAboutSlowPatterns(extension, log)
      return types
    } catch (cause) {
      log.error(
        'the event types in service.eventTypes could not be loaded; only the built-in types are available',
        { cause }
      )
    }
  return new Directory(standardTypes)
}

const seriesPrefix = 'series:'

class Directory implements EventTypes {
  readonly directory: EventTypeDirectory
  readonly #types = new Map<string, ContentType>()

  /** Leaves out types of the extension whose schemas are invalid, and adds them to `invalidEntries`. */
  constructor(
    standard: EventTypeDirectory,
    extension: Partial<EventTypeDirectory> = {},
    invalidEntries: InvalidEntry[] = []
  ) {
    const types = { ...standard.types }
    for (const [type, schema] of Object.entries(standard.types))
      this.#types.set(type, new ContentType(schema))
    for (const [type, schema] of Object.entries(extension.types ?? {})) {
      const own = new ContentType(schema)
      const problem = own.problem()
      if (problem === undefined) {
        types[type] = schema
        this.#types.set(type, own)
      } else invalidEntries.push({ name: type, problem })
    }
    this.directory = {
      ...standard,
      ...extension,
      types,
      extras: { ...standard.extras, ...extension.extras }
    }
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

  /**
   * Holders of series get their content from the service; clients may send a content that they have read before.
   * (docs/spec/series.md#holder-events)
   */
  #checkHolder(type: string, content: unknown): SeriesContent {
    const elementType = type.slice(seriesPrefix.length)
    if (!this.isKnown(elementType)) fail('invalid-event-type', `Unknown series type "${type}"`)
    const fields = this.fields(elementType)
    const names = ['deltaTime', ...fields.map(({ name }) => name)]
    const required = ['deltaTime', ...fields.filter(field => field.isRequired).map(({ name }) => name)]
    const own = { elementType, fields: names, required }
    if (content !== undefined && content !== null && !isSeriesContent(content, own))
      refuseParams([
        { code: 'INVALID_TYPE', message: 'must be absent, because the event is a series', path: '#/content' }
      ])
    return own
  }

  #find(type: string): ContentType | undefined {
    return this.#types.get(type) ?? this.#types.get(`${type.slice(0, type.indexOf('/'))}/*`)
  }
}

/**
 * Returns whether a content is what a service gives to holders of the same points. Another service's directory may have
 * further fields, but the same required fields.
 */
function isSeriesContent(content: unknown, { elementType, required }: SeriesContent): boolean {
  if (!isObject(content) || Object.keys(content).length !== 3) return false
  const { fields, required: needed } = content
  return (
    content['elementType'] === elementType &&
    isTextList(fields) &&
    isTextList(needed) &&
    isDeepStrictEqual(needed.toSorted(), required.toSorted()) &&
    required.every(name => fields.includes(name))
  )
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(name => typeof name === 'string')
}

/** Longest text that is converted to a number, in characters. */
const maxNumberLength = 400
const numericText = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i

/** Returns whether a keyword does not restrict the valid numbers: most types are numbers with a description. */
function isUnrestrictive(key: string, value: unknown): boolean {
  return key === 'type' || ((key === 'description' || key === 'title') && typeof value === 'string')
}

/** A type: checked directly if its schema says no more than `number`, otherwise by a compiled check. */
class ContentType {
  readonly #isPlainNumber: boolean
  #check: ContentCheck | undefined

  constructor(private readonly schema: ContentSchema) {
    this.#isPlainNumber =
      schema['type'] === 'number' &&
      Object.entries(schema).every(([key, value]) => isUnrestrictive(key, value))
  }

  /** Returns what is wrong with the schema; `undefined` if it is valid. */
  problem(): string | undefined {
    if (this.#isPlainNumber) return undefined
    try {
      this.#check = compileContentCheck(this.schema)
      return undefined
    } catch (error) {
      return error instanceof Error ? error.message : 'it is invalid'
    }
  }

  /** Returns the content, converted if the type asks for it. Throws an API error if it does not match the type. */
  check(content: unknown): unknown {
    const value = this.#convert(content ?? null)
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

  /** Lists the fields of the content: none for empty content, one named `value` for content other than objects. */
  fields(): Field[] {
    const { type } = this.schema
    if (type === 'null') return []
    return [type].flat().includes('object')
      ? listFields(this.schema, this.schema)
      : [{ name: 'value', schema: this.schema, isRequired: true }]
  }

  /** Converts numbers and booleans that come as text. (docs/spec/event-types.md#conversion) */
  #convert(content: unknown): unknown {
    if (typeof content !== 'string') return content
    const { type } = this.schema
    if (type === 'number' || type === 'integer')
      return content.length <= maxNumberLength && numericText.test(content) ? Number(content) : content
    if (type === 'boolean') return content === 'true' ? true : content === 'false' ? false : content
    return content
  }
}

/** Lists the fields of an object schema, those of nested objects included; required fields first. */
function listFields(
  schema: ContentSchema,
  whole: ContentSchema,
  prefix = '',
  isWithinRequired = true
): Field[] {
  const required = (schema['required'] ?? []) as readonly string[]
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, ContentSchema>)
  const fields = properties.flatMap(([key, inner]): Field[] => {
    const name = prefix + key
    const isRequired = isWithinRequired && required.includes(key)
    if (inner['type'] === 'object') return listFields(inner, whole, `${name}.`, isRequired)
    return [{ name, schema: inner, whole, isRequired }]
  })
  return [...fields.filter(({ isRequired }) => isRequired), ...fields.filter(({ isRequired }) => !isRequired)]
}

const typeName = /^[a-z0-9-]+\/([a-z0-9-]+|\*)$/

/** A skipped entry, and why. */
interface InvalidEntry {
  readonly name: string
  readonly problem: string
}

/** Extracts the valid entries of a directory. Throws an `Error` if the value is no directory at all. */
function parseExtension(value: unknown): {
  extension: Partial<EventTypeDirectory>
  invalidEntries: InvalidEntry[]
} {
  if (!isObject(value) || !isObject(value['types'])) throw new Error('The file has no "types"')
  const { extras, types, version, ...others } = value
  const invalidEntries: InvalidEntry[] = []
  const kept = new Map<string, ContentSchema>()
  for (const [name, schema] of Object.entries(types)) {
    if (!typeName.test(name)) invalidEntries.push({ name, problem: 'the name of the type is invalid' })
    else if (!isObject(schema)) invalidEntries.push({ name, problem: 'its schema is not an object' })
    else kept.set(name, schema)
  }
  const hasVersion = typeof version === 'string'
  const hasExtras = isObject(extras)
  if ('version' in value && !hasVersion)
    invalidEntries.push({ name: 'version', problem: 'it is not a string' })
  if ('extras' in value && !hasExtras) invalidEntries.push({ name: 'extras', problem: 'it is not an object' })
  const extension = {
    ...others,
    types: Object.fromEntries(kept),
    ...(hasVersion && { version }),
    ...(hasExtras && { extras })
  }
  return { extension, invalidEntries }
}

/** Limits on the faults in the warning, and on the characters of each name and problem: the file may hold anything. */
const maxFaults = 40
const maxFaultLength = 100

function formatWarning(invalidEntries: readonly InvalidEntry[]): string {
  const listed = invalidEntries
    .slice(0, maxFaults)
    .map(
      ({ name, problem }) =>
        `${JSON.stringify(name.slice(0, maxFaultLength))}: ${problem.slice(0, maxFaultLength)}`
    )
  const more =
    invalidEntries.length > listed.length ? `, and ${invalidEntries.length - listed.length} more` : ''
  return `entries of service.eventTypes ignored (${invalidEntries.length}): ${listed.join(', ')}${more}`
}
