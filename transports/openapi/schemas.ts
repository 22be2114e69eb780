/** Schemas of params and results as OpenAPI components: each named type is described once. */
import { Access } from '../../schemas/access.js'
import { Attachment, Event } from '../../schemas/event.js'
import { ItemDeletion } from '../../schemas/scalars.js'
import { Stream } from '../../schemas/stream.js'
import { Webhook } from '../../schemas/webhook.js'

/** A JSON Schema as plain JSON. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** The named types of the API. */
const nouns: Readonly<Record<string, object>> = { Event, Attachment, Stream, Access, Webhook, ItemDeletion }

/** Our own keywords, which mean something only to our validation. */
const ownKeywords = new Set(['$id', 'requiredCode', 'invalidCode'])

/** Keywords whose value is data, not a schema. */
const data = new Set(['const', 'enum', 'default', 'required'])
/** Keywords whose value maps names to schemas. */
const maps = new Set(['properties', 'patternProperties'])

const place = '#/components/schemas/'

/** Turns schemas into JSON, gathering the named ones. */
export class Schemas {
  readonly components: Record<string, JsonSchema> = {}
  /** Type names by the JSON of their schemas. */
  readonly #names = new Map<string, string>()

  constructor() {
    for (const [name, schema] of Object.entries(nouns)) this.#names.set(JSON.stringify(schema), name)
    for (const [name, schema] of Object.entries(nouns)) this.components[name] = this.#membersOf(plain(schema))
  }

  /** Returns the schema as it appears in the document. */
  of(schema: object): JsonSchema {
    return this.#converted(plain(schema)) as JsonSchema
  }

  #converted(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(item => this.#converted(item))
    if (typeof value !== 'object' || value === null) return value
    const name = this.#names.get(JSON.stringify(value))
    return name === undefined ? this.#membersOf(value as JsonSchema) : { $ref: place + name }
  }

  #valueOf(keyword: string, value: unknown): unknown {
    if (data.has(keyword)) return value
    if (!maps.has(keyword)) return this.#converted(value)
    const entries = Object.entries(value as JsonSchema)
    return Object.fromEntries(entries.map(([name, schema]) => [name, this.#converted(schema)]))
  }

  /** Definitions within a schema become components. */
  #membersOf(schema: JsonSchema): JsonSchema {
    const { $defs, $ref, ...rest } = schema
    for (const [name, inner] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
      if (name in this.components) continue
      this.components[name] = {}
      this.components[name] = this.#membersOf(inner)
    }
    const members = Object.entries(rest).flatMap(([keyword, value]) =>
      ownKeywords.has(keyword) ? [] : [[keyword, this.#valueOf(keyword, value)] as const]
    )
    const reference = typeof $ref === 'string' ? { $ref: place + $ref } : {}
    return { ...reference, ...Object.fromEntries(members) }
  }
}

/** Drops symbols and other members that only TypeBox uses. */
function plain(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema)) as JsonSchema
}
