/** The `content` and `clientData` parameters of `events.get`: conditions on the contents of events. (docs/spec/streams-queries.md#conditions-on-contents) */
import type { Comparison, ContentCondition, Scalar } from '../../schemas/content-condition.js'
import type { Config } from '../settings/config.js'
import { refuseParams } from '../validation/params.js'
import { quoteText } from '../errors.js'

/**
 * Parses the conditions of both parameters, all of which have to hold: arrays of `{path, <operation>:
 * value}`, or the JSON text of such an array. Returns `undefined` if there are none. Throws
 * `invalid-parameters-format` for anything else.
 */
export function parseContentConditions(
  given: { readonly content?: unknown; readonly clientData?: unknown },
  { limits }: { readonly limits: Pick<Config['limits'], 'queryConditions'> }
): ContentCondition[] | undefined {
  if (given.content === undefined && given.clientData === undefined) return undefined
  const conditions = (['content', 'clientData'] as const).flatMap(within =>
    toList(given[within], within).map((one, index) => parseCondition(one, within, `#/${within}/${index}`))
  )
  if (conditions.length > limits.queryConditions) refuse('#', `exceed the limit of ${limits.queryConditions}`)
  return conditions.length === 0 ? undefined : conditions
}

function refuse(path: string, reason: string): never {
  return refuseParams([{ code: 'INVALID', message: `these conditions ${reason}`, path }])
}

function toList(given: unknown, within: string): unknown[] {
  if (given === undefined) return []
  const isText = Array.isArray(given) && given.length === 1 && typeof given[0] === 'string'
  const text: unknown = isText ? given[0] : given
  const list = typeof text === 'string' ? parseJson(text, within) : text
  return Array.isArray(list) ? (list as unknown[]) : refuse(`#/${within}`, 'must be an array')
}

function parseJson(text: string, within: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuse(`#/${within}`, 'are not valid JSON')
  }
}

function parseCondition(given: unknown, within: ContentCondition['within'], at: string): ContentCondition {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) refuse(at, 'must be objects')
  const { path, ...rest } = given as Record<string, unknown>
  const [comparison, ...others] = Object.entries(rest)
  if (!comparison || others.length > 0) refuse(at, 'must each have one operation')
  return { within, path: parsePath(path, at), comparison: parseComparison(comparison, at) }
}

const pathPattern = /^[a-zA-Z0-9_:-]+(?:\.[a-zA-Z0-9_:-]+)*$/
const maxPathLength = 1000

/** Returns the keys of a path; `$` is the whole value. */
function parsePath(path: unknown, at: string): string[] {
  if (path === '$') return []
  if (typeof path !== 'string' || path.length > maxPathLength || !pathPattern.test(path))
    refuse(at, 'need a "path": keys joined by dots, or "$"')
  return path.split('.')
}

/** Maximum number of values in one condition. */
const maxValues = 1000

/**
 * Parses one comparison of a condition. Error: `invalid-parameters-format` for an unknown operation or an operand of
 * the wrong kind.
 */
function parseComparison([operation, operand]: readonly [string, unknown], at: string): Comparison {
  switch (operation) {
    case 'eq':
    case 'neq':
      if (isScalar(operand)) return [operation, operand]
      return refuse(at, `need a string, a number, a boolean or null for "${operation}"`)
    case 'in':
      if (Array.isArray(operand) && operand.length <= maxValues && operand.every(isScalar))
        return [operation, operand]
      return refuse(at, 'need an array of strings, numbers, booleans or null for "in"')
    case 'exists':
      if (typeof operand === 'boolean') return [operation, operand]
      return refuse(at, 'need a boolean for "exists"')
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      if (typeof operand === 'string' || typeof operand === 'number') return [operation, operand]
      return refuse(at, `need a string or a number for "${operation}"`)
    case 'prefix':
      if (typeof operand === 'string') return [operation, operand]
      return refuse(at, 'need a string for "prefix"')
    default:
      return refuse(at, `use an unknown operation ${quoteText(operation)}`)
  }
}

function isScalar(value: unknown): value is Scalar {
  return (
    value === null || typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  )
}
