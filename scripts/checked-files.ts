/** Reads files of backups and archives, which may be forged, up to a size limit, and validates JSON against a schema. */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'

/** Reads a whole file; returns `undefined` if it is larger than `maxSize` bytes. */
export async function readLimited(
  source: AsyncIterable<Buffer>,
  maxSize: number
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of source) {
    length += chunk.length
    if (length > maxSize) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** A value that matches its schema; or else the `path` of the first problem, with the `value` that does not match. */
type CheckedJson<T> =
  | { readonly is: 'valid'; readonly value: T }
  | { readonly is: 'malformed' }
  | { readonly is: 'invalid'; readonly path: string; readonly value: unknown }

/**
 * Parses a JSON text and validates it against a schema. Returns `invalid` with the path of the first error,
 * or `malformed` if it is not JSON.
 */
export function parseChecked<S extends TSchema>(text: string, schema: S): CheckedJson<Static<S>> {
  const parsed = parseJson(text)
  if (!parsed) return { is: 'malformed' }
  const { value } = parsed
  const validator = Compile(schema)
  if (validator.Check(value)) return { is: 'valid', value }
  const [error] = validator.Errors(value)
  return { is: 'invalid', path: error?.instancePath.slice(0, 100) ?? '', value }
}

/** Parses a JSON text; returns `undefined` if it is malformed. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}
