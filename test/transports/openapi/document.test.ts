/** The OpenAPI document: valid OpenAPI 3.1, complete, and correct. */
import t from 'tap'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { methods } from '../../../core/methods/index.js'
import { serviceRoutes, userRoutes } from '../../../transports/http/routes.js'
import { buildOpenApiDocument } from '../../../transports/openapi/document.js'
import { readExamples } from '../../../transports/openapi/examples.js'
import { coffer, testConfig, type Answer } from '../../support/coffer.js'

const text = { type: 'string', minLength: 1 }
const reference = {
  type: 'object',
  required: ['$ref'],
  properties: { $ref: { type: 'string', pattern: '^#/' } }
}
const content = {
  type: 'object',
  additionalProperties: { type: 'object', required: ['schema'], properties: { schema: { type: 'object' } } }
}
const named = { name: text, required: { type: 'boolean' }, schema: { type: 'object' } }
const parameter = {
  type: 'object',
  required: ['name', 'in', 'schema'],
  anyOf: [
    { properties: { ...named, in: { enum: ['query', 'header'] } } },
    { properties: { ...named, in: { const: 'path' }, required: { const: true } }, required: ['required'] }
  ]
}
const response = { type: 'object', required: ['description'], properties: { description: text, content } }
const operation = {
  type: 'object',
  required: ['operationId', 'summary', 'tags', 'security', 'responses'],
  properties: {
    operationId: text,
    summary: text,
    tags: { type: 'array', items: text, minItems: 1 },
    deprecated: { type: 'boolean' },
    security: { type: 'array', items: { type: 'object', additionalProperties: { type: 'array' } } },
    parameters: { type: 'array', items: { anyOf: [parameter, reference] } },
    requestBody: {
      type: 'object',
      required: ['content'],
      properties: { content, required: { type: 'boolean' } }
    },
    responses: {
      type: 'object',
      minProperties: 1,
      patternProperties: { '^([1-5][0-9]{2}|default)$': { anyOf: [response, reference] } },
      additionalProperties: false
    }
  },
  additionalProperties: false
}
/** The rules of OpenAPI 3.1 for the parts that this document uses. */
const rules = {
  type: 'object',
  required: ['openapi', 'info', 'paths', 'components', 'servers'],
  properties: {
    openapi: { const: '3.1.0' },
    info: { type: 'object', required: ['title', 'version'], properties: { title: text, version: text } },
    servers: { type: 'array', items: { type: 'object', required: ['url'] } },
    paths: {
      type: 'object',
      patternProperties: {
        '^/': {
          type: 'object',
          properties: {
            parameters: { type: 'array', items: { anyOf: [parameter, reference] } },
            ...Object.fromEntries(['get', 'post', 'put', 'delete'].map(verb => [verb, operation]))
          },
          additionalProperties: false
        }
      },
      additionalProperties: false
    },
    components: {
      type: 'object',
      properties: {
        schemas: { type: 'object', additionalProperties: { type: 'object' } },
        responses: { type: 'object', additionalProperties: response },
        parameters: { type: 'object', additionalProperties: parameter },
        securitySchemes: {
          type: 'object',
          additionalProperties: {
            type: 'object',
            required: ['type'],
            properties: { type: { enum: ['apiKey', 'http'] } }
          }
        }
      },
      additionalProperties: false
    }
  }
}

const document: Answer = JSON.parse(
  JSON.stringify(
    buildOpenApiDocument({
      config: testConfig('unused'),
      definitions: methods,
      examples: readExamples(),
      serviceRoutes,
      userRoutes
    })
  )
)
const paths = Object.entries(document.paths as Record<string, Record<string, Answer>>)
const operations = paths.flatMap(([path, item]) =>
  Object.entries(item).flatMap(([verb, of]) => (verb === 'parameters' ? [] : [{ path, verb, item, of }]))
)

/** Returns all values of a member with this name, at any depth. */
function found(value: Answer, name: string): Answer[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(key === name ? [inner] : []),
    ...found(inner, name)
  ])
}

function resolved(pointer: string): Answer {
  return pointer
    .slice(2)
    .split('/')
    .reduce((at: Answer, part) => at?.[part.replaceAll('~1', '/').replaceAll('~0', '~')], document)
}

