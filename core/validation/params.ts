/** Validates params against a method's schema, and reports violations with the API's codes. (docs/spec/errors.md#violations) */
import { Compile } from 'typebox/compile'
import type { TSchema } from 'typebox'
import { maxNameLength, Name } from '../../schemas/scalars.js'
import { ApiError } from '../errors.js'
import { reduceLists, type ReducedParams } from './reduce-lists.js'
import { createLengthCheck } from './list-lengths.js'

/** A violation; `path` as `#/field`. */
export interface Violation {
  readonly code: string
  readonly message: string
  readonly path: string
  /** The field, if the error code is specific to a field. */
  readonly param?: string
  readonly params?: readonly unknown[]
}

const codes: Readonly<Record<string, string>> = {
  type: 'INVALID_TYPE',
  required: 'OBJECT_MISSING_REQUIRED_PROPERTY',
  additionalProperties: 'OBJECT_ADDITIONAL_PROPERTIES',
  enum: 'ENUM_MISMATCH',
  const: 'ENUM_MISMATCH',
  pattern: 'PATTERN',
  format: 'INVALID_FORMAT',
  minLength: 'MIN_LENGTH',
  maxLength: 'MAX_LENGTH',
  minItems: 'ARRAY_LENGTH_SHORT',
  maxItems: 'ARRAY_LENGTH_LONG',
  minimum: 'MINIMUM',
  exclusiveMinimum: 'MINIMUM_EXCLUSIVE',
  maximum: 'MAXIMUM',
  anyOf: 'ANY_OF_MISSING',
  oneOf: 'ONE_OF_MISSING'
}

/** Maximum number of violations in a response. */
const maxErrors = 20

/**
 * Returns a function that throws `invalid-parameters-format` unless its argument matches the schema. Compiled
 * on first use. Reports at most 20 violations.
 */
export function createChecker(schema: TSchema): (value: unknown) => void {
  let validator: ReturnType<typeof Compile> | undefined
  let findTooLong: ReturnType<typeof createLengthCheck> | undefined
  return value => {
    findTooLong ??= createLengthCheck(schema)
    const list = findTooLong(value)
    if (list)
      refuseParams([
        {
          code: getViolationCode('maxItems'),
          message: `must not have more than ${list.limit} items`,
          path: list.path
        }
      ])
    validator ??= Compile(schema)
    if (validator.Check(value)) return
    const reduced = reduceLists(schema, value, maxErrors)
    const errors = omitNullBranches(
      [...validator.Errors(reduced.value)].map(error => restoreErrorPath(error, reduced))
    )
    const found = errors.flatMap(error => toViolations(schema, error))
    refuseParams(removeDuplicates(found))
  }
}

/** Throws `invalid-parameters-format` with these violations. */
export function refuseParams(data: readonly Violation[]): never {
  throw new ApiError('invalid-parameters-format', formatSummary(data), { data })
}

/** Throws `invalid-parameters-format` for a name that is longer than new names may be. (docs/spec/limits.md#items) */
export function assertName(name: string, path: string): void {
  if (nameValidator.Check(name)) return
  refuseParams([
    {
      code: getViolationCode('maxLength'),
      message: `must not have more than ${maxNameLength} characters`,
      path
    }
  ])
}

const nameValidator = Compile(Name)

/**
 * Returns the error with changed paths, for params nested elsewhere. Errors without violations are returned
 * as they are.
 */
export function changePaths(error: ApiError, changePath: (path: string) => string): ApiError {
  const { data } = error.details
  if (!isViolations(data)) return error
  const moved = data.map(violation => ({ ...violation, path: changePath(violation.path) }))
  if (moved.every(({ path }, at) => path === data[at]!.path)) return error
  const message = error.message === formatSummary(data) ? formatSummary(moved) : error.message
  return new ApiError(error.id, message, { ...error.details, data: moved })
}

