/** Builds a method's params from the query, body and path of a request. (docs/spec/conventions.md#http-verbs) */
import { compileCoercions, type Coerce } from '../../../core/validation/coercion.js'
import type { AnyMethod } from '../../../core/call/method.js'
import { setMember } from '../../../core/json/json-text.js'
import { refuseParams, changePaths } from '../../../core/validation/params.js'
import type { Outcome } from '../../../core/call/outcome.js'
import type { Query } from './query.js'
import type { Verb } from '../route.js'
import { quoteText } from '../../../core/errors.js'

/** Builds params from the parts of a request. `body` is `undefined` for verbs without one. */
export type BuildParams = (
  query: Query,
  ids: Readonly<Record<string, string>> | undefined,
  body: unknown
) => unknown

/** Returns a function that builds the params of a method for this verb. It is compiled once per route, on first use. */
export function createParamsBuilder(verb: Verb, method: AnyMethod | undefined): BuildParams {
  if (verb === 'POST') return buildFromBody
  if (verb === 'PUT') return buildFromUpdate
  let coercions: ReadonlyMap<string, Coerce> | undefined
  return (query, ids) => {
    coercions ??= method ? compileCoercions(method.params) : new Map()
    return buildFromQuery(coercions, query, ids)
  }
}

/** Returns whether params of requests with this verb are in the body. */
export function acceptsBody(verb: string): boolean {
  return verb === 'POST' || verb === 'PUT'
}

/**
 * Throws `invalid-parameters-format` if the body of a `DELETE` is not empty: its params are in the query string, and
 * params sent in the body must not be ignored silently. (docs/spec/conventions.md#http-verbs)
 */
export function assertNoParams(body: unknown): void {
  const names = Object.keys(Object(body))
  const isEmpty = names.length === 0 && (typeof body === 'object' || body === undefined)
  if (isEmpty) return
  refuseParams(
    typeof body !== 'object' || Array.isArray(body)
      ? [{ code: 'INVALID_TYPE', message: emptyBodyHint, path: '#' }]
      : names.slice(0, maxNamedProperties).map(name => ({
          code: 'OBJECT_ADDITIONAL_PROPERTIES',
          message: `Unknown property ${quoteText(name)}: ${emptyBodyHint}`,
          path: '#',
          params: [name]
        }))
  )
}

const emptyBodyHint = 'send the parameters of a DELETE in the query string, with an empty body'
/** Maximum number of properties that an error names. */
const maxNamedProperties = 20

function buildFromBody(
  _query: Query,
  ids: Readonly<Record<string, string>> | undefined,
  body: unknown
): unknown {
  if (!ids) return body
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    refuseParams([{ code: 'INVALID_TYPE', message: 'The body must be a JSON object', path: '#' }])
  return { ...body, ...ids }
}

/**
 * Returns the outcome in terms of the request: error paths of an update lose the prefix `update`, which is not part
 * of its body.
 */
export function toRequestOutcome(verb: Verb, outcome: Outcome): Outcome {
  if (outcome.ok || verb !== 'PUT' || outcome.error.id !== 'invalid-parameters-format') return outcome
  const error = changePaths(outcome.error, path => path.replace(/^#\/update(?=\/|$)/, '#'))
  return error === outcome.error ? outcome : { ...outcome, error }
}

function buildFromUpdate(
  _query: Query,
  ids: Readonly<Record<string, string>> | undefined,
  update: unknown
): unknown {
  return { ...ids, update }
}

/** Builds params from the query, without the token. Unknown names are kept, so that the schema rejects them. */
function buildFromQuery(
  coercions: ReadonlyMap<string, Coerce>,
  query: Query,
  ids: Readonly<Record<string, string>> | undefined
): unknown {
  const params: Record<string, unknown> = {}
  for (const [name, value] of query)
    if (name !== 'auth') setMember(params, name, coercions.get(name)?.(value) ?? value)
  return ids ? Object.assign(params, ids) : params
}
