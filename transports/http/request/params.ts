/** What a request says, as the params of its method: query, body and path together. (docs/spec/conventions.md#http-verbs) */
import { coercions, type Coerce } from '../../../core/validation/coercion.js'
import type { AnyMethod } from '../../../core/call/method.js'
import { setMember } from '../../../core/json/json-text.js'
import { refuseParams, withPaths } from '../../../core/validation/params.js'
import type { Outcome } from '../../../core/call/outcome.js'
import type { Query } from './query.js'
import type { Verb } from '../routes.js'

/** Makes params of the parts of a request. `body` is absent for verbs that have none. */
export type ParamsOf = (
  query: Query,
  ids: Readonly<Record<string, string>> | undefined,
  body: unknown
) => unknown

/** How the params of a method come about when it is called with this verb; compiled once for each route. */
export function paramsFor(verb: Verb, method: AnyMethod | undefined): ParamsOf {
  if (verb === 'POST') return fromBody
  if (verb === 'PUT') return fromUpdate
  const plan: ReadonlyMap<string, Coerce> = method ? coercions(method.params) : new Map()
  return (query, ids) => fromQuery(plan, query, ids)
}

/** Whether requests with this verb have a body that counts. */
export function hasBody(verb: string): boolean {
  return verb === 'POST' || verb === 'PUT'
}

function fromBody(_query: Query, ids: Readonly<Record<string, string>> | undefined, body: unknown): unknown {
  if (!ids) return body
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    refuseParams([{ code: 'INVALID_TYPE', message: 'The body has to be a JSON object', path: '#' }])
  return { ...body, ...ids }
}

/** The outcome of a call with this verb, in terms of the request: who sends an update does not know that it is called that. */
export function inTermsOf(verb: Verb, outcome: Outcome): Outcome {
  if (outcome.ok || verb !== 'PUT' || outcome.error.id !== 'invalid-parameters-format') return outcome
  const error = withPaths(outcome.error, path => path.replace(/^#\/update(?=\/|$)/, '#'))
  return error === outcome.error ? outcome : { ...outcome, error }
}

function fromUpdate(
  _query: Query,
  ids: Readonly<Record<string, string>> | undefined,
  update: unknown
): unknown {
  return { ...ids, update }
}

/** Names that the schema does not know stay in: it refuses them. The token is not a param. */
function fromQuery(
  plan: ReadonlyMap<string, Coerce>,
  query: Query,
  ids: Readonly<Record<string, string>> | undefined
): unknown {
  const params: Record<string, unknown> = {}
  for (const [name, value] of query)
    if (name !== 'auth') setMember(params, name, plan.get(name)?.(value) ?? value)
  return ids ? Object.assign(params, ids) : params
}
