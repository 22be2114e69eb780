/** Values of settings: their texts, and what is wrong with them. */
import type { TSchema } from 'typebox'
import { compileCoercion } from '../validation/coercion.js'
import { findViolations } from './schema-check.js'
import type { Setting } from './list.js'

/**
 * Parses the text of a value: `null`, numbers, `true`, lists with commas or as JSON. Text that does not fit
 * becomes a value that is refused later.
 */
export function parseValue({ schema, defaultValue }: Setting, text: string): unknown {
  if (text === 'null' && findViolations(schema, null).length === 0) return null
  const isList = Array.isArray(defaultValue) || findViolations(schema, []).length === 0
  if (!isList || text.startsWith('[')) return compileCoercion(schema)(text)
  return text
    .split(',')
    .map(item => item.trim())
    .filter(item => item !== '')
}

/**
 * Returns what is wrong with the value of a setting, without showing secrets; `undefined` if it is valid.
 * Placeholders of examples are refused.
 */
export function findProblem({ isSecret, schema }: Setting, value: unknown): string | undefined {
  if (isPlaceholder(value)) return 'must be replaced by a real value'
  const [first] = findViolations(schema, value)
  const text = JSON.stringify(maskSecrets(schema, value))
  // A private key may be given by mistake instead of the public one.
  const shown = isSecret || text?.includes('SECRET-KEY') ? '' : `, but is ${text}`
  return first && [first.place, first.problem].join(' ').trim() + shown
}

/** Match values that still have to be filled in: placeholders from examples, and variables that were not replaced. */
const placeholders = [/REPLACE/, /(?:^|\s)(?:change[-_ ]?me|<[^<>@]*>|\$\{[^{}]*\}|your[-_]\S*)$/i]

function isPlaceholder(value: unknown): boolean {
  if (typeof value === 'string') return placeholders.some(pattern => pattern.test(value))
  return typeof value === 'object' && value !== null && Object.values(value).some(isPlaceholder)
}

/** Secrets within settings: members of lists and groups that are never shown. */
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
