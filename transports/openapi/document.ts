/** The OpenAPI 3.1 document, generated from the methods and the route tables, so that nothing is written twice. */
import type { Config } from '../../core/settings/config.js'
import { errorTable } from '../../core/errors.js'
import type { AnyMethod } from '../../core/call/method.js'
import type { Examples } from './examples.js'
import { listTags } from './tags.js'
import { buildOperation, type DescribedRoute } from './operation.js'
import { SchemaComponents, type JsonSchema } from './schemas.js'

/** What the document is generated from. */
interface DocumentSources {
  readonly config: Config
  readonly definitions: readonly AnyMethod[]
  readonly userRoutes: readonly DescribedRoute[]
  readonly serviceRoutes: readonly DescribedRoute[]
  readonly examples: Examples
}

/** Returns the document as plain JSON. */
export function buildOpenApiDocument({
  config,
  definitions,
  examples,
  serviceRoutes,
  userRoutes
}: DocumentSources): JsonSchema {
  const schemas = new SchemaComponents()
  const methods = new Map(definitions.map(definition => [definition.id, definition]))
  const counts = new Map<string, number>()
  const paths: Record<string, Record<string, unknown>> = {}
  const add = (route: DescribedRoute, isOfUser: boolean): void => {
    const path = formatPath(route, isOfUser)
    const count = (counts.get(route.method) ?? 0) + 1
    counts.set(route.method, count)
    const operation = buildOperation(route, {
      method: methods.get(route.method),
      example: examples[route.method],
      count,
      schemas
    })
    paths[path] = {
      ...(isOfUser ? { parameters: [{ $ref: '#/components/parameters/username' }] } : {}),
      ...paths[path],
      [route.verb.toLowerCase()]: operation
    }
  }
  for (const route of userRoutes) add(route, true)
  for (const route of serviceRoutes) add(route, false)
  return {
    openapi: '3.1.0',
    info: {
      title: `${config.service.name} API`,
      version: config.apiVersion,
      license: { name: 'BSD-3-Clause', identifier: 'BSD-3-Clause' },
      description:
        'Personal, time-stamped data in streams, granted by accesses. Where users have host names of their own, ' +
        'paths below `/{username}` are also available at the root of that host.'
    },
    servers: [{ url: config.publicUrl }],
    tags: listTags(),
    paths,
    components: {
      schemas: { ...schemas.components, ...envelope },
      responses: buildResponses(),
      parameters: {
        username: {
          name: 'username',
          in: 'path',
          required: true,
          schema: { type: 'string' },
          example: 'daisy'
        }
      },
      securitySchemes
    }
  }
}

/** Formats a path. A user's root is written without a trailing slash, which makes no difference. */
function formatPath({ path }: DescribedRoute, isOfUser: boolean): string {
  const filled = path.replaceAll(/:(\w+)/g, '{$1}')
  return isOfUser ? `/{username}${filled === '/' ? '' : filled}` : filled
}

const securitySchemes = {
  token: {
    type: 'apiKey',
    in: 'header',
    name: 'Authorization',
    description: 'The token alone, without a scheme'
  },
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic', description: 'The token as the username, with any password' },
  query: { type: 'apiKey', in: 'query', name: 'auth' },
  adminKey: { type: 'apiKey', in: 'header', name: 'Authorization', description: 'The admin key' }
}

const envelope = {
  Meta: {
    type: 'object',
    required: ['apiVersion', 'serverTime', 'serial'],
    properties: {
      apiVersion: { type: 'string' },
      serverTime: { type: 'number', description: 'Seconds since the Unix epoch' },
      serial: { type: 'string', description: 'Changes when the service information does' }
    }
  },
  Error: {
    type: 'object',
    required: ['id', 'message'],
    properties: {
      id: { type: 'string', enum: Object.keys(errorTable) },
      message: { type: 'string' },
      data: {},
      subErrors: { type: 'array', items: { $ref: '#/components/schemas/Error' } }
    }
  },
  ErrorAnswer: {
    type: 'object',
    required: ['error', 'meta'],
    properties: { error: { $ref: '#/components/schemas/Error' }, meta: { $ref: '#/components/schemas/Meta' } }
  }
}

function buildResponses(): JsonSchema {
  return {
    Malformed: buildErrorResponse(`The request is malformed: ${listErrorIds(400)}`),
    NoAccess: buildErrorResponse(`The token is missing or invalid: ${listErrorIds(401)}`),
    Forbidden: buildErrorResponse(`The token does not permit this call: ${listErrorIds(403)}`),
    Unknown: buildErrorResponse(`The item or user does not exist: ${listErrorIds(404)}`),
    Removed: buildErrorResponse(`This method has been removed from the API: ${listErrorIds(410)}`),
    Corrupted: buildErrorResponse('The event has no image to make a preview of: `corrupted-data`'),
    Error: buildErrorResponse('Any other error')
  }
}

function listErrorIds(status: number): string {
  return Object.entries(errorTable)
    .filter(([, [errorStatus]]) => errorStatus === status)
    .map(([id]) => `\`${id}\``)
    .join(', ')
}

function buildErrorResponse(description: string): object {
  const schema = { $ref: '#/components/schemas/ErrorAnswer' }
  return { description, content: { 'application/json': { schema } } }
}