function isViolations(data: unknown): data is Violation[] {
  return Array.isArray(data) && data.every(item => typeof Object(item).path === 'string')
}

/** Returns the API's code for a failure of a JSON Schema keyword; `INVALID` for keywords without one. */
export function getViolationCode(keyword: string): string {
  return codes[keyword] ?? 'INVALID'
}

interface SchemaError {
  readonly keyword: string
  readonly instancePath: string
  readonly message: string
  readonly params: object
}

function restoreErrorPath(error: SchemaError, reduced: ReducedParams): SchemaError {
  return { ...error, instancePath: reduced.restorePath(error.instancePath) }
}

/** Removes errors about the `null` branch of nullable fields: the errors of the other branch explain what is wrong. */
function omitNullBranches(errors: readonly SchemaError[]): SchemaError[] {
  const nulls = new Set(errors.filter(isNullBranch).map(({ instancePath }) => instancePath))
  const nullable = new Set(
    errors
      .filter(({ keyword, instancePath }) => keyword === 'anyOf' && nulls.has(instancePath))
      .map(({ instancePath }) => instancePath)
  )
  return errors.filter(
    error => !nullable.has(error.instancePath) || !(isNullBranch(error) || error.keyword === 'anyOf')
  )
}

function isNullBranch({ keyword, params }: SchemaError): boolean {
  return keyword === 'type' && 'type' in params && params.type === 'null'
}

function toViolations(schema: TSchema, error: SchemaError): Violation[] {
  return toGeneralViolations(error).map(violation => applyFieldCodes(schema, violation))
}

/**
 * Applies a field's own error codes: `invalidCode`, and `requiredCode` if it is missing.
 * (docs/spec/registration.md#fields)
 */
function applyFieldCodes(schema: TSchema, violation: Violation): Violation {
  const isMissing = violation.code === codes.required
  const name = isMissing ? String(violation.params?.[0]) : violation.path.split('/')[1]
  const fields = 'properties' in schema ? (schema.properties as Record<string, object>) : {}
  if (name === undefined || !Object.hasOwn(fields, name)) return violation
  const { invalidCode, requiredCode } = fields[name] as { invalidCode?: string; requiredCode?: string }
  const code = isMissing ? requiredCode : invalidCode
  return code === undefined
    ? violation
    : { code, message: `The ${name} is ${isMissing ? 'missing' : 'invalid'}`, path: `#/${name}`, param: name }
}

/** Removes duplicate violations, and limits their number. */
function removeDuplicates(all: readonly Violation[]): Violation[] {
  const byText = new Map<string, Violation>()
  for (const found of all) {
    byText.set(`${found.code} ${found.path} ${found.message}`, found)
    if (byText.size === maxErrors) break
  }
  return [...byText.values()]
}

/** Converts an error of the schema check to violations: one for each property that is unknown or missing. */
function toGeneralViolations({ keyword, instancePath, message, params }: SchemaError): Violation[] {
  // An unknown property causes two errors; the second, at the object, names it.
  if (keyword === 'boolean') return []
  const code = getViolationCode(keyword)
  const path = `#${instancePath}`
  if ('additionalProperties' in params && Array.isArray(params.additionalProperties))
    return params.additionalProperties.slice(0, maxErrors).map(name => ({
      code,
      message: `Unknown property "${String(name).slice(0, 100)}"`,
      path,
      params: [name]
    }))
  if ('requiredProperties' in params && Array.isArray(params.requiredProperties))
    return params.requiredProperties.map(name => ({
      code,
      message: `Missing property "${name}"`,
      path,
      params: [name]
    }))
  return [{ code, message, path }]
}

function formatSummary(data: readonly Violation[]): string {
  const first = data[0]
  if (!first) return "The parameters' format is invalid"
  // Messages that are sentences name the field themselves.
  const field = first.path === '#' || /^[A-Z]/.test(first.message) ? '' : `${first.path.slice(2)} `
  return `The parameters' format is invalid: ${field}${first.message}`
}