/** Returns whether the document has an operation. */
function isThere(verb: string, path: string): boolean {
  return document.paths[path]?.[verb.toLowerCase()] !== undefined
}

// One for all schemas. Whether these are valid is checked once, below.
const ajv = new Ajv2020({
  strict: false,
  validateFormats: false,
  validateSchema: false,
  inlineRefs: false,
  code: { optimize: false }
})
ajv.addSchema({ $id: 'document', components: document.components })

/** Compiles a schema of the document. */
function checkOf(schema: object): ValidateFunction {
  const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
  return ajv.compile(JSON.parse(text) as object)
}

t.test('the document', async t => {
  t.test('follows the rules of OpenAPI', async t => {
    const check = new Ajv2020({ strict: false }).compile(rules)
    t.ok(check(document), JSON.stringify(check.errors))
  })

  t.test('refers only to what exists', async t => {
    const references = found(document, '$ref').filter(value => typeof value === 'string')
    t.ok(references.length > 100)
    for (const pointer of new Set<string>(references)) t.ok(resolved(pointer), pointer)
    const schemes = new Set(Object.keys(document.components.securitySchemes))
    const tags = new Set<string>(document.tags.map(({ name }: Answer) => name))
    for (const { of, path, verb } of operations) {
      for (const requirement of of.security)
        for (const scheme of Object.keys(requirement)) t.ok(schemes.has(scheme), scheme)
      if (!of.deprecated) for (const tag of of.tags) t.ok(tags.has(tag), `${verb} ${path}: ${tag}`)
    }
  })

  t.test('gives each operation a unique id, and declares each path parameter', async t => {
    const ids = operations.map(({ of }) => of.operationId)
    t.equal(new Set(ids).size, ids.length)
    for (const { item, of, path } of operations) {
      const declared = [...(item['parameters'] ?? []), ...(of.parameters ?? [])]
        .map((one: Answer) => (one.$ref ? resolved(one.$ref) : one))
        .filter((one: Answer) => one.in === 'path')
        .map((one: Answer) => one.name)
      t.same(declared.toSorted(), Array.from(path.matchAll(/{(\w+)}/g), ([, name]) => name).toSorted(), path)
    }
  })

  t.test('has every route of the routing table', async t => {
    for (const { path, verb } of userRoutes)
      t.ok(
        isThere(verb, `/{username}${path === '/' ? '' : path.replaceAll(/:(\w+)/g, '{$1}')}`),
        `${verb} ${path}`
      )
    for (const { path, verb } of serviceRoutes)
      t.ok(isThere(verb, path.replaceAll(/:(\w+)/g, '{$1}')), `${verb} ${path}`)
    t.equal(operations.length, userRoutes.length + serviceRoutes.length)
  })

  t.test('has a summary of every method', async t => {
    for (const { id, summary } of methods) t.match(summary, /^[A-Z].*[^.]$/, id)
  })

  t.test('has an example request and response for each operation, valid by its schemas', async t => {
    const bytes = new Set(['account.export', 'events.getAttachment', 'previews.get'])
    // Without a domain the service only refuses these.
    const refusing = new Set(['auth.usernameCheckPost', 'auth.emailCheckPost'])
    for (const { of, path, verb } of operations) {
      if (of.deprecated) continue
      const name = `${verb} ${path}`
      for (const parameter of of.parameters ?? [])
        if ('example' in parameter)
          t.ok(checkOf(parameter.schema)(parameter.example), `${name}: ${parameter.name}`)
      const sent = of.requestBody?.content['application/json']
      if (sent?.example !== undefined) t.ok(checkOf(sent.schema)(sent.example), name)
      const [answer] = Object.entries<Answer>(of.responses).filter(([status]) => status < '400')
      const method = of.operationId.replace(/-\d+$/, '')
      if (answer![0] === '204' || bytes.has(method) || refusing.has(method)) continue
      const [{ schema, example }] = Object.values<Answer>(answer![1].content)
      if (example === undefined) t.fail(`${name}: no example`)
      else if (answer![1].content['application/json']) t.ok(checkOf(schema)(example), name)
      else t.type(example, 'string', name)
    }
  })

  t.test('contains valid schemas', async t => {
    const ajv = new Ajv2020({ strict: false })
    for (const schema of [...found(document.paths, 'schema'), ...Object.values(document.components.schemas)])
      t.ok(ajv.validateSchema(schema as object), JSON.stringify(ajv.errors))
  })
})

