/** Builds operations of the OpenAPI document from routes. */
import { adminOnly, commandsOnly } from '../../core/auth/admin.js'
import type { AnyMethod } from '../../core/call/method.js'
import type { JsonSchema, SchemaComponents } from './schemas.js'
import type { Example } from './examples.js'
import { additionalTag, getTag } from './tags.js'

/** The properties of a route that are described. */
export interface DescribedRoute {
  readonly verb: string
  readonly path: string
  readonly method: string
  readonly status: number
  readonly bodyKind?: string
  readonly responseKind?: string
}

interface Properties {
  readonly [name: string]: JsonSchema
}

const bytes = { type: 'string', format: 'binary' }

/** The context in which a route is described. */
interface RouteContext {
  /** Missing for removed methods. */
  readonly method: AnyMethod | undefined
  readonly example: Example | undefined
  /** The position among the routes of its method, from 1. */
  readonly count: number
  readonly schemas: SchemaComponents
}

/** Returns the operation of a route. */
export function buildOperation(
  route: DescribedRoute,
  { method, example, count, schemas }: RouteContext
): JsonSchema {
  const operationId = count === 1 ? route.method : `${route.method}-${count}`
  const tag = count === 1 ? getTag(route.method) : additionalTag
  const names = Array.from(route.path.matchAll(/:(\w+)/g), ([, name = '']) => name)
  if (!method)
    return {
      operationId,
      summary: 'No longer part of the API',
      tags: [tag],
      deprecated: true,
      security: [],
      ...buildParameters(names.map(name => pathParameter(name, { type: 'string' }))),
      responses: { 410: errorRef('Removed') }
    }
  const params = schemas.toComponentSchema(method.params as object)
  const properties = (params['properties'] ?? {}) as Properties
  const required = new Set(params['required'] as string[] | undefined)
  const hasBody = route.verb === 'POST' || route.verb === 'PUT'
  const getExample = (name: string): object => {
    const value = (example?.params as Record<string, unknown> | undefined)?.[name]
    return value === undefined ? {} : { example: value }
  }
  const query = hasBody
    ? []
    : Object.keys(properties).filter(name => name !== 'auth' && !names.includes(name))
  return {
    operationId,
    summary: method.summary,
    tags: [tag],
    security: buildSecurity(method),
    ...buildParameters([
      ...names.map(name => ({
        ...pathParameter(name, properties[name] ?? { type: 'string' }),
        ...getExample(name)
      })),
      ...query.map(name => ({
        name,
        in: 'query',
        required: required.has(name),
        schema: properties[name]!,
        ...getExample(name)
      })),
      ...(route.responseKind === 'file' ? [readToken] : [])
    ]),
    ...(hasBody ? buildBody(route, params, names, example) : {}),
    responses: { ...buildResponses(route, method, schemas, example), ...buildErrors(method, names) }
  }
}

const readToken = {
  name: 'readToken',
  in: 'query',
  required: false,
  description: 'Replaces the token: the `readToken` shown with the attachment',
  schema: { type: 'string' }
}

function buildParameters(parameters: readonly object[]): JsonSchema {
  return parameters.length === 0 ? {} : { parameters }
}

function pathParameter(name: string, schema: JsonSchema): object {
  return { name, in: 'path', required: true, schema }
}

/** Methods that check the token or the admin key themselves. */
const byOwnerOrOperator = new Set(['users.delete'])

function buildSecurity({ allow, id }: AnyMethod): object[] {
  if (allow === adminOnly || allow === commandsOnly) return [{ adminKey: [] }]
  if (byOwnerOrOperator.has(id)) return [{ adminKey: [] }, { token: [] }]
  return allow.needsAccess ? [{ token: [] }, { bearer: [] }, { basic: [] }, { query: [] }] : []
}

/** Builds the body: for PUT the `update` alone, for POST the params that are not in the path. */
function buildBody(
  route: DescribedRoute,
  params: JsonSchema,
  names: readonly string[],
  example: Example | undefined
): JsonSchema {
  const bodySchema = route.verb === 'PUT' ? getUpdateSchema(params) : omitProperties(params, names)
  if (!bodySchema) return {}
  const isRequired =
    bodySchema['type'] !== 'object' || ((bodySchema['required'] as string[] | undefined) ?? []).length > 0
  const json = { 'application/json': { schema: bodySchema, ...bodyExample(route, names, example) } }
  const files = { type: 'object', additionalProperties: bytes }
  const event = { type: 'string', contentMediaType: 'application/json', contentSchema: bodySchema }
  if (route.bodyKind === 'files')
    return { requestBody: { required: true, content: { 'multipart/form-data': { schema: files } } } }
  if (route.bodyKind === 'form')
    return {
      requestBody: {
        required: true,
        content: { 'multipart/form-data': { schema: { ...files, properties: { params: event } } } }
      }
    }
  if (route.bodyKind === 'event')
    return {
      requestBody: {
        required: true,
        content: {
          ...json,
          'multipart/form-data': { schema: { ...files, properties: { event }, required: ['event'] } }
        }
      }
    }
  return { requestBody: { required: isRequired, content: json } }
}

