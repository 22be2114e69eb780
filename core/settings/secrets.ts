/** Secrets within settings: members of lists and groups that are never shown. */
import type { TSchema } from 'typebox'

interface Schema {
  readonly secret?: boolean
  readonly items?: TSchema
  readonly properties?: Readonly<Record<string, TSchema>>
}

/** Shown instead of a secret. */
const mask = '…'

/** Returns a value with its secrets masked, as its schema marks them; empty text stays. */
export function maskSecrets(schema: TSchema, value: unknown): unknown {
  const { items, properties, secret } = schema as Schema
  if (secret) return value === '' ? '' : mask
  if (items && Array.isArray(value)) return value.map(item => maskSecrets(items, item))
  if (!properties || typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const members = new Map(Object.entries(properties))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const known = members.get(name)
      return [name, known ? maskSecrets(known, member) : member]
    })
  )
}
