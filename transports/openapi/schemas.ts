/** Schemas of params and results as components of an OpenAPI document: what has a name is described once. */
import { Access } from '../../schemas/access.js'
import { Attachment, Event } from '../../schemas/event.js'
import { ItemDeletion } from '../../schemas/scalars.js'
import { Stream } from '../../schemas/stream.js'
import { Webhook } from '../../schemas/webhook.js'

/** A JSON Schema as plain JSON. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** Nouns of the API. */
const nouns: Readonly<Record<string, object>> = { Event, Attachment, Stream, Access, Webhook, ItemDeletion }

/** Keywords that only the checks of this service know. */
const own = new Set(['$id', 'requiredCode', 'invalidCode'])

/** Keywords that values follow, not schemas. */
const data = new Set(['const', 'enum', 'default', 'required'])
/** Keywords that schemas by name follow. */
const maps = new Set(['properties', 'patternProperties'])

const place = '#/components/schemas/'

/** Turns schemas into JSON, gathering the named ones. */
export class Schemas {
  readonly components: Record<string, JsonSchema> = {}
  /** Name of a noun by the JSON of its schema. */
  readonly #names = new Map<string, string>()

  constructor() {
    for (const [name, schema] of Object.entries(nouns)) this.#names.set(JSON.stringify(schema), name)
    for (const [name, schema] of Object.entries(nouns)) this.components[name] = this.#membersOf(plain(schema))
  }

  /** The schema as it stands in the document. */
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
      own.has(keyword) ? [] : [[keyword, this.#valueOf(keyword, value)] as const]
    )
    const reference = typeof $ref === 'string' ? { $ref: place + $ref } : {}
    return { ...reference, ...Object.fromEntries(members) }
  }
}

/** Without what only the library sees. */
function plain(schema: object): JsonSchema {
  return JSON.parse(JSON.stringify(schema)) as JsonSchema
}
