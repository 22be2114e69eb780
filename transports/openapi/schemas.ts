/** Schemas of params and results as OpenAPI components: each named type is described once. */
import { Access } from '../../schemas/access.js'
import { Attachment, Event } from '../../schemas/event.js'
import { ItemDeletion } from '../../schemas/scalars.js'
import { Stream } from '../../schemas/stream.js'
import { Webhook } from '../../schemas/webhook.js'

/** A JSON Schema as plain JSON. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The named types of the API. */
const namedTypes: Readonly<Record<string, object>> = {
  Event,
  Attachment,
  Stream,
  Access,
  Webhook,
  ItemDeletion
}

/** Our own keywords, which only our validation uses. */
const ownKeywords = new Set(['$id', 'requiredCode', 'invalidCode'])

/** Keywords whose value is data, not a schema. */
const dataKeywords = new Set(['const', 'enum', 'default', 'required'])
/** Keywords whose value maps names to schemas. */
const mapKeywords = new Set(['properties', 'patternProperties'])

const refPrefix = '#/components/schemas/'

/** Converts schemas to JSON, and collects the named ones as components. */
export class SchemaComponents {
  readonly components: Record<string, JsonSchema> = {}
  /** Type names by the JSON of their schemas. */
  readonly #names = new Map<string, string>()

  constructor() {
    for (const [name, schema] of Object.entries(namedTypes)) this.#names.set(JSON.stringify(schema), name)
    for (const [name, schema] of Object.entries(namedTypes))
      this.components[name] = this.#convertMembers(toPlainJson(schema))
  }

  /** Returns the schema as it appears in the document. */
  toComponentSchema(schema: object): JsonSchema {
    return this.#convert(toPlainJson(schema)) as JsonSchema
  }

  #convert(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(item => this.#convert(item))
    if (typeof value !== 'object' || value === null) return value
    const name = this.#names.get(JSON.stringify(value))
    return name === undefined ? this.#convertMembers(value as JsonSchema) : { $ref: refPrefix + name }
  }

  #convertValue(keyword: string, value: unknown): unknown {
    if (dataKeywords.has(keyword)) return value
    if (!mapKeywords.has(keyword)) return this.#convert(value)
    const entries = Object.entries(value as JsonSchema)
    return Object.fromEntries(entries.map(([name, schema]) => [name, this.#convert(schema)]))
  }

  /** Converts the members of a schema. Its definitions become components. */
  #convertMembers(schema: JsonSchema): JsonSchema {
    const { $defs, $ref, ...rest } = schema
    for (const [name, inner] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
      if (name in this.components) continue
      this.components[name] = {}
      this.components[name] = this.#convertMembers(inner)
    }
    const members = Object.entries(rest).flatMap(([keyword, value]) =>
      ownKeywords.has(keyword) ? [] : [[keyword, this.#convertValue(keyword, value)] as const]
    )
    const reference = typeof $ref === 'string' ? { $ref: refPrefix + $ref } : {}
    return { ...reference, ...Object.fromEntries(members) }
  }
}

/** Removes symbols and other members that only TypeBox uses. */
function toPlainJson(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema)) as JsonSchema
}