/** Returns the params of an example that are in the body. */
function bodyExample(route: DescribedRoute, names: readonly string[], example: Example | undefined): object {
  if (example === undefined) return {}
  const { params } = example
  if (route.verb === 'PUT') return { example: (params as { update?: unknown }).update }
  if (Array.isArray(params)) return { example: params }
  const rest = Object.entries(params as object).filter(([name]) => !names.includes(name))
  return rest.length === 0 ? {} : { example: Object.fromEntries(rest) }
}

function getUpdateSchema(params: JsonSchema): JsonSchema | undefined {
  return (params['properties'] as Properties | undefined)?.['update']
}

/** Removes properties from an object schema; returns `undefined` if no properties remain. */
function omitProperties(schema: JsonSchema, names: readonly string[]): JsonSchema | undefined {
  const { properties, required, ...rest } = schema
  if (properties === undefined) return schema
  const remaining = Object.entries(properties as Properties).filter(([name]) => !names.includes(name))
  if (remaining.length === 0) return undefined
  const needed = ((required ?? []) as string[]).filter(name => !names.includes(name))
  return {
    ...rest,
    ...(needed.length > 0 ? { required: needed } : {}),
    properties: Object.fromEntries(remaining)
  }
}

/** Builds the successful responses of a route, by the kind of its body. */
function buildResponses(
  route: DescribedRoute,
  method: AnyMethod,
  schemas: SchemaComponents,
  example: Example | undefined
): JsonSchema {
  const { result } = method
  const exampleMember = example?.answer === undefined ? {} : { example: example.answer }
  const content = {
    content: {
      'application/json': { schema: wrapInEnvelope(schemas.toComponentSchema(result)), ...exampleMember }
    }
  }
  if (route.status === 204) return { 204: { description: 'Success, without a body' } }
  if (route.responseKind === 'redirect')
    return {
      [route.status]: {
        description: 'The URL to redirect to',
        headers: { Location: { schema: { type: 'string' } } },
        ...content
      }
    }
  if (route.responseKind === 'file')
    return {
      200: { description: 'The bytes of the file', content: { '*/*': { schema: bytes } } },
      206: { description: 'The requested range', content: { '*/*': { schema: bytes } } },
      304: { description: 'The client has the current version' }
    }
  if (route.responseKind === 'export')
    return { 200: { description: 'The archive', content: { 'application/zip': { schema: bytes } } } }
  if (route.responseKind === 'document')
    return { 200: { description: 'The document', content: { '*/*': { schema: bytes, ...exampleMember } } } }
  if (route.responseKind === 'preview')
    return {
      200: { description: 'The preview', content: { 'image/jpeg': { schema: bytes } } },
      204: { description: 'The event is not an image' },
      304: { description: 'The client has the current version' },
      422: errorRef('Corrupted')
    }
  if (route.responseKind === 'text')
    return {
      [route.status]: {
        description: 'The result as one word',
        content: { 'text/plain': { schema: { type: 'string' }, ...exampleMember } }
      }
    }
  return {
    [route.status]: { description: 'Success', ...content },
    ...(hasValidator(method) ? { 304: { description: 'The client has the current version' } } : {})
  }
}

/** Returns whether responses of a method can have an `ETag`. */
function hasValidator(method: AnyMethod): boolean {
  return 'isCacheable' in method || 'isConstant' in method
}

/** Wraps a result with the `meta` that every response has. */
function wrapInEnvelope(result: JsonSchema): JsonSchema {
  const meta = { $ref: '#/components/schemas/Meta' }
  return { allOf: [result, { type: 'object', properties: { meta }, required: ['meta'] }] }
}

function buildErrors({ allow, params }: AnyMethod, names: readonly string[]): JsonSchema {
  const hasParams = params.type !== 'object' || Object.keys((params.properties ?? {}) as object).length > 0
  return {
    ...(hasParams || names.length > 0 ? { 400: errorRef('Malformed') } : {}),
    ...(allow.needsAccess ? { 401: errorRef('NoAccess') } : {}),
    ...(allow.needsAccess || allow.check ? { 403: errorRef('Forbidden') } : {}),
    404: errorRef('Unknown'),
    default: errorRef('Error')
  }
}

function errorRef(name: string): JsonSchema {
  return { $ref: `#/components/responses/${name}` }
}