t.test('the documentation', async t => {
  const { alice, ...service } = await coffer(t)
  await alice.stream('diary')
  await alice.stream('walks', 'diary')
  const { id } = await alice.event()
  const answers: [path: string, verb: string, filled: string, body?: unknown][] = [
    ['/{username}/events', 'get', '/events'],
    ['/{username}/events', 'post', '/events', { streamIds: ['diary'], type: 'note/txt', content: 'hi' }],
    ['/{username}/events/{id}', 'get', `/events/${id}`],
    ['/{username}/events/{id}', 'put', `/events/${id}`, { content: 'again' }],
    ['/{username}/events/{id}', 'delete', `/events/${id}`],
    ['/{username}/streams', 'get', '/streams'],
    ['/{username}/accesses', 'get', '/accesses'],
    ['/{username}/access-info', 'get', '/access-info'],
    ['/{username}', 'post', '/', [{ method: 'events.get', params: {} }]]
  ]
  for (const [path, verb, filled, body] of answers)
    t.test(`is correct for ${verb} ${path}`, async t => {
      const described = document.paths[path][verb]
      const answer = await alice.http(verb.toUpperCase(), filled, body)
      const schema = described.responses[answer.status].content['application/json'].schema
      const check = checkOf(schema)
      t.ok(check(answer.body), JSON.stringify(check.errors))
      if (body !== undefined) t.ok(checkOf(described.requestBody.content['application/json'].schema)(body))
    })

  t.test('is correct for errors', async t => {
    const { body, status } = await alice.http('GET', '/events/cunknown00000000000000000')
    t.equal(status, 404)
    const check = checkOf(document.components.schemas.ErrorAnswer)
    t.ok(check(body), JSON.stringify(check.errors))
  })

  t.test('is sent compressed, with its viewer, to those who accept that', async t => {
    let sent = 0
    for (const file of ['openapi.json', 'swagger-ui.css', 'swagger-ui-bundle.js']) {
      const load = async (encoding: string): Promise<Response> =>
        await fetch(`${service.server.url}/docs/${file}`, { headers: { 'accept-encoding': encoding } })
      const [small, large] = [await load('gzip'), await load('identity')]
      t.equal(small.headers.get('content-encoding'), 'gzip', file)
      t.equal(large.headers.get('content-encoding'), null, file)
      t.match(small.headers.get('vary'), /Accept-Encoding/i, file)
      sent += Number(small.headers.get('content-length'))
      t.equal(await small.text(), await large.text(), `the same content: ${file}`)
    }
    t.ok(sent > 0 && sent < 700_000, `${sent} bytes`)
  })

  t.test('is served with a page that needs nothing from other servers', async t => {
    const { url } = service.server
    const served = await fetch(`${url}/docs/openapi.json`)
    const { paths: servedPaths } = (await served.json()) as Answer
    t.same(Object.keys(servedPaths), Object.keys(document.paths))
    t.match(await fetch(`${url}/docs`, { redirect: 'manual' }), { status: 302 })
    const page = await fetch(`${url}/docs/`)
    t.match(
      page.headers.get('content-security-policy'),
      "default-src 'none'; script-src 'self'; style-src 'self'"
    )
    const html = await page.text()
    t.notMatch(html, /https?:\/\//)
    t.notMatch(html, /<script>|<style>| on\w+=/)
    for (const [, file = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const response = await fetch(new URL(file, `${url}/docs/`), {
        headers: { 'accept-encoding': 'identity' }
      })
      t.equal(response.status, 200, file)
      t.equal(Number(response.headers.get('content-length')), (await response.arrayBuffer()).byteLength, file)
    }
    for (const file of ['package.json', '..%2Fpackage.json', 'swagger-ui-bundle.js.map', '__proto__'])
      t.equal((await fetch(`${url}/docs/${file}`)).status, 404, file)
  })
})
