/** Reads members of JSON of FHIR, and refuses those that are wrong. */
import { isObject } from '../validation/is-object.js'
import { refuseParams } from '../validation/params.js'

export type Json = Readonly<Record<string, unknown>>

/** Throws `invalid-parameters-format` for what is wrong at a path. */
export function refuse(path: string, message: string): never {
  return refuseParams([{ code: 'INVALID', message, path }])
}

/** Returns the first extension with a URL. */
export function findExtension(given: Json, url: string): Json | undefined {
  const { extension } = given
  if (!Array.isArray(extension)) return undefined
  return (extension as unknown[]).find((each): each is Json => isObject(each) && each['url'] === url)
}

/**
 * Returns a text that is not empty; `undefined` if there is none. Anything else is refused, also a text that
 * is too long. Lengths are in characters.
 */
export function readText(value: unknown, path: string, maxLength: number): string | undefined {
  if (value === undefined) return undefined
  if (typeof value !== 'string' || value === '') return refuse(path, 'must be a text')
  return value.length > maxLength ? refuse(path, `must not be longer than ${maxLength} characters`) : value
}

/**
 * Returns a list of objects; empty if there is none. Anything else is refused, also a list that is too long.
 */
export function readList(value: unknown, path: string, limit: number): Json[] {
  if (value === undefined) return []
  if (!Array.isArray(value) || value.length > limit)
    return refuse(path, `must be a list of at most ${limit} items`)
  return (value as unknown[]).map((each, index) =>
    isObject(each) ? each : refuse(`${path}/${index}`, 'must be an object')
  )
}
