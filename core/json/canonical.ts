/** Canonical JSON, of which integrity values are digests. (docs/spec/integrity.md#canonical-text) */

/** Invisible characters, as a character class of a regular expression: `JSON.stringify` does not escape them. */
const invisibleCharacters =
  '\\u007f-\\u009f\\u00ad\\u0600-\\u0604\\u070f\\u17b4\\u17b5\\u200c-\\u200f\\u2028-\\u202f\\u2060-\\u206f\\ufeff\\ufff0-\\uffff'

/** Characters that are escaped: those that JSON requires, and invisible ones. */
const escapedCharacter = new RegExp(`["\\\\\\u0000-\\u001f${invisibleCharacters}]`)
const escapedCharacters = new RegExp(escapedCharacter, 'g')

/** Finds where `JSON.stringify` differs from the canonical form: invisible characters, and lone surrogates, which only it escapes. */
const nonCanonical = new RegExp(`[${invisibleCharacters}]|\\\\ud[89a-f]`)

const shortEscapes: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\f': '\\f',
  '\r': '\\r',
  '"': '\\"',
  '\\': '\\\\'
}

/**
 * Returns the canonical text of a JSON value: no white space, keys sorted by their UTF-16 code units,
 * properties that are `null` omitted at every depth. Numbers that are not finite become `null`.
 */
export function toCanonicalJson(value: unknown): string {
  if (typeof value === 'string') return quoteString(value)
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null)
  // Long lists are mostly numbers, which are the same in both forms.
  if (Array.isArray(value))
    return value.every(isFinite) ? JSON.stringify(value) : `[${value.map(toCanonicalJson).join(',')}]`
  return `{${toCanonicalMembers(value as Readonly<Record<string, unknown>>, Object.keys(value).toSorted())}}`
}

/**
 * Returns the text that `JSON.stringify` makes of an object if that is canonical, else `undefined`: it mostly
 * is, and takes a third of the time. `inner`: its values that hold others. Its own keys have to be in order,
 * and no value `null`.
 */
export function stringifyIfCanonical(object: object, inner: readonly unknown[]): string | undefined {
  for (const value of inner) if (!isOrdered(value)) return undefined
  const text = JSON.stringify(object)
  return nonCanonical.test(text) ? undefined : text
}

/** Returns whether all keys are in order, at every depth, and no property is `null`. */
function isOrdered(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every(isOrdered)
  let last = ''
  for (const key in value) {
    const inner = (value as Readonly<Record<string, unknown>>)[key]
    if (key < last || inner === null || !isOrdered(inner)) return false
    last = key
  }
  return true
}

function isFinite(value: unknown): boolean {
  return Number.isFinite(value)
}

/**
 * Returns the members of an object among `keys`, which are in order, as canonical text. Those that are `null`
 * or missing are omitted.
 */
export function toCanonicalMembers(
  object: Readonly<Record<string, unknown>>,
  keys: readonly string[]
): string {
  let text = ''
  for (const key of keys) {
    const value = object[key]
    if (value === null || value === undefined) continue
    if (text !== '') text += ','
    text += `${quoteString(key)}:${toCanonicalJson(value)}`
  }
  return text
}

function quoteString(text: string): string {
  return escapedCharacter.test(text) ? `"${text.replace(escapedCharacters, escapeCharacter)}"` : `"${text}"`
}

function escapeCharacter(character: string): string {
  return shortEscapes[character] ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}
