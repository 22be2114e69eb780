/** What a request says, as the params of its method: query, body and path together. (service.md, General conventions 1) */
import { coercions, type Coerce } from '../../core/coercion.js'
import type { AnyMethod } from '../../core/method.js'
import { fail } from '../../core/errors.js'
import { setMember } from '../../core/json.js'
import type { Query } from './query.js'
import type { Verb } from './routes.js'

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
    fail('invalid-parameters-format', 'The body has to be a JSON object.')
  return { ...body, ...ids }
}

function fromUpdate(
  _query: Query,
  ids: Readonly<Record<string, string>> | undefined,
  update: unknown
): unknown {
  return { ...ids, update }
}

/** Names that the schema does not know stay in: it refuses them. The token is no param. */
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
